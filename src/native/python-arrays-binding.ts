/** Bindings of the addon that pass arrays of this library to the Python in this process; see `python-binding.ts`. */

import type { NativeCapsule, NativeStorage } from './binding.ts';
import type { NativePythonHandle } from './python-binding.ts';

declare const elementType: unique symbol;

/** A dtype's description for Python, made once for each dtype. */
export interface NativeElementType {
  readonly [elementType]: true;
}

export interface ElementDescription {
  readonly name: string;
  /** The text by which `adopt` finds the dtype. */
  readonly key: string;
  readonly itemsize: number;
  /** The PEP 3118 format; null if the buffer protocol has none. */
  readonly format: string | null;
  /** Null if the array interfaces have none (rule 44). */
  readonly typestr: string | null;
  /** A list of tuples, for a structured dtype. */
  readonly descr: NativePythonHandle | null;
  /** The DLPack triple; bits is 0 if there is none, and `dlpackRefusal` is the reason. */
  readonly code: number;
  readonly bits: number;
  readonly lanes: number;
  readonly dlpackRefusal: string | null;
  /** Whether elements smaller than a byte take a byte each (rule 128). */
  readonly padded: boolean;
}

export interface PythonArrayHooks {
  /**
   * A function made by `makeFunction`: (array, stream, major, minor, device type, device id) returns a capsule with a copy, or a
   * tuple of the exception to raise, 'MemoryError' or 'BufferError', and its text. Major is undefined for the unversioned struct.
   */
  readonly copy: NativePythonHandle;
  /** Allocates memory for a tensor: (device type, device id, code, bits, lanes, ...shape) returns a capsule. */
  readonly allocate: NativePythonHandle;
  /** The version of exported interfaces, and whether they name a stream. */
  readonly version: number;
  readonly namesStream: boolean;
  /** Makes another view of an array that Python passed back. */
  readonly view: (array: object) => object;
  /** Makes an array over the storage of an array that JavaScript no longer references; strides and offset in bytes. */
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
  /** Sets the hooks. Call it first, once Python runs. */
  connect(hooks: PythonArrayHooks): void;
  defineElement(description: ElementDescription): NativeElementType;
  /**
   * Makes a recorded array a value that can be passed to Python, as a new stridelab.HostArray or CudaArray
   * that keeps its memory. Use in Python after the array is freed raises kind `freed`. `ofJax`: JAX owns the
   * memory and may import it back with the unversioned struct, although the array is read-only.
   */
  attach(array: object, element: NativeElementType, ofJax: boolean): void;
  /** Exports an attached array together with its attached mask; `refusal` explains why the array cannot be exported without it. */
  exportMasked(array: object, mask: object, refusal: string): NativePythonHandle;
  /** Converts a JavaScript capsule to a Python capsule with its tensor; the JavaScript capsule is consumed. */
  capsule(capsule: NativeCapsule): NativePythonHandle;
}
