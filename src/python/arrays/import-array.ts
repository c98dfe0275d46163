/** Implements `python.asArray` in this process: tries the protocols in order, and applies the other options. */

import type { NDArray } from '../../array/array.ts';
import { toDevice } from '../../core/device.ts';
import { ArgumentError } from '../../base/errors.ts';
import { exchangeObserver, unobserved } from '../../interchange/observer.ts';
import { settle, type Imported } from '../../interchange/dlpack/settle.ts';
import { native } from '../../native/load.ts';
import type { NativePythonHandle } from '../../native/python-binding.ts';
import { TAKE } from '../../native/python-import-binding.ts';
import { Stream } from '../../core/stream.ts';
import { textOf } from '../../base/value-text.ts';
import { ARRAY_PROTOCOLS, type ImportedBy, type ImportVia } from '../interpreter/array-bridge.ts';
import { importBuffer } from './import-buffer.ts';
import { importArrayInterface, importCudaInterface } from './import-interface.ts';
import { importTensor } from './import-tensor.ts';

/** The members of each protocol, for the message if an object lacks them. */
const NAMES: Readonly<Record<ImportVia, string>> = {
  tensor: '__dlpack__ and __dlpack_device__',
  'exchange-table': '__dlpack_c_exchange_api__ on its class',
  dlpack: '__dlpack__ and __dlpack_device__',
  'cuda-array-interface': '__cuda_array_interface__',
  'array-interface': '__array_interface__',
  buffer: 'a buffer'
};

/**
 * Imports an object's memory with the first protocol that it supports. If that protocol fails, no other is tried: the producer's
 * exception is thrown unchanged (rule 158).
 * @throws ArgumentError for an object without a protocol, PythonError, BufferError, DescriptorError, DTypeError
 */
export function importArray(object: NativePythonHandle, options: ImportedBy): NDArray {
  const { device, stream, copy, via } = options;
  const wanted = device === null || device === undefined ? undefined : toDevice(device);
  if (stream !== undefined && !(stream instanceof Stream))
    throw new ArgumentError(`stream is ${textOf(stream)}, expected a Stream`);
  const { current } = exchangeObserver;
  const found =
    current === null ? find(object, options, via) : current.fromPython(() => find(object, options, via));
  const { readOnly, storage } = found.array;
  // Exports of immutable memory back to its library are allowed, others rejected.
  if (readOnly && storage.borrowed) storage.immutableOf ??= native().pythonImport.library(object);
  return settle(found, wanted, stream, copy);
}

const importAny = (object: NativePythonHandle): NDArray => importArray(object, {});

function find(object: NativePythonHandle, options: ImportedBy, via: ImportVia | undefined): Imported {
  const found = via === undefined ? findAny(object, options) : findBy(via, object, options);
  if (found !== undefined) return found;
  const looked = via === undefined ? ARRAY_PROTOCOLS.map(protocol => NAMES[protocol]).join(', ') : NAMES[via];
  throw new ArgumentError(`asArray: the object has no array protocol: it lacks ${looked}`);
}

function findAny(object: NativePythonHandle, options: ImportedBy): Imported | undefined {
  return (
    importTensor(object, options, TAKE.any) ??
    findBy('cuda-array-interface', object, options) ??
    findBy('array-interface', object, options) ??
    findBy('buffer', object, options)
  );
}

function findBy(via: ImportVia, object: NativePythonHandle, options: ImportedBy): Imported | undefined {
  switch (via) {
    case 'tensor':
      return importTensor(object, options, TAKE.tensor);
    case 'exchange-table':
      return importTensor(object, options, TAKE.table);
    case 'dlpack':
      return importTensor(object, options, TAKE.method);
    case 'cuda-array-interface':
      return uncopied(importCudaInterface(object, options, importAny));
    case 'array-interface':
      return uncopied(unobserved(() => importArrayInterface(object, importAny)));
    case 'buffer':
      return uncopied(unobserved(() => importBuffer(object)));
    default:
      throw new ArgumentError(`via is ${textOf(via)}, expected one of ${ARRAY_PROTOCOLS.join(', ')}`);
  }
}

function uncopied(array: NDArray | undefined): Imported | undefined {
  return array === undefined ? undefined : { array, copied: false };
}
