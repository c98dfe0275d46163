/** Arrays between this process and a Python beside it. */

import type { NDArray } from '../../array.ts';
import { ArgumentError } from '../../errors.ts';
import type { NativePythonHandle } from '../../native/python-binding.ts';
import type { ArrayBridge, AsArrayOptions } from '../array-bridge.ts';

export class RemoteArrays implements ArrayBridge {
  toPython(array: NDArray): NativePythonHandle {
    throw new ArgumentError(
      `${array.toString()}: arrays do not cross to another process yet, array.toNested() does`
    );
  }

  fromPython(_object: NativePythonHandle, _options: AsArrayOptions): NDArray {
    throw new ArgumentError('arrays do not cross from another process yet');
  }
}
