/** The process that runs an interpreter: this one or another. */

import type {
  FromPython,
  NativePython,
  NativePythonHandle,
  PythonCalls
} from '../../native/python-binding.ts';
import type { ArrayBridge } from './array-bridge.ts';
import type { PythonInstallation } from './discover.ts';
import type { PythonLostError } from './errors.ts';

export type Raise = Parameters<NativePython['start']>[2];

export interface PythonHost {
  readonly native: PythonCalls;
  readonly arrays: ArrayBridge;
  /** The process id; null for this process. */
  readonly process: number | null;
  /** Why the interpreter ended; undefined while it runs. */
  readonly end: PythonLostError | undefined;
  /** Starts the interpreter; `raise` makes errors of its exceptions. @throws PythonUnavailableError */
  start(installation: PythonInstallation, raise: Raise): void;
  /**
   * Copies dicts, lists, tuples, sets and bytes, at any depth, to JavaScript values; `fromPython` converts other objects. None becomes null.
   */
  copy(object: NativePythonHandle, fromPython: (value: FromPython) => unknown): unknown;
  /** Ends the interpreter. @throws ArgumentError if it lives as long as the program */
  close(): void;
}
