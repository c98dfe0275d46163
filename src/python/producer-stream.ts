/** The streams that Python's libraries work on, where their arrays do not say it (rules 10, 73, 162). */

import type { Device } from '../device.ts';
import { native } from '../native/load.ts';
import type { NativePythonHandle } from '../native/python-binding.ts';
import { Stream } from '../stream.ts';

/** `cupy.cuda.get_current_stream`, once CuPy was met. */
let cupyStream: NativePythonHandle | undefined;

function attribute(object: NativePythonHandle, name: string): NativePythonHandle {
  return native().python.getAttribute(object, name) as NativePythonHandle;
}

/**
 * The stream that the library of an array goes on to work on, which is to wait for our uses; null where nobody can tell, and for
 * arrays that are never written again.
 */
export function currentStreamOf(object: NativePythonHandle, device: Device): Stream | null {
  if (device.simulated) return null;
  const { python, pythonImport } = native();
  if (pythonImport.library(object) !== 'cupy') return null;
  cupyStream ??= attribute(python.import('cupy.cuda'), 'get_current_stream');
  const stream = python.call(cupyStream) as NativePythonHandle;
  const handle = python.getAttribute(stream, 'ptr');
  if (typeof handle !== 'number' && typeof handle !== 'bigint') return null;
  return Stream.fromHandle(handle === 0 ? 1n : BigInt(handle), device);
}
