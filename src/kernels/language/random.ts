/** Random numbers inside kernels: those of `RandomGenerator`, by their place in its sequence. Written in the language of kernels. */

import type { FunctionSource } from '../source/function-source.ts';
import { deviceFunction, deviceFunctions } from './device-functions.ts';
import { functionOf } from './host-values.ts';
import { argumentsOf, type Rule } from './known-functions.ts';
import * as types from './number-types.ts';

/** Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011). */
const WORDS = `(seed: u64, counter: u64) => {
  let a = u32(counter);
  let b = u32(counter >> 32n);
  let c: u32 = 0;
  let d: u32 = 0;
  let low = u32(seed);
  let high = u32(seed >> 32n);
  for (let round = 0; round < 10; round++) {
    const first = cuda.multiplyHigh(u32(0xd2511f53), a);
    const second = cuda.multiplyHigh(u32(0xcd9e8d57), c);
    const third = u32(0xd2511f53) * a;
    a = second ^ b ^ low;
    b = u32(0xcd9e8d57) * c;
    c = first ^ d ^ high;
    d = third;
    low += u32(0x9e3779b9);
    high += u32(0xbb67ae85);
  }
  return [a, b, c, d];
}`;

const UNIT = `(word: u32): f32 => f32(word >> 8) * 5.9604644775390625e-8`;

const UNIFORM = `(seed, index) => {
  const place = u64(index);
  const [a, b, c, d] = words(u64(seed), place >> 2n);
  const which = u32(place) & 3;
  return unit(which < 2 ? (which === 0 ? a : b) : which === 2 ? c : d);
}`;

/** The Box-Muller transform: a pair of numbers gives two. */
const NORMAL = `(seed, index) => {
  const place = u64(index);
  const [a, b, c, d] = words(u64(seed), place >> 2n);
  const which = u32(place) & 3;
  const radius = Math.sqrt(-2 * Math.log(1 - unit(which < 2 ? a : c)));
  const angle = 6.283185307179586 * unit(which < 2 ? b : d);
  return radius * ((which & 1) === 0 ? Math.cos(angle) : Math.sin(angle));
}`;

const CAPTURED = { cuda: deviceFunctions, ...types };

function source(text: string, captured: object): FunctionSource {
  return { text, file: 'cuda.random', line: 1, column: 0, captured: { ...CAPTURED, ...captured } };
}

const words = source(WORDS, {});
const unit = source(UNIT, {});

/** Makes the rule of a function that is written in the language of kernels. */
function written(text: string): Rule {
  return call => {
    const { lowering, node, name } = call;
    const values = argumentsOf(call, 2);
    const helpers = { words: carrier(words), unit: carrier(unit) };
    return lowering.parts.call(functionOf(lowering, source(text, helpers), name), values, node);
  };
}

/** A function that stands for a source. */
function carrier(from: FunctionSource): object {
  return Object.defineProperty(() => undefined, Symbol.for('stridelab.source'), { value: from });
}

type Draw = (seed: number | bigint, index: number | bigint) => number;

export const random = {
  /** Returns a number from [0, 1), f32: element `index` of `new RandomGenerator(seed).uniform(n, { dtype: 'float32' })`. */
  random: deviceFunction<Draw>('random', written(UNIFORM)),
  /** Returns a normal number, f32: element `index` of `new RandomGenerator(seed).normal(n, { dtype: 'float32' })`, but for the last bits. */
  randomNormal: deviceFunction<Draw>('randomNormal', written(NORMAL))
} as const;
