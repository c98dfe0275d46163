/** Converts the arguments of a launch to the bytes of its parameters, or reports which argument does not match and why. */

import { NDArray } from '../array/array.ts';
import { headline } from '../array/headline.ts';
import { integerRange } from '../dtype/dtype.ts';
import { isComplex } from '../dtype/elements.ts';
import type { Complex } from '../dtype/host-array.ts';
import {
  ArgumentError,
  DTypeError,
  FreedError,
  ReadOnlyError,
  ValueError,
  type StridelabError
} from '../base/errors.ts';
import { formatShape } from '../layout/shape.ts';
import { MemoryPointer } from '../memory/manager/pointer.ts';
import { textOf } from '../base/value-text.ts';
import type { KernelParameter, PointerParameter, ValueType } from './signature.ts';
import { TypedValue } from './typed-value.ts';

/** An argument of a kernel: an array or address for a pointer; a number, bigint, boolean, complex or typed value; bytes for a struct. */
export type LaunchArgument =
  NDArray | MemoryPointer | TypedValue | Complex | ArrayBufferView | number | bigint | boolean | null;

function writeInteger(
  view: DataView,
  offset: number,
  type: ValueType,
  value: number | bigint,
  slot: ParameterSlot
): void {
  if (typeof value === 'number' && !Number.isInteger(value))
    throw new ValueError(`${slot.where()}: ${textOf(value)} is not a whole number`);
  if (type.bytes === 4 && typeof value === 'number') {
    // Fast path without bigint.
    const fits = type.kind === 'int' ? value === (value | 0) : value === value >>> 0;
    if (fits) return view.setInt32(offset, value | 0, true);
  }
  const exact = BigInt(value);
  const [least, most] = integerRange({ kind: type.kind === 'uint' ? 'u' : 'i', bits: type.bytes * 8 });
  if (exact < least || exact > most)
    throw new ValueError(`${slot.where()}: ${textOf(value)} is outside ${least} to ${most}`);
  if (type.bytes === 8) return view.setBigUint64(offset, BigInt.asUintN(64, exact), true);
  for (let byte = 0; byte < type.bytes; byte++)
    view.setUint8(offset + byte, Number((exact >> BigInt(8 * byte)) & 0xffn));
}

function writeFloat(view: DataView, offset: number, bytes: number, value: number): void {
  if (bytes === 4) view.setFloat32(offset, value, true);
  else if (bytes === 2) view.setFloat16(offset, value, true);
  else view.setFloat64(offset, value, true);
}

function writeValue(
  view: DataView,
  offset: number,
  type: ValueType,
  value: unknown,
  slot: ParameterSlot
): void {
  const { kind, bytes } = type;
  if (kind === 'bool' && typeof value === 'boolean') return view.setUint8(offset, value ? 1 : 0);
  if ((kind === 'int' || kind === 'uint') && (typeof value === 'number' || typeof value === 'bigint'))
    return writeInteger(view, offset, type, value, slot);
  if (kind === 'float' && typeof value === 'number') return writeFloat(view, offset, bytes, value);
  if (kind === 'complex' && isComplex(value)) {
    writeFloat(view, offset, bytes / 2, value.re);
    return writeFloat(view, offset + bytes / 2, bytes / 2, value.im);
  }
  const expected = {
    bool: 'a boolean',
    int: 'a whole number',
    uint: 'a whole number',
    float: 'a number',
    complex: '{re, im}'
  };
  throw new ArgumentError(`${slot.where()}: expected ${expected[kind]}, not ${describe(value)}`);
}

function describe(value: unknown): string {
  return value instanceof NDArray ? `an array (${headline(value as NDArray)})` : textOf(value);
}

/** A parameter of a kernel, with its place in the launch buffer. */
export class ParameterSlot {
  readonly offset: number;
  readonly bytes: number;
  /** Whether the kernel may write through the pointer: true unless it is declared const. */
  readonly writes: boolean;
  /** Whether arrays are accepted: for pointers, and for parameters of unknown type with the size and alignment of one. */
  readonly takesArray: boolean;
  /** The argument's place in the call. */
  readonly index: number;
  readonly #declared: KernelParameter | undefined;
  readonly #kernel: string;

  constructor(
    kernel: string,
    index: number,
    offset: number,
    bytes: number,
    declared: KernelParameter | undefined
  ) {
    this.#kernel = kernel;
    this.index = index;
    this.offset = offset;
    this.bytes = bytes;
    this.#declared = declared;
    this.writes = !(declared?.role === 'pointer' && declared.readOnly);
    this.takesArray = declared === undefined ? bytes === 8 && offset % 8 === 0 : declared.role === 'pointer';
  }

  where(): string {
    const declared = this.#declared === undefined ? `${this.bytes} bytes` : this.#declared.text;
    return `${this.#kernel}: argument ${this.index + 1} (${declared})`;
  }

  #error(reason: string, Kind: new (message: string) => StridelabError = ArgumentError): StridelabError {
    return new Kind(`${this.where()}: ${reason}`);
  }

  /** Returns the address of an array's first element, checked against the declaration. */
  pointerOf(array: NDArray, allowStrided: boolean): bigint {
    const declared = this.#declared as PointerParameter | undefined;
    if (!this.takesArray) throw this.#error(`expected a value, not ${describe(array)}`);
    if (declared !== undefined && declared.dtypes !== null && !declared.dtypes.includes(array.dtype.name))
      throw this.#error(
        `the array is ${array.dtype.name}; convert it with astype('${declared.dtypes[0] as string}')`,
        DTypeError
      );
    if (array.readOnly && this.writes)
      throw this.#error(
        `the array is read-only; declare the parameter const if the kernel only reads it`,
        ReadOnlyError
      );
    if (array.mask !== null)
      throw this.#error(
        `the array has a mask, which a pointer cannot carry: pass array.withMask(null), and the mask as another argument`
      );
    if (!allowStrided && array.exportedStrides !== null)
      throw this.#error(
        `the array of shape ${formatShape(array.shape)} is strided, and a pointer cannot carry strides: ` +
          'pass array.copy(), or launch with strided: true and pass the strides too'
      );
    return array.pointer;
  }

  /** Writes a value other than an array. */
  write(view: DataView, value: LaunchArgument): void {
    const declared = this.#declared;
    // First, because it is the usual case.
    if (typeof value === 'number' && declared?.role === 'value' && declared.type !== null)
      return writeValue(view, this.offset, declared.type, value, this);
    if (value instanceof TypedValue) return this.#writeTyped(view, value);
    if (ArrayBuffer.isView(value)) return this.#writeBytes(view, value);
    if (declared?.role === 'value' && declared.type !== null)
      return writeValue(view, this.offset, declared.type, value, this);
    if (this.takesArray) return this.#writeAddress(view, value);
    throw this.#error(
      `its type is unknown, so a bare ${typeof value} is ambiguous; pass a typed value such as ` +
        `cuda.int32(x) or cuda.float32(x), or its bytes`
    );
  }

  #writeTyped(view: DataView, { type, value }: TypedValue): void {
    if (this.#declared?.role === 'pointer') throw this.#error(`expected an array, not a value`);
    const kind = this.#declared?.type?.kind ?? type.kind;
    if (type.bytes !== this.bytes || type.kind !== kind)
      throw this.#error(`got ${type.kind}${type.bytes * 8}`);
    writeValue(view, this.offset, type, value, this);
  }

  #writeBytes(view: DataView, bytes: ArrayBufferView): void {
    if (this.#declared?.role === 'pointer') {
      // Its bytes would be interpreted as an address.
      throw this.#error(
        `the values of a typed array are in host memory; copy them to the device with array(values)`
      );
    }
    if (bytes.byteLength !== this.bytes)
      throw this.#error(`expected ${this.bytes} bytes, not ${bytes.byteLength}`);
    const source = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    new Uint8Array(view.buffer, view.byteOffset + this.offset, this.bytes).set(source);
  }

  #writeAddress(view: DataView, value: LaunchArgument): void {
    if (value === null) return view.setBigUint64(this.offset, 0n, true);
    if (typeof value === 'bigint') {
      if (value < 0n || value >> 64n !== 0n)
        throw this.#error(`${value} is not an address: expected a bigint from 0n to 2^64 - 1`, ValueError);
      return view.setBigUint64(this.offset, value, true);
    }
    if (value instanceof MemoryPointer) {
      if (value.freed) throw this.#error(`the memory was freed`, FreedError);
      return view.setBigUint64(this.offset, value.pointer, true);
    }
    throw this.#error(`expected an array, null or an address as a bigint, not ${describe(value)}`);
  }
}
