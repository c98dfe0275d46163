/** What an interpreter stands on: this process, or another one. */

import type { FromPython, NativePython, NativePythonHandle } from '../../native/python-binding.ts';
import type { ArrayBridge } from './array-bridge.ts';
import type { PythonInstallation } from './discover.ts';
import type { PythonLostError } from './errors.ts';

export type Raise = Parameters<NativePython['start']>[2];

export interface PythonHost {
  readonly native: NativePython;
  readonly arrays: ArrayBridge;
  /** Its number; null for this process. */
  readonly process: number | null;
  /** Why it runs no longer; undefined while it does. */
  readonly end: PythonLostError | undefined;
  /** Starts the interpreter; `raise` makes errors of what it raises. @throws PythonUnavailableError */
  start(installation: PythonInstallation, raise: Raise): void;
  /**
   * A copy of `object` in JavaScript's terms: dicts, lists, tuples, sets and bytes, however deep, with other objects as `fromPython` returns
   * them. None is null.
   */
  copy(object: NativePythonHandle, fromPython: (value: FromPython) => unknown): unknown;
  /** Ends it. @throws ArgumentError where it lives as long as the program */
  close(): void;
}
