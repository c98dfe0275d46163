/** Arrays between this library and the Python in this process: the same memory on both sides. */

import type { NDArray } from '../array.ts';
import { ArgumentError } from '../errors.ts';
import type { NativePythonHandle } from '../native/python-binding.ts';
import type { ArrayBridge, AsArrayOptions } from './array-bridge.ts';
import { importArray } from './import-array.ts';

export class InProcessArrays implements ArrayBridge {
  toPython(array: NDArray): NativePythonHandle {
    throw new ArgumentError(`${array.toString()}: arrays do not cross to Python yet, array.toNested() does`);
  }

  fromPython(object: NativePythonHandle, options: AsArrayOptions): NDArray {
    return importArray(object, options);
  }
}
