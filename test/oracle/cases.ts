/** Compares array operations with results of NumPy and ml_dtypes (oracle.json.gz, made by make.py), on any device. */

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

interface Packed {
  readonly dtype: string;
  readonly shape: readonly number[];
  /** The bytes in row-major order, base64. */
  readonly data: string;
}

type Slice = string | number;

export type OperandSpec =
  | {
      readonly array: string;
      readonly slices?: readonly Slice[];
      readonly axes?: readonly number[];
      readonly shape?: readonly number[];
    }
  | { readonly number: number | string }
  | { readonly bigint: string }
  | { readonly boolean: boolean }
  | { readonly complex: readonly [number, number] };

export interface OracleCase {
  readonly call: string;
  readonly operands: readonly OperandSpec[];
  readonly options?: Readonly<Record<string, unknown>>;
  /** The operands are one argument, a list. */
  readonly listed?: boolean;
  readonly result?: Packed;
  /** NumPy raises an error. */
  readonly refused?: boolean;
}

interface Oracle {
  readonly versions: Readonly<Record<string, string>>;
  readonly dtypes: readonly string[];
  /** For each dtype, its promotion with each in the order of `dtypes`; null if NumPy has none. */
  readonly promotions: Readonly<Record<string, readonly (string | null)[]>>;
  readonly arrays: Readonly<Record<string, Packed>>;
  readonly cases: readonly OracleCase[];
}

export const oracle = JSON.parse(
  gunzipSync(readFileSync(new URL('oracle.json.gz', import.meta.url))).toString()
) as Oracle;

/** The parts of the library that the cases need: from the sources in one suite, from the built package in another. */
export interface ArrayUnderTest {
  readonly dtype: { readonly name: string };
  readonly shape: readonly number[];
  toTypedArray(): ArrayBufferView;
  slice(...of: Slice[]): ArrayUnderTest;
  transpose(...axes: number[]): ArrayUnderTest;
  reshape(...shape: number[]): ArrayUnderTest;
  dispose(): void;
}

export interface Bench {
  /** The functions by name. */
  readonly functions: Readonly<Record<string, unknown>>;
  /** Makes a one-dimensional array of these bytes on the device. */
  readonly load: (dtype: string, bytes: Uint8Array<ArrayBuffer>) => ArrayUnderTest;
  /** Units in the last place that a result of this dtype may be off by; `from` is the dtype of the first array. */
  readonly tolerance: (call: string, dtype: string, from: string) => number;
}

/** One line for each failing case; arrays are loaded once. */
export function failuresOf(bench: Bench, cases: readonly OracleCase[]): string[] {
  const loaded = new Map<string, ArrayUnderTest>();
  const array = (name: string): ArrayUnderTest => {
    const known = loaded.get(name);
    if (known !== undefined) return known;
    const { dtype, shape, data } = oracle.arrays[name] as Packed;
    const made = bench.load(dtype, Uint8Array.from(Buffer.from(data, 'base64'))).reshape(...shape);
    loaded.set(name, made);
    return made;
  };
  const failures: string[] = [];
  for (const each of cases) {
    const problem = problemOf(bench, each, array);
    if (problem !== null) failures.push(`${textOf(each)}: ${problem}`);
  }
  for (const made of loaded.values()) made.dispose();
  return failures;
}

function textOf({ call, operands, options }: OracleCase): string {
  return `${call}(${[...operands, ...(options === undefined ? [] : [options])].map(each => JSON.stringify(each)).join(', ')})`;
}

function operandOf(spec: OperandSpec, array: (name: string) => ArrayUnderTest): unknown {
  if ('array' in spec) {
    let view = array(spec.array);
    if (spec.slices !== undefined) view = view.slice(...spec.slices);
    if (spec.axes !== undefined) view = view.transpose(...spec.axes);
    return spec.shape === undefined ? view : view.reshape(...spec.shape);
  }
  if ('number' in spec) return Number(spec.number);
  if ('bigint' in spec) return BigInt(spec.bigint);
  return 'boolean' in spec ? spec.boolean : { re: spec.complex[0], im: spec.complex[1] };
}

function problemOf(bench: Bench, each: OracleCase, array: (name: string) => ArrayUnderTest): string | null {
  const function_ = bench.functions[each.call];
  if (typeof function_ !== 'function') return 'there is no such function';
  const operands = each.operands.map(spec => operandOf(spec, array));
  const options = { ...each.options };
  const positional =
    each.call === 'astype' ? [...operands, options['dtype']] : each.listed === true ? [operands] : operands;
  let result: ArrayUnderTest;
  try {
    result = (function_ as (...of: unknown[]) => ArrayUnderTest)(
      ...positional,
      ...(each.call === 'astype' ? [] : [options])
    );
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (each.refused === true && code?.startsWith('ERR_') === true) return null;
    return `threw ${String(code)}: ${message}`;
  }
  if (each.refused === true)
    return `NumPy refuses this, here it is ${result.dtype.name} [${result.shape.join()}]`;
  const expected = each.result as Packed;
  const first = each.operands.find(spec => 'array' in spec);
  const from = oracle.arrays[first?.array ?? '']?.dtype ?? '';
  return difference(result, expected, bench.tolerance(each.call, expected.dtype, from));
}

function difference(result: ArrayUnderTest, expected: Packed, tolerance: number): string | null {
  if (result.dtype.name !== expected.dtype) return `${result.dtype.name}, NumPy has ${expected.dtype}`;
  if (result.shape.join() !== expected.shape.join()) {
    return `shape [${result.shape.join()}], NumPy has [${expected.shape.join()}]`;
  }
  const host = result.toTypedArray();
  const own = new Uint8Array(host.buffer, host.byteOffset, host.byteLength);
  const wanted = Uint8Array.from(Buffer.from(expected.data, 'base64'));
  if (own.length !== wanted.length) return `${own.length} bytes, NumPy has ${wanted.length}`;
  const format = FORMATS[expected.dtype];
  if (format === undefined) {
    const at = own.findIndex((byte, index) => byte !== wanted[index]);
    return at < 0 ? null : `byte ${at} is ${own[at]}, NumPy has ${wanted[at]}`;
  }
  for (let at = 0; at < own.length; at += format.bytes) {
    const [a, b] = [codeAt(own, at, format.bytes), codeAt(wanted, at, format.bytes)];
    if (a === b || (isNaN_(a, format) && isNaN_(b, format))) continue;
    const off = isNaN_(a, format) || isNaN_(b, format) ? Infinity : distance(a, b, format);
    // Zeros of different sign are different if results are exact.
    if (off > tolerance || (off === 0 && tolerance === 0)) {
      return `number ${at / format.bytes} is 0x${a.toString(16)}, NumPy has 0x${b.toString(16)}: ${off} units in the last place`;
    }
  }
  return null;
}

interface Format {
  readonly bytes: number;
  readonly sign: bigint;
  /** Codes that are NaN: those whose magnitude is above this, or the codes named. */
  readonly above: bigint;
  readonly named: readonly bigint[];
}

const ieee = (bytes: number, infinity: bigint): Format => ({
  bytes,
  sign: 1n << BigInt(8 * bytes - 1),
  above: infinity,
  named: []
});
const octet = (above: bigint, named: readonly bigint[] = [], sign = 0x80n): Format => ({
  bytes: 1,
  sign,
  above,
  named
});

/** Floats are ordered like their codes; all NaNs are equal. */
const FORMATS: Readonly<Record<string, Format | undefined>> = {
  float16: ieee(2, 0x7c00n),
  bfloat16: ieee(2, 0x7f80n),
  float32: ieee(4, 0x7f800000n),
  float64: ieee(8, 0x7ff0000000000000n),
  complex64: ieee(4, 0x7f800000n),
  complex128: ieee(8, 0x7ff0000000000000n),
  float8_e3m4: octet(0x70n),
  float8_e4m3: octet(0x78n),
  float8_e4m3fn: octet(0x7en),
  float8_e5m2: octet(0x7cn),
  float8_e4m3b11fnuz: octet(0x7fn, [0x80n]),
  float8_e4m3fnuz: octet(0x7fn, [0x80n]),
  float8_e5m2fnuz: octet(0x7fn, [0x80n]),
  float8_e8m0fnu: octet(0xffn, [0xffn], 0n)
};

function codeAt(bytes: Uint8Array, at: number, width: number): bigint {
  let code = 0n;
  for (let byte = width - 1; byte >= 0; byte--) code = (code << 8n) | BigInt(bytes[at + byte] as number);
  return code;
}

const isNaN_ = (code: bigint, { sign, above, named }: Format): boolean =>
  named.includes(code) || (code & ~sign) > above;

function distance(a: bigint, b: bigint, { sign }: Format): number {
  const rank = (code: bigint): bigint => (sign !== 0n && (code & sign) !== 0n ? -(code & ~sign) : code);
  const apart = rank(a) - rank(b);
  return Number(apart < 0n ? -apart : apart);
}
