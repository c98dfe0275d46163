/** Types that a file declares, in annotations of kernels. */

import { stripTypeScriptTypes } from 'node:module';
import { compileFunction } from 'node:vm';
import { kernelProblems } from '../../../../kernel/front/typescript/kernel-problems.ts';
import { array, cuda, zeros, type NDArray } from '../../../../src/index.ts';
import * as types from '../../../../src/kernels/language/number-types.ts';
import { annotate } from '../../../../src/kernels/source/annotate.ts';
import { inserted } from '../../../../src/kernels/source/insertions.ts';
import type { Kernel } from '../../../../src/kernels/launch/kernel.ts';
import type { AnyBody } from '../kernel-of.ts';

/** Runs a file in TypeScript, and returns its `k`. */
function kernelIn(text: string): Kernel<AnyBody> {
  const code = stripTypeScriptTypes(inserted(text, annotate(text, { file: 'cell 5', line: 1 }, 'ts')));
  const names = { cuda, ...types };
  const run = compileFunction(`"use strict";${code}\nreturn k;`, Object.keys(names)) as (
    ...values: unknown[]
  ) => Kernel<AnyBody>;
  return run(...Object.values(names));
}

function launched(text: string, ...values: readonly (NDArray | number | object)[]): unknown {
  const out = zeros([2], { dtype: 'float32' });
  kernelIn(text).launch({ grid: 1, block: 1 }, out, ...values);
  return out.toNested();
}

test('aliases, interfaces, tuples, inner objects and arrays', () => {
  const text = `
    type Real = f32;
    type Reals = DeviceArray<Real>;
    interface Point { readonly x: Real; y: Real }
    interface Box extends Point { size: readonly [width: Real, height: Real]; values: Readonly<Reals> }
    const area = (box: Box): Real => box.size[0] * box.size[1];
    const k = cuda.kernel((out: Reals, box: Box, count: i32) => {
      const p: Point = { x: 1, y: count };
      out[0] = area(box) + p.x;
      out[1] = box.x + box.y + box.values[1] + p.y;
    });`;
  const values = array(Float32Array.of(10, 20));
  expect(launched(text, { x: 1, y: 2, size: [3, 4], values }, 5)).toEqual([13, 28]);
});

test('a type says what a number is', () => {
  const text =
    'type Count = i64; const k = cuda.kernel((out: DeviceArray<f32>, n: Count) => { out[0] = f32(n + 1n); });';
  expect(launched(text, 5n as never)).toEqual([6, 0]);
});

test('types of the scope where the function is, and of inner ones', () => {
  const text = `
    type T = i32;
    const k = (() => {
      type T = f32;
      return cuda.kernel((out: DeviceArray<T>) => {
        const a: T = 0.5;
        { type T = i32; const b: T = 3; out[1] = b; }
        out[0] = a;
      });
    })();`;
  expect(launched(text)).toEqual([0.5, 3]);
});

test('a helper of another file is known by a declared type of numbers', () => {
  const helper = 'interface P { x: f32 }\nexport const twice = (p: P) => p.x * 2;';
  expect(annotate(helper, { file: 'a.ts', line: 1 }, 'ts')).not.toEqual([]);
  const other = 'interface P { x: string }\nexport const twice = (p: P) => p.x;';
  expect(annotate(`${other}\ntype R = f32;`, { file: 'a.ts', line: 1 }, 'ts')).toEqual([]);
});

const refusals = [
  ['one that is not declared here', '', 'Point', "the type 'Point' is unknown to kernels"],
  ['a type with parameters', 'type Point<T> = { x: T };', 'Point<f32>', "the type 'Point' has parameters"],
  [
    'a type that contains itself',
    'interface Point { x: Point }',
    'Point',
    "the type 'Point' contains itself"
  ],
  [
    'a method',
    'interface Point { x(): f32 }',
    'Point',
    "in the type 'Point': an object type in a kernel has"
  ],
  ['a union', 'type Point = { x: f32 } | f32;', 'Point', "in the type 'Point': this type does not work"]
] as const;

test.each(refusals)('%s is refused where it is used', (_, declared, used, message) => {
  const text = `${declared}\nconst k = cuda.kernel((out: DeviceArray<f32>,\n  p: ${used}) => { out[0] = 1; });`;
  expect(() => launched(text, { x: 1 })).toThrow(message);
  expect(() => launched(text, { x: 1 })).toThrow('cell 5, line 3');
  expect(kernelProblems(text)).toMatchObject([{ range: { start: { line: 2, character: 5 } } }]);
});

test('an editor finds no fault in declared types', () => {
  const text =
    'interface P { x: f32 }\ncuda.kernel((out: DeviceArray<f32>, p: P) => { const q: P = p; out[0] = q.x; });';
  expect(kernelProblems(text)).toEqual([]);
});
