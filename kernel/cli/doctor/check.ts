/** Results of `stridelab doctor`: one line for each check. */

export type Status = 'ok' | 'warn' | 'fail';

export interface Check {
  readonly area: 'Node' | 'Kernel' | 'Jupyter' | 'CUDA' | 'Python';
  readonly status: Status;
  readonly message: string;
  readonly fix?: string;
}

export type Checks = readonly Check[];

/** Returns constructors for the results of one area. */
export const findings = (area: Check['area']) => ({
  ok: (message: string): Check => ({ area, status: 'ok', message }),
  warn: (message: string, fix: string): Check => ({ area, status: 'warn', message, fix }),
  fail: (message: string, fix: string): Check => ({ area, status: 'fail', message, fix })
});
