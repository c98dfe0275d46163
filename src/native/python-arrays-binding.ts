/** The part of the addon that puts arrays of this process into the hands of the Python in it; beside `python-binding.ts`. */

import type { NativeStorage } from './binding.ts';
import type { NativePythonHandle } from './python-binding.ts';

declare const elementType: unique symbol;

/** What Python is told of a dtype, made once for each. */
export interface NativeElementType {
  readonly [elementType]: true;
}

export interface ElementDescription {
  readonly name: string;
  /** Text by which `adopt` finds the dtype again. */
  readonly key: string;
  readonly itemsize: number;
  /** PEP 3118; null where the buffer protocol has none. */
  readonly format: string | null;
  /** Null where the array interfaces have none (rule 44). */
  readonly typestr: string | null;
  /** A list of tuples, for a record. */
  readonly descr: NativePythonHandle | null;
  /** DLPack triple; bits 0 where it has none; `dlpackRefusal` says why. */
  readonly code: number;
  readonly bits: number;
  readonly lanes: number;
  readonly dlpackRefusal: string | null;
  /** Elements take whole bytes of which they fill a part (rule 128). */
  readonly padded: boolean;
}

export interface PythonArrayHooks {
  /**
   * A function made by `makeFunction`: (array, stream, major, minor, device type, device id) gives a capsule with a copy, or a tuple
   * of the exception to raise, 'MemoryError' or 'BufferError', and its text. Major is undefined for the unversioned struct.
   */
  readonly copy: NativePythonHandle;
  /** Allocates memory for a tensor: (device type, device id, code, bits, lanes, ...shape) gives a capsule with new memory. */
  readonly allocate: NativePythonHandle;
  /** Of exported interfaces, and whether they name a stream. */
  readonly version: number;
  readonly namesStream: boolean;
  /** Another view of an array that came back. */
  readonly view: (array: object) => object;
  /** An array over the storage of one that JavaScript no longer has; strides and offset in bytes. */
  readonly adopt: (
    storage: NativeStorage,
    key: string,
    shape: number[],
    strides: number[],
    offset: number,
    readOnly: boolean
  ) => object;
}

export interface NativePythonArrays {
  /** Before anything else here, once Python runs. */
  connect(hooks: PythonArrayHooks): void;
  defineElement(description: ElementDescription): NativeElementType;
  /**
   * From now on a recorded array is a value for Python, wherever one is taken: a new stridelab.HostArray or CudaArray over its memory,
   * which that keeps. Kind `freed` there. `ofJax`: the memory is JAX's, which takes it back by the unversioned struct though the
   * array is read-only.
   */
  attach(array: object, element: NativeElementType, ofJax: boolean): void;
  /** Exports an attached array together with its attached mask; `refusal` says why the array cannot be exported without it. */
  exportMasked(array: object, mask: object, refusal: string): NativePythonHandle;
  /** A capsule of Python with the tensor of one of JavaScript's, which is consumed. */
  capsule(capsule: object): NativePythonHandle;
}
