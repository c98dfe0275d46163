/** The types that variables of kernels get. */

import { typesOf } from './lowered.ts';

const PARAMETERS =
  '(x: DeviceArray<f32>, d: DeviceArray<f64>, n: DeviceArray<i32>, u: DeviceArray<u32>, b: DeviceArray<u8>, w: DeviceArray<i64>, h: DeviceArray<f16>, m: DeviceArray<bool>)';
const inside = (body: string): string => `${PARAMETERS} => { const i = cuda.grid(1); ${body} }`;

test.each([
  ['a literal alone is i32', 'let s = 0;', 'i32'],
  ['a fraction alone is f32', 'let s = 0.5;', 'f32'],
  ['1.0 is a fraction', 'let s = 1.0;', 'f32'],
  ['a bigint is i64', 'let s = 1n;', 'i64'],
  ['a comparison is bool', 'let s = i > 0;', 'bool'],
  ['an element of f32', 'let s = x[i];', 'f32'],
  ['an element of f16 computes as f32', 'let s = h[i];', 'f32'],
  ['an element of u8 computes as u32', 'let s = b[i];', 'u32'],
  ['a sum that starts with 0 grows to the type of its terms', 'let s = 0; s += x[i];', 'f32'],
  ['it grows to f64 too', 'let s = 0; s += d[i];', 'f64'],
  ['it grows in a loop', 'let s = 0; for (let j = 0; j < 4; j++) s = s + x[j];', 'f32'],
  ['it grows through another variable', 'let t = 0; let s = 0; for (;;) { s = t; t = x[i]; break; }', 'f32'],
  ['it grows before it is shuffled', 'let s = 0; s += x[i]; s += cuda.shflDown(s, 1);', 'f32'],
  ['it grows after it was shuffled', 'let s = 0; s += cuda.shflDown(s, 1); s += x[i];', 'f32'],
  ['a fraction grows to f64', 'let s = 0.5; s *= d[i];', 'f64'],
  ['an annotation decides', 'let s: f64 = 0; s += x[i];', 'f64'],
  ['i32 and f32 meet in f32', 'let s = i * x[i];', 'f32'],
  ['f32 and f64 meet in f64', 'let s = x[i] * d[i];', 'f64'],
  ['a literal takes the type of the other side', 'let s = u[i] + 1;', 'u32'],
  ['an integer times a fraction is f32', 'let s = i * 0.5;', 'f32'],
  ['>>> gives u32', 'let s = i >>> 1;', 'u32'],
  ['Math.floor of a quotient of integers is an integer', 'let s = Math.floor(i / 2);', 'i32'],
  ['Math.ceil of a quotient of integers is an integer', 'let s = Math.ceil(i / 2);', 'i32'],
  ['Math.floor of a captured fraction is an integer', 'let s = Math.floor(7 / 2);', 'i32'],
  ['| 0 of a quotient of integers is an integer', 'let s = (i / 2) | 0;', 'i32'],
  ['| 0 of a fraction is i32', 'let s = x[i] | 0;', 'i32'],
  ['Math.sqrt of an integer is f32', 'let s = Math.sqrt(i);', 'f32'],
  ['Math.sqrt of f64 is f64', 'let s = Math.sqrt(d[i]);', 'f64'],
  ['Math.min keeps the type', 'let s = Math.min(n[i], 4);', 'i32'],
  ['a cast decides', 'let s = u32(i);', 'u32'],
  ['i64 of a number', 'let s = i64(i);', 'i64'],
  ['a conditional meets', 'let s = i > 0 ? x[i] : 0;', 'f32'],
  ['a length is i32', 'let s = x.length;', 'i32'],
  ['bools', 'let s = m[i] && i > 2;', 'bool'],
  ['popc is i32', 'let s = cuda.popc(u[i]);', 'i32'],
  ['ballot is u32', 'let s = cuda.ballot(i > 0);', 'u32'],
  ['a shuffle keeps the type', 'let s = cuda.shflDown(d[i], 1);', 'f64'],
  ['an atomic returns the type of the element', 'let s = cuda.atomicAdd(n, 0, 1);', 'i32'],
  ['bits of f32 are i32', 'let s = cuda.bits(x[i]);', 'i32']
])('%s', (_, body, expected) => {
  expect(typesOf(inside(body))['s']).toBe(expected);
});

test('a parameter that is a function may have its type, and any is no type', () => {
  const types = typesOf(
    inside(
      'const twice = (f: (v: f32) => f32, v: any) => f(f(v)); let a = twice(v => v * 2, x[i]); let e = twice(v => v, d[i]);'
    )
  );
  expect(types).toMatchObject({ a: 'f32', e: 'f64' });
});

test('a helper is typed for each call', () => {
  const helper = (v: number): number => v * 2;
  const types = typesOf(inside('let a = helper(x[i]); let e = helper(d[i]); let c = helper(i);'), { helper });
  expect(types).toMatchObject({ a: 'f32', e: 'f64', c: 'i32' });
});

test('a helper with several returns', () => {
  const helper = (v: number): number => {
    if (v > 1) return 0;
    return v;
  };
  expect(typesOf(inside('let s = helper(x[i]);'), { helper })['s']).toBe('f32');
});

test('captured numbers are weak, so that they take the type of what they meet', () => {
  expect(typesOf(inside('let s = k * d[i]; let t = k * x[i];'), { k: 2.5 })).toMatchObject({
    s: 'f64',
    t: 'f32'
  });
});

test('objects are taken apart', () => {
  const types = typesOf(
    inside('const p = { a: x[i], b: i }; let s = p.a * p.b; p.b = 4; const { a } = p; const q = [a, 1];')
  );
  expect(types).toMatchObject({ s: 'f32', p_a: 'f32', p_b: 'i32', a: 'f32' });
});
