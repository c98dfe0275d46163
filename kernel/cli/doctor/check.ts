/** What `stridelab doctor` finds: one line for each thing that it examines. */

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

interface Findings {
  ok(message: string): Check;
  warn(message: string, fix: string): Check;
  fail(message: string, fix: string): Check;
}

/** Makes the findings of one area. */
export const findings = (area: Check['area']): Findings => ({
  ok: message => ({ area, status: 'ok', message }),
  warn: (message, fix) => ({ area, status: 'warn', message, fix }),
  fail: (message, fix) => ({ area, status: 'fail', message, fix })
});
