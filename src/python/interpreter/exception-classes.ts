/** What an error is for Python's code: the classes of Python by which libraries catch such a thing. */

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

/** The first that fits counts. */
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

/** Exceptions of another Python that are made of a message alone, and show it as it is. */
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

/** Names of Python's own classes, with blanks between; empty where none fits. */
export function pythonClassesOf(error: unknown): string {
  if (isOutOfMemory(error)) return 'MemoryError';
  if (error instanceof PythonError) return OF_PYTHON.has(error.type) ? error.type : '';
  return CLASSES.find(([kind]) => error instanceof kind)?.[1] ?? '';
}
