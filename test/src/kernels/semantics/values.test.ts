/** Objects, lists, closures and captured values in kernels. */

import { array, zeros, type NDArray } from '../../../../src/index.ts';
import { refused } from '../language/lowered.ts';
import { functionOf, kernelOf, type Captured } from '../kernel-of.ts';
import { bothWays } from './both-ways.ts';

test.each([
  ['fields', 'const p = { a: x[0], b: { c: 2 } }; p.a += p.b.c; p.b.c = p.a; y[0] = p.a; y[1] = p.b.c;'],
  [
    'a second name for an object',
    'const q = { a: 1 }; const p = q; p.a = 5; y[0] = q.a; q.a = 6; y[1] = p.a;'
  ],
  ['an object in an object', 'const p = { a: 1 }; const q = { in: p }; q.in.a = 4; y[0] = p.a;'],
  [
    'a helper that changes an object',
    'const swap = p => { const t = p.a; p.a = p.b; p.b = t; }; const p = { a: 1, b: 2 }; swap(p); y[0] = p.a; y[1] = p.b;'
  ],
  [
    'a helper that changes an object each time',
    'const p = { a: 1 }; const f = q => { q.a++; return q.a; }; y[0] = f(p) * 100 + f(p) + p.a;'
  ],
  [
    'a helper that makes an object',
    'const make = (a, b) => { return { a, b }; }; let p = make(1, 2); p = make(p.b, p.a + 5); y[0] = p.a; y[1] = p.b;'
  ],
  [
    'an object in place of another',
    'let p = { a: 1, b: 2 }; p = { a: p.b, b: p.a }; y[0] = p.a; y[1] = p.b;'
  ],
  ['objects taken apart', 'const p = { a: 1, b: 2 }; const { a, b: c } = p; p.a = 5; y[0] = a; y[1] = c;'],
  [
    'a second name for an object, which let declares',
    'let p = { a: x[0], b: 2 }; let q = p; q.a = 7; p.b = 8; y[0] = p.a; y[1] = q.b; y[2] = p.b;'
  ],
  [
    'a second name for an inner object',
    'let p = { in: { a: 1 } }; let q = p.in; q.a = 7; y[0] = p.in.a; p.in.a++; y[1] = q.a;'
  ],
  [
    'a name for an object that gets another one later',
    'let p = { a: 1 }; const q = p; p = { a: 2 }; y[0] = p.a; y[1] = q.a;'
  ],
  [
    'a name that gets another object later',
    'const p = { a: x[0] }; let q = p; y[0] = q.a; q = { a: 3 }; y[1] = p.a; y[2] = q.a;'
  ],
  [
    'a change before a second name',
    'let p = { a: 1 }; p.a = 4; let q = p; q = { a: 9 }; y[0] = p.a; y[1] = q.a;'
  ],
  [
    'the best of several objects',
    'let best = { a: 0, i: 0 }; for (let i = 0; i < 5; i++) { const each = { a: 0, i }; each.a = (x[i] * 7) % 30; if (each.a > best.a) best = each; } y[0] = best.a; y[1] = best.i;'
  ],
  [
    'an object of the caller that its helper replaces',
    'const f = q => { y[0] = q.a; q = { a: 2 }; y[1] = q.a; }; const p = { a: 1 }; f(p); p.a += 4; y[2] = p.a;'
  ],
  [
    'an inner object in place of another, under two names of the outer one',
    'const o = { in: { a: 1 } }; o.in = { a: 4 }; const other = o; y[0] = other.in.a; o.in.a = 6; y[1] = other.in.a;'
  ],
  [
    'a helper that returns an object, which its caller changes',
    'const make = v => { const made = { a: v }; made.a++; return made; }; const p = make(3); p.a *= 5; y[0] = p.a;'
  ],
  [
    'a loop that makes an object anew',
    'let z = { a: 1, b: 2 }; for (let i = 0; i < 3; i++) { const old = z; z = { a: old.b, b: old.a + old.b }; } y[0] = z.a; y[1] = z.b;'
  ],
  ['lists', 'const p = [x[0], x[1]]; p[0] = 3; y[1] = p[0] + p[1] + p.length;'],
  [
    'lists taken apart',
    'const divide = (a, b) => [Math.trunc(a / b), a % b]; const [d, , ] = divide(x[4], 7); const [, r] = divide(x[4], 7); y[0] = d; y[1] = r;'
  ],
  ['variables that change places', 'let a = 1; let b = 2; [a, b] = [b, a]; y[0] = a; y[1] = b;'],
  ['elements that change places', '[y[0], y[1]] = [x[1], x[0]]; [y[1], y[0]] = [y[0], y[1] + 1];'],
  [
    'fields that are assigned from their own object',
    'const p = { a: 1, b: 2 }; ({ a: p.b, b: p.a } = p); y[0] = p.a; y[1] = p.b;'
  ],
  ['a target whose index is assigned before it', 'let i = 0; [i, y[i]] = [1, 9]; y[0] = i;'],
  ['parts left out', 'let a = 0; [, a] = [y[0]++, 5]; y[1] = a;'],
  [
    'numbers of Fibonacci',
    'let a = 0; let b = 1; for (let k = 0; k < 9; k++) [a, b] = [b, a + b]; y[0] = a;'
  ],
  [
    'defaults of a helper',
    'const f = (a, b = a * 2, c = b + 1) => a + b + c; y[0] = f(1); y[1] = f(1, 5); y[0] += f(1, 5, 7) * 100;'
  ],
  ['a list of old values', 'let a = 1; let b = 2; const t = [b, a]; a = t[0]; b = t[1]; y[0] = a; y[1] = b;'],
  [
    'functions in objects',
    'const f = { square: v => v * v, twice(v) { return v * 2; } }; y[0] = f.square(5) + f.twice(1);'
  ],
  [
    'a closure of a parameter',
    'const add = k => v => v + k; const f = add(x[0]); y[0] = f(1); const g = add(2); y[1] = g(f(3));'
  ],
  ['a closure sees later values', 'let k = 1; const f = () => k; k = 5; y[0] = f();'],
  [
    'a closure that counts',
    'let v = x[0]; const next = () => v++; y[0] = next() * 100 + next() * 10 + next();'
  ],
  ['a function as argument', 'const apply = (f, v) => f(f(v)); y[0] = apply(v => v * 3, 2);'],
  [
    'helpers that take arrays',
    'const sum = (a, n) => { let s = 0; for (let i = 0; i < n; i++) s += a[i]; return s; }; y[0] = sum(x, 3); y[1] = sum(y, 1);'
  ],
  [
    'helpers that write arrays',
    'const fill = (a, v) => { for (let i = 0; i < a.length; i++) a[i] = v; }; fill(y, x[1]);'
  ]
])('%s', (_, body) => {
  const { javascript, kernel } = bothWays(body, {
    x: Int32Array.of(10, 20, 30, 40, 50),
    y: new Int32Array(5)
  });
  expect(kernel).toEqual(javascript);
  expect(kernel).not.toEqual([
    [10, 20, 30, 40, 50],
    [0, 0, 0, 0, 0]
  ]);
});

test.each([
  ['a constant object', 'const p = { a: 1 }; p = { a: 2 };', 'p is constant'],
  [
    'an object in a field that another name has',
    'const p = { a: 1 }; const q = { in: p }; q.in = { a: 2 };',
    "'in' stands for an object that has other names too"
  ],
  [
    'an object in a field of an object with two names',
    'const q = { in: { a: 1 } }; const r = q; q.in = { a: 2 }; x[0] = r.in.a;',
    "'in' stands for an object that has other names too"
  ],
  [
    'an object in a field of an object that was assigned',
    'let q = { in: { a: 1 } }; const r = { in: { a: 3 } }; q = r; q.in = { a: 2 }; x[0] = r.in.a;',
    "'in' stands for"
  ],
  [
    'a change through a name that gets another object later',
    'const p = { a: 1 }; let q = p; q.a = 2; q = { a: 3 };',
    "'a' belongs to an object that was assigned to another name"
  ],
  [
    'a change of an object whose copy is in sight',
    'let p = { a: 1 }; const q = p; p.a = 2; p = { a: 3 }; x[0] = q.a;',
    "'a' belongs to"
  ],
  [
    'a change after an assignment',
    'let p = { a: 1 }; const q = { a: 2 }; p = q; q.a++; x[0] = p.a;',
    "'a' belongs to"
  ],
  [
    'a change of an inner object after an assignment',
    'let p = { in: { a: 1 } }; const q = { in: { a: 2 } }; p = q; p.in.a = 1;',
    "'a' belongs to"
  ],
  [
    'a change in an earlier round',
    'let p = { a: 1 }; const q = { a: 2 }; for (let i = 0; i < 3; i++) { q.a = i; p = q; } x[0] = p.a;',
    'the object gets another name here'
  ],
  [
    'a change of what a helper returned by two names',
    'const p = { a: 1 }; const same = q => { return q; }; const r = same(p); r.a = 2; x[0] = p.a;',
    "'a' belongs to"
  ],
  [
    'a change of an object of which a name at the end of its scope had a copy',
    'const p = { a: 1 }; let r = { a: 0 }; { let q = p; r = q; q = { a: 2 }; } p.a = 5; x[0] = r.a;',
    "'a' belongs to"
  ]
])('%s is refused', (_, body, message) => {
  expect(refused(`(x: DeviceArray<f32>) => { ${body} }`).message).toContain(message);
});

/** Runs an expression for each element of f32. */
function each(expression: string, captured: Captured, values: readonly number[] = [1, 2, 3]): unknown {
  const x = array(values, { dtype: 'float32' });
  const text = `(x: DeviceArray<f32>) => { const i = cuda.grid(1); if (i < x.length) x[i] = ${expression}; }`;
  kernelOf(1, text, captured).launch({ grid: 1, block: 32 }, x);
  return x.toNested();
}

test.each([
  ['a number', 'x[i] * k', { k: 2.5 }, [2.5, 5, 7.5]],
  ['a field of an object', 'x[i] * settings.k.scale', { settings: { k: { scale: 3 } } }, [3, 6, 9]],
  ['a list', 'x[i] * list[i]', { list: [10, 20, 30] }, [10, 40, 90]],
  ['an element of a list', 'x[i] * list[2]', { list: [10, 20, 0.5] }, [0.5, 1, 1.5]],
  [
    'a list of lists',
    'x[i] * m[i][1] + m.length + m[0].length',
    {
      m: [
        [1, 2],
        [3, 4],
        [5, 6]
      ]
    },
    [7, 13, 23]
  ],
  ['a typed array', 'x[i] * f64(list[i])', { list: Float64Array.of(0.5, 1.5, 2.5) }, [0.5, 3, 7.5]],
  ['an Int8Array', 'x[i] * list[i]', { list: Int8Array.of(-1, 127, -128) }, [-1, 254, -384]],
  ['bigints', 'x[i] + f32(list[i])', { list: [1n, 2n, 2n ** 40n] }, [2, 4, 2 ** 40]],
  ['booleans', 'list[i] ? x[i] : 0', { list: [true, false, true] }, [1, 0, 3]],
  ['a boolean', 'on ? x[i] : 0', { on: false }, [0, 0, 0]],
  ['a helper', 'twice(x[i])', { twice: (v: number) => v * 2 }, [2, 4, 6]],
  [
    'a helper that captures',
    'scaled(x[i])',
    { scaled: functionOf(1, '(v: f32) => v * k', { k: 4 }) },
    [4, 8, 12]
  ],
  ['a function of Math by another name', 'root(x[i] * x[i])', { root: Math.sqrt }, [1, 2, 3]]
])('captures %s', (_, expression, captured, expected) => {
  expect(each(expression, captured)).toEqual(expected);
});

describe('a captured value that changes between launches', () => {
  let value: unknown;
  const captured = {
    get k() {
      return value;
    }
  };
  const run = (kernel: ReturnType<typeof kernelOf>): unknown => {
    const x: NDArray = zeros(1, { dtype: 'float32' });
    kernel.launch({ grid: 1, block: 1 }, x);
    return x.item();
  };
  const inside = (statement: string): ReturnType<typeof kernelOf> =>
    kernelOf(1, `(x: DeviceArray<f32>) => { ${statement} }`, captured);

  test.each([
    ['a number', 'x[0] = k;', [2, 7.5, 2], [2, 7.5, 2]],
    ['a number in a rounded quotient', 'x[0] = Math.floor((x[0] + 8) / k);', [2, 4], [4, 2]],
    ['a number in a truncated sum', 'x[0] = (k + x[0] * 2) | 0;', [2, 4], [2, 4]],
    ['NaN', 'x[0] = k === k ? 1 : 2;', [1, NaN, NaN], [1, 2, 2]],
    ['a boolean', 'x[0] = k ? 1 : 2;', [true, false], [1, 2]],
    ['a helper', 'x[0] = k(2);', [(v: number) => v * 2, (v: number) => v * 3], [4, 6]],
    ['a list', 'x[0] = k[0] + k.length;', [[1], [2, 3]], [2, 4]]
  ])('%s', (_, statement, values, expected) => {
    const kernel = inside(statement);
    const results = values.map(each => {
      value = each;
      return run(kernel);
    });
    expect(results).toEqual(expected);
  });

  test('the elements of a list', () => {
    const list = [1, 2];
    value = list;
    const kernel = inside('x[0] = k[1];');
    expect(run(kernel)).toBe(2);
    list[1] = 9;
    expect(run(kernel)).toBe(9);
  });
});
