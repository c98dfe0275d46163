/** Results of `stridelab doctor`: one line for each check. */

export type Status = 'ok' | 'warn' | 'fail';

export interface Check {
  readonly area: 'Node' | 'Kernel' | 'Jupyter' | 'CUDA' | 'Python';
  readonly status: Status;
  /** The result of the check. */
  readonly message: string;
  /** How to fix it. */
  readonly fix?: string;
}

export type Checks = readonly Check[];

interface Findings {
  ok(message: string): Check;
  warn(message: string, fix: string): Check;
  fail(message: string, fix: string): Check;
}

/** Returns constructors for the results of one area. */
export const findings = (area: Check['area']): Findings => ({
  ok: message => ({ area, status: 'ok', message }),
  warn: (message, fix) => ({ area, status: 'warn', message, fix }),
  fail: (message, fix) => ({ area, status: 'fail', message, fix })
});
