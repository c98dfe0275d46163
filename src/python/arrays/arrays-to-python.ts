/** Makes Python array objects over the memory of this library's arrays, in the Python of this process. */

import { NDArray } from '../../array/array.ts';
import { dtypes, type Descr, type DType } from '../../dtype/dtype.ts';
import { recordDType, toDType } from '../../dtype/resolve.ts';
import { BufferError } from '../../base/errors.ts';
import { exchangeObserver } from '../../interchange/observer.ts';
import { caiSettings } from '../../interchange/settings.ts';
import { dlpackDTypeRefusal, dlpackMaskRefusal, needsPaddedFlag } from '../../interchange/convert.ts';
import { DLPackCapsule } from '../../protocols/capsule.ts';
import { dlpackDevice, isHost } from '../../protocols/dlpack-device.ts';
import { allocateForExchange } from '../../interchange/dlpack/exchange-hooks.ts';
import { recordForExchange } from '../../interchange/dlpack/exchange.ts';
import { isOutOfMemory } from '../../memory/manager/out-of-memory.ts';
import { Storage } from '../../memory/storage.ts';
import type { NativeStorage } from '../../native/binding.ts';
import { native } from '../../native/load.ts';
import type { NativeElementType, NativePythonArrays } from '../../native/python-arrays-binding.ts';
import type { CallableFromPython, NativePythonHandle, ToPython } from '../../native/python-binding.ts';
import { Stream } from '../../core/stream.ts';
import { bufferFormat } from './element-format.ts';

const NO_CODE = { code: 0, bits: 0, lanes: 0 } as const;

class ArrayExporter {
  readonly #arrays: NativePythonArrays;
  readonly #elements = new WeakMap<DType, NativeElementType>();
  readonly #attached = new WeakSet<NDArray>();

  /** Connects to Python, which must be running. */
  constructor() {
    const { python, pythonArrays } = native();
    const { exportStream, exportVersion } = caiSettings();
    this.#arrays = pythonArrays;
    pythonArrays.connect({
      copy: python.makeFunction(copyForPython, 'copy'),
      allocate: python.makeFunction(allocateForPython, 'allocate'),
      version: exportVersion,
      namesStream: exportStream,
      view: array => (array as NDArray).onStream((array as NDArray).stream),
      adopt: adoptBack
    });
    // Tensors that other libraries convert to our arrays may have any of these dtypes.
    for (const dtype of Object.values<DType>(dtypes)) this.#element(dtype);
  }

  /**
   * Returns the array itself, which native code converts to a HostArray if the host can read the memory, otherwise to a CudaArray.
   * @throws FreedError, BufferError for a host array with a mask, which no host interface supports
   */
  toPython(array: NDArray): ToPython {
    this.#attach(array);
    exchangeObserver.current?.toPython(array);
    const { mask } = array;
    if (mask === null) return array as unknown as NativePythonHandle;
    const refusal = dlpackMaskRefusal(mask) as string;
    if (isHost(dlpackDevice(array.storage)[0])) throw new BufferError(refusal);
    this.#attach(mask);
    return this.#arrays.exportMasked(array, mask, refusal);
  }

  #attach(array: NDArray): void {
    void array.storage.native; // throws for a freed array, and for memory whose owner has exited
    if (this.#attached.has(array)) return;
    recordForExchange(array);
    this.#arrays.attach(array, this.#element(array.dtype), array.storage.immutableOf === 'jax');
    this.#attached.add(array);
  }

  #element(dtype: DType): NativeElementType {
    let element = this.#elements.get(dtype);
    if (element === undefined) {
      element = this.#define(dtype);
      this.#elements.set(dtype, element);
    }
    return element;
  }

  #define(dtype: DType): NativeElementType {
    const { name, itemsize, typestr, descr } = dtype;
    return this.#arrays.defineElement({
      name,
      key: descr === null ? name : JSON.stringify(descr),
      itemsize,
      format: bufferFormat(dtype),
      typestr,
      descr: descr === null ? null : pythonDescr(descr),
      ...(dtype.dlpack ?? NO_CODE),
      dlpackRefusal: dlpackDTypeRefusal(dtype),
      padded: needsPaddedFlag(dtype)
    });
  }
}

let exporter: ArrayExporter | undefined;

/** Returns the array as a value that Python receives as an array object over its memory. @throws FreedError, BufferError */
export function exportArray(array: NDArray): ToPython {
  exporter ??= new ArrayExporter();
  return exporter.toPython(array);
}

/** Makes NumPy's form of `descr`: a list of tuples. */
function pythonDescr(descr: Descr): NativePythonHandle {
  const { python } = native();
  return python.makeList(
    descr.map(([name, type, shape]) => {
      const label = typeof name === 'string' ? name : python.makeTuple([...name]);
      const kind = typeof type === 'string' ? type : pythonDescr(type);
      return python.makeTuple(
        shape === undefined ? [label, kind] : [label, kind, python.makeTuple([...shape])]
      );
    })
  );
}

function adoptBack(
  nativeStorage: NativeStorage,
  key: string,
  shape: number[],
  strides: number[],
  offset: number,
  readOnly: boolean
): NDArray {
  const storage = Storage.adopt(nativeStorage);
  storage.leaveOrderToNative();
  const dtype = key.startsWith('[') ? recordDType(JSON.parse(key) as Descr) : toDType(key);
  const view = { shape: Object.freeze(shape), strides: Object.freeze(strides), offset };
  return new NDArray(storage, dtype, view, Stream.legacyDefault(storage.device), readOnly);
}

/** Returns a Python capsule for the capsule that `make` makes; for an error, the name of the exception to raise and its text. */
function answer(make: () => DLPackCapsule): NativePythonHandle {
  const { python, pythonArrays } = native();
  try {
    return pythonArrays.capsule(DLPackCapsule.nativeOf(make()));
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return python.makeTuple([isOutOfMemory(error) ? 'MemoryError' : 'BufferError', text]);
  }
}

const copyForPython: CallableFromPython = (_names, array, stream, major, minor, type, id) =>
  answer(() => {
    using source = array as unknown as NDArray;
    const copy = (): DLPackCapsule =>
      source.__dlpack__({
        stream: stream as number | bigint | undefined,
        maxVersion: major === undefined ? null : [major as number, minor as number],
        dlDevice: [type as number, id as number],
        copy: true
      });
    const { current } = exchangeObserver;
    return current === null ? copy() : current.askedByPython(source, copy);
  });

const allocateForPython: CallableFromPython = (_names, ...values) => {
  const [type, id, code, bits, lanes, ...shape] = values as [number, number, number, number, number];
  return answer(() => allocateForExchange(type, id, code, bits, lanes, ...shape));
};
