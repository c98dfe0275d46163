/** Runs the same text as JavaScript and as a kernel, on the same numbers. */

import { compileFunction } from 'node:vm';
import { array, type NDArray } from '../../../../src/index.ts';
import { kernelOf, type Captured } from '../kernel-of.ts';

type Numbers =
  Int32Array | Uint32Array | Float32Array | Float64Array | Uint8Array | Int16Array | BigInt64Array;
type Arrays = Readonly<Record<string, Numbers>>;

const ELEMENTS: Readonly<Record<string, string>> = {
  Int32Array: 'i32',
  Uint32Array: 'u32',
  Float32Array: 'f32',
  Float64Array: 'f64',
  Uint8Array: 'u8',
  Int16Array: 'i16',
  BigInt64Array: 'i64'
};

const listed = (arrays: readonly Iterable<number | bigint>[]): (number | bigint)[][] =>
  arrays.map(each => [...each]);

/** Runs statements that use the arrays by their names, and returns what both leave in the arrays. */
export function bothWays(
  body: string,
  arrays: Arrays,
  captured: Captured = {}
): { readonly javascript: unknown; readonly kernel: unknown } {
  const names = Object.keys(arrays);
  const own = Object.values(arrays).map(each => each.slice());
  const run = compileFunction(body, [...names, ...Object.keys(captured)]) as (...values: unknown[]) => void;
  run(...own, ...Object.values(captured));
  const types = names.map(name => `${name}: DeviceArray<${ELEMENTS[arrays[name]!.constructor.name]!}>`);
  const device: NDArray[] = Object.values(arrays).map(each => array(each));
  const kernel = kernelOf(names.length, `(${types.join(', ')}) => { ${body} }`, captured);
  kernel.launch({ grid: 1, block: 1 }, ...device);
  const results = device.map(each => each.toTypedArray() as Iterable<number | bigint>);
  return { javascript: listed(own as Iterable<number>[]), kernel: listed(results) };
}
