/** Maps JavaScript errors to the Python exception classes with which libraries catch them. */

import {
  ArgumentError,
  BoundsError,
  BufferError,
  CopyRequiredError,
  DescriptorError,
  DeviceError,
  DTypeError,
  FreedError,
  IndexError,
  IpcError,
  ReadOnlyError,
  ShapeError,
  ValueError
} from '../../base/errors.ts';
import { isOutOfMemory } from '../../memory/manager/out-of-memory.ts';
import { PythonError } from './errors.ts';

/** The first matching class counts. */
const CLASSES: readonly (readonly [abstract: abstract new (...values: never[]) => Error, names: string])[] = [
  [CopyRequiredError, 'BufferError ValueError'],
  [BufferError, 'BufferError'],
  [IpcError, 'BufferError'],
  [DTypeError, 'TypeError'],
  [ArgumentError, 'ValueError TypeError'],
  [ShapeError, 'ValueError'],
  [ValueError, 'ValueError'],
  [DescriptorError, 'ValueError'],
  [DeviceError, 'ValueError'],
  [FreedError, 'ValueError'],
  [ReadOnlyError, 'ValueError'],
  [IndexError, 'IndexError'],
  [BoundsError, 'IndexError'],
  [TypeError, 'TypeError'],
  [RangeError, 'ValueError']
];

/** Python exceptions with only a message, which they show unchanged. */
const OF_PYTHON = new Set([
  'AttributeError',
  'BufferError',
  'IndexError',
  'LookupError',
  'MemoryError',
  'NotImplementedError',
  'RuntimeError',
  'TimeoutError',
  'TypeError',
  'ValueError',
  'ZeroDivisionError'
]);

/** Returns the names of builtin Python classes, separated by spaces; empty if none matches. */
export function pythonClassesOf(error: unknown): string {
  if (isOutOfMemory(error)) return 'MemoryError';
  if (error instanceof PythonError) return OF_PYTHON.has(error.type) ? error.type : '';
  return CLASSES.find(([kind]) => error instanceof kind)?.[1] ?? '';
}
