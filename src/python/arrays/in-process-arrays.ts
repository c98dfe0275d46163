/** Arrays between this library and the Python in this process: the same memory on both sides. */

import type { NDArray } from '../../array/array.ts';
import type { NativePythonHandle, ToPython } from '../../native/python-binding.ts';
import type { ArrayBridge, ImportedBy } from '../interpreter/array-bridge.ts';
import { ArrayExporter } from './arrays-to-python.ts';
import { importArray } from './import-array.ts';

export class InProcessArrays implements ArrayBridge {
  #exporter: ArrayExporter | undefined;

  toPython(array: NDArray): ToPython {
    this.#exporter ??= new ArrayExporter();
    return this.#exporter.toPython(array);
  }

  fromPython(object: NativePythonHandle, options: ImportedBy): NDArray {
    return importArray(object, options);
  }
}
