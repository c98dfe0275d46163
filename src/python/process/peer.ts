/** The Python process at the other end of a connection, as far as the two kinds differ: one that this process started, or its parent. */

import type { ProcessEnd } from '../interpreter/errors.ts';

export interface PythonPeer {
  /** The number of the link. */
  readonly link: number;
  readonly process: number;
  /** The time in ms that `Connection.close` waits for the process to end. */
  readonly patience: number;
  /** Copies new text of the process's standard error to ours. */
  passErrorsOn(): void;
  /** Keeps text of its standard error that came another way. */
  note(text: string): void;
  kill(signal: 'SIGINT' | 'SIGKILL'): void;
  /** Waits for the process to exit; undefined if it still runs. */
  ended(within?: number): ProcessEnd | undefined;
  close(): void;
}
