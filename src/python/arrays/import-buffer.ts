/** Imports memory that objects expose through the buffer protocol (PEP 3118): bytes, `array.array`, `memoryview`, ctypes. */

import type { NDArray } from '../../array/array.ts';
import { BufferError } from '../../base/errors.ts';
import { native } from '../../native/load.ts';
import type { NativePythonBuffer } from '../../native/python-import-binding.ts';
import type { NativePythonHandle } from '../../native/python-binding.ts';
import { parseBufferFormat } from './buffer-format.ts';
import { importKept, onHost } from './import-interface.ts';
import { fieldsOfPython, importHost, MEMORY } from './import-tensor.ts';

/** Returns undefined if the object has no buffer. @throws BufferError for elements without a dtype, PythonError */
export function importBuffer(object: NativePythonHandle): NDArray | undefined {
  const found = native().pythonImport.buffer(object, false);
  if (found === null) return undefined;
  if (fieldsOfPython().offset === MEMORY) return importHost(found as NativePythonHandle);
  const { owner, pointer, readOnly, format, shape, strides, itemsize, indirect } =
    found as NativePythonBuffer;
  const describe = () => {
    if (indirect)
      throw new BufferError('the buffer has suboffsets, that is, rows behind pointers: copy it first');
    const { typestr, descr } = parseBufferFormat(format, itemsize);
    const described = { shape, typestr, strides: strides ?? null, data: [pointer, readOnly], version: 3 };
    return descr === null ? described : { ...described, descr };
  };
  return importKept(owner, describe, onHost());
}
