/** What an interpreter stands on: this process, or another one. */

import type { NativePython } from '../native/python-binding.ts';
import type { ArrayBridge } from './array-bridge.ts';
import type { PythonInstallation } from './discover.ts';

export interface PythonHost {
  readonly native: NativePython;
  readonly arrays: ArrayBridge;
  /** Whether prints leave by a way of its own, and it ends by itself with the program. */
  readonly apart: boolean;
  /** Starts the interpreter; `raise` makes errors of what it raises. @throws PythonUnavailableError */
  start(installation: PythonInstallation, raise: Parameters<NativePython['start']>[2]): void;
}
