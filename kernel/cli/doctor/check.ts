/** What `stridelab doctor` finds: one line for each thing it looked at. */

export type Status = 'ok' | 'warn' | 'fail';

export interface Check {
  readonly area: 'Node' | 'Kernel' | 'Jupyter' | 'CUDA' | 'Python';
  readonly status: Status;
  /** What was found. */
  readonly message: string;
  /** What to do about it. */
  readonly fix?: string;
}

export type Checks = readonly Check[];

export const ok = (area: Check['area'], message: string): Check => ({ area, status: 'ok', message });

export const warn = (area: Check['area'], message: string, fix: string): Check => ({
  area,
  status: 'warn',
  message,
  fix
});

export const fail = (area: Check['area'], message: string, fix: string): Check => ({
  area,
  status: 'fail',
  message,
  fix
});
