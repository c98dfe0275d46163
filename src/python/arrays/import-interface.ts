/**
 * Arrays of Python that describe themselves by a dictionary: `__cuda_array_interface__` (rules 1 to 106) and `__array_interface__`
 * (https://numpy.org/doc/stable/reference/arrays.interface.html).
 */

import { NDArray } from '../../array/array.ts';
import { devices, toDevice, type Device } from '../../core/device.ts';
import { BufferError, DescriptorError } from '../../base/errors.ts';
import { parseDescriptor, type ParsedDescriptor } from '../../interchange/cai/descriptor.ts';
import {
  fromCudaArrayInterface,
  importParsed,
  type DescriptorImportOptions
} from '../../interchange/cai/import.ts';
import type { TensorReader } from '../../interchange/dlpack/tensor-reader.ts';
import { exchangeObserver } from '../../interchange/observer.ts';
import { sizeOf } from '../../layout/shape.ts';
import { locate } from '../../memory/locate.ts';
import { FIRST_WITH_SYNCHRONIZATION } from '../../protocols/cai.ts';
import { native } from '../../native/load.ts';
import type { NativePythonHandle } from '../../native/python-binding.ts';
import { textOf } from '../../base/value-text.ts';
import type { ImportedBy } from '../interpreter/array-bridge.ts';
import { fieldsOfPython, importHost, MEMORY } from './import-tensor.ts';

/** A dictionary as received; entries are checked where they are used. */
type Entries = Readonly<Record<string, unknown>>;

export type ImportAny = (object: NativePythonHandle) => NDArray;

/** Imports the memory of a descriptor, keeps the object, and disposes the descriptor's mask. */
function importOver(
  object: NativePythonHandle,
  descriptor: Entries,
  options: DescriptorImportOptions
): NDArray {
  try {
    const { pointer, extent } = parseDescriptor(descriptor);
    const owner = native().pythonImport.keep(object, pointer, extent.end - extent.start);
    return importKept(owner, () => descriptor, options);
  } finally {
    const { mask } = descriptor ?? {};
    if (mask instanceof NDArray) mask.dispose();
  }
}

/** Imports memory that `owner` keeps until the array is released, or `describe` or the import throws. */
export function importKept(
  owner: NativePythonHandle,
  describe: () => Entries,
  options: DescriptorImportOptions
): NDArray {
  const released = (): void => native().pythonImport.end(owner);
  try {
    return fromCudaArrayInterface(describe(), { owner, ...options, released });
  } catch (error) {
    released();
    throw error;
  }
}

/** Replaces the mask, a Python object with an interface, by an array (rules 50, 51). */
function withMask(entries: Entries, importAny: ImportAny): Entries {
  const { mask } = entries;
  if (mask === null || mask === undefined || typeof mask !== 'object') return entries;
  try {
    return { ...entries, mask: importAny(mask as NativePythonHandle) };
  } catch (error) {
    throw error instanceof Error ? new DescriptorError('mask', error.message, { cause: error }) : error;
  }
}

/** Imports an object by its `__cuda_array_interface__`; undefined if it has none. @throws PythonError, DescriptorError, DTypeError, ShapeError */
export function importCudaInterface(
  object: NativePythonHandle,
  { device, stream, via: _via, copy: _copy, ...more }: ImportedBy,
  importAny: ImportAny
): NDArray | undefined {
  // A recorder shows the entries themselves.
  const found = native().pythonImport.interface(object, true, exchangeObserver.current !== null);
  if (found === null) return undefined;
  const options: DescriptorImportOptions = {
    stream: stream?.device.simulated === true ? undefined : stream,
    // Old versions do not declare pending work, so the host waits for the entire device (rule 10).
    unsynchronized: 'device',
    ...more
  };
  if (fieldsOfPython().offset === MEMORY) return importFields(found as NativePythonHandle, options, device);
  const entries = found as Entries;
  const guarded = typeof entries === 'object' ? guard(object, withMask(entries, importAny)) : entries;
  const onDevice = hostDevice(() => parseDescriptor(guarded).pointer, device);
  return importOver(object, guarded, { ...options, device: onDevice });
}

/** Imports the memory that the fields describe; `owner` keeps it. */
function importFields(
  owner: NativePythonHandle,
  options: DescriptorImportOptions,
  device: ImportedBy['device']
): NDArray {
  const released = (): void => native().pythonImport.end(owner);
  try {
    const parsed = descriptorOf(fieldsOfPython());
    const onDevice = hostDevice(() => parsed.pointer, device);
    return importParsed(parsed, owner, { ...options, device: onDevice }, released, null);
  } catch (error) {
    released();
    throw error;
  }
}

/** Returns what parsing the dictionary in the fields would return. */
function descriptorOf(fields: TensorReader): ParsedDescriptor {
  const { version, first, start, end, stream, readOnly } = fields;
  const { dtype, shape, strides } = fields.layout();
  return {
    version,
    shape,
    size: sizeOf(shape),
    strides,
    dtype,
    swaps: [],
    pointer: start === 0 ? first : first - BigInt(start),
    readOnly,
    extent: { start, end },
    stream: stream === 0n ? null : stream,
    saysWhatIsPending: version >= FIRST_WITH_SYNCHRONIZATION,
    mask: null,
    event: null
  };
}

/** Returns the requested simulated device, if the memory is host memory unknown to any driver. */
function hostDevice(pointerOf: () => bigint, device: ImportedBy['device']): Device | undefined {
  if (device === undefined || device === null) return undefined;
  const wanted = toDevice(device);
  const pointer = pointerOf();
  return wanted.simulated && (pointer === 0n || locate(pointer) === null) ? wanted : undefined;
}

/** Corrects the descriptors of libraries that deviate from the interface. */
function guard(object: NativePythonHandle, entries: Entries): Entries {
  switch (native().pythonImport.library(object)) {
    case 'numba':
      return guardNumba(object, entries);
    case 'torch':
      return entries['stream'] === undefined ? { ...entries, stream: torchStream(object, entries) } : entries;
    default:
      return entries;
  }
}

/**
 * Numba and numba-cuda-mlir treat every axis of stride 0 as contiguous, so a broadcast array exports null (defect 1; rule 19). They export
 * their default stream as 0 (defect 2; rule 68), and report no pending work although that stream has some (rule 81).
 */
function guardNumba(object: NativePythonHandle, entries: Entries): Entries {
  const { python } = native();
  const stream = entries['stream'];
  const ordered =
    stream === undefined || stream === null || stream === 0 ? { ...entries, stream: 1 } : entries;
  if (entries['strides'] !== null && entries['strides'] !== undefined) return ordered;
  const strides = python.getAttribute(object, 'strides');
  if (typeof strides !== 'object' || strides === null) return ordered;
  const own: number[] = [];
  const iterator = python.iterate(strides);
  for (let next = python.next(iterator); next !== null; next = python.next(iterator)) own.push(Number(next));
  return own.includes(0) ? { ...ordered, strides: own } : ordered;
}

/** Returns PyTorch's current stream, because its descriptor of version 2 names none. Null if unknown. */
function torchStream(object: NativePythonHandle, entries: Entries): bigint | null {
  const data = entries['data'] as readonly unknown[] | undefined;
  const pointer = data?.[0];
  if (typeof pointer !== 'number' && typeof pointer !== 'bigint') return null;
  const found = locate(BigInt(pointer));
  if (found === null) return null;
  const stream = native().pythonImport.workStream(object, found.ordinal);
  return stream === 0n ? null : stream;
}

/** Imports an object by its `__array_interface__`; undefined if it has none. @throws PythonError, BufferError, DescriptorError, DTypeError, ShapeError */
export function importArrayInterface(object: NativePythonHandle, importAny: ImportAny): NDArray | undefined {
  try {
    return importDescribed(object, importAny);
  } catch (error) {
    throw error instanceof DescriptorError ? error.of('__array_interface__') : error;
  }
}

function importDescribed(object: NativePythonHandle, importAny: ImportAny): NDArray | undefined {
  const found = native().pythonImport.interface(object, false, false);
  if (found === null) return undefined;
  if (fieldsOfPython().offset === MEMORY) return importHost(found as NativePythonHandle);
  const entries = found as Entries;
  if (typeof entries !== 'object') return importOver(object, entries, {});
  const { shape, typestr, descr, strides, version, data } = entries;
  const described = {
    shape,
    typestr,
    descr,
    strides,
    mask: withMask(entries, importAny)['mask'],
    // Its version numbers differ from those of the CUDA interface; version 3 there means that no work is pending.
    version: typeof version === 'number' && version >= 0 ? 3 : version
  };
  if (Array.isArray(data)) {
    const [pointer, readOnly] = data as readonly unknown[];
    const checked = data.length === 2 ? [pointer, Boolean(readOnly)] : (data as readonly unknown[]);
    return importOver(object, { ...described, data: checked }, onHost());
  }
  return importBehindBuffer(
    object,
    described,
    data as NativePythonHandle | null | undefined,
    entries['offset']
  );
}

/** Returns options for host memory, which belongs to the simulated device and may be unknown to drivers. */
export function onHost(): DescriptorImportOptions {
  return { device: devices().find(candidate => candidate.simulated), validate: 'none' };
}

/** Imports a buffer: that of the object if `data` is None or left out, otherwise that of `data`; `offset` counts from its start. */
function importBehindBuffer(
  object: NativePythonHandle,
  described: Entries,
  data: NativePythonHandle | null | undefined,
  offset: unknown = 0
): NDArray {
  const { pythonImport } = native();
  const buffer = pythonImport.buffer(data ?? object, true);
  if (buffer === null) throw new DescriptorError('data', 'expected an address or an object with a buffer');
  const { owner, pointer, bytes, readOnly, indirect } = buffer;
  const start = typeof offset === 'number' && Number.isSafeInteger(offset) && offset >= 0 ? offset : -1;
  const describe = (): Entries => {
    if (start < 0) throw new DescriptorError('offset', `${textOf(offset)} is not a number of bytes`);
    const descriptor = { ...described, data: [pointer + BigInt(start), readOnly] };
    const { extent } = parseDescriptor(descriptor);
    if (indirect || extent.start + start < 0 || extent.end + start > bytes)
      throw new BufferError(`the array is not inside the ${bytes} bytes of its buffer`);
    return descriptor;
  };
  // The buffer keeps its own object, which may not be the one with the interface.
  return importKept(owner, describe, { ...onHost(), owner: [owner, object] });
}
