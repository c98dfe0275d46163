/** The order of evaluation in kernels is that of JavaScript. */

import { bothWays } from './both-ways.ts';

test.each([
  ['an index with an effect before the value', 'let i = 0; x[i++] = i; x[i++] = i; y[0] = i;'],
  ['an index that counts first', 'let i = 0; x[++i] = i;'],
  ['assignments in a chain', 'let a = 0; let b = 0; a = b = x[1]; y[0] = a; y[1] = b;'],
  ['assignments of elements in a chain', 'x[0] = x[1] = x[2] + 1; y[0] = x[0];'],
  ['an assignment behind its variable', 'let i = 1; y[0] = i + (i = 3); y[1] = i;'],
  ['an assignment before its variable', 'let i = 1; y[0] = (i = 3) + i;'],
  ['counting several times', 'let i = 1; y[0] = i++ + i++ * i; y[1] = i;'],
  ['counting down on both sides', 'let i = 1; y[0] = i-- - --i; y[1] = i;'],
  [
    'counting and assigning one variable',
    'let i = 1; i = i++ + 1; y[0] = i; i += i++; y[1] = i; i = i + i++ + i; y[2] = i;'
  ],
  ['a call before the element that it writes', 'const f = () => { x[0] = 7; return 1; }; y[0] = f() + x[0];'],
  ['a call behind the element that it writes', 'const f = () => { x[0] = 7; return 1; }; y[0] = x[0] + f();'],
  ['a call in an index', 'const f = () => { x[0] = 7; return 1; }; y[f()] = x[0];'],
  ['a call behind an index that it changes', 'const f = () => { x[0] = 7; return 1; }; y[x[0] - 10] = f();'],
  ['+= of an element with a call', 'const f = () => { x[0] = 7; return 1; }; x[0] += f();'],
  ['+= with a call in the index', 'const f = () => { x[0] = 7; return 2; }; x[f()] += x[0];'],
  ['+= of a variable with a call', 'let a = 1; const f = () => { a = 5; return 2; }; a += f(); y[0] = a;'],
  [
    '+= of a variable with itself',
    'const f = () => { x[0] = 7; return 2; }; let a = x[0]; a += f() + a; y[0] = a;'
  ],
  ['+= with an index that changes', 'let i = 0; x[i] += (i = 2); y[0] = i;'],
  ['an index before a call that changes it', 'let a = 1; const f = () => { a = 5; return 2; }; y[a] = f();'],
  [
    'a variable on both sides of a call',
    'let a = 1; const f = () => { a = 5; return 2; }; y[0] = a * f() + a;'
  ],
  [
    'arguments with effects',
    'let a = 1; const f = (p, q) => p * 10 + q; y[0] = f(a, a = 4); y[1] = f(a++, a); y[2] = f(a, a++);'
  ],
  [
    'arguments of a known function',
    'let f = 0; const g = v => { f = f * 10 + v; return v; }; y[0] = Math.max(g(1), f, g(2), f);'
  ],
  [
    'calls from left to right',
    'let f = 0; const g = v => { f = f * 10 + v; return v; }; y[g(1)] = g(2) + g(3); y[0] = f;'
  ],
  ['the value of an assigned element', 'let i = 0; let j = 0; y[0] = (x[i] = x[j] + 1); y[1] = x[0];'],
  ['the value of += on an element', 'y[0] = (x[0] += 5) + x[0];'],
  ['the value of ++ on an element', 'y[0] = x[0]++ + x[0]; y[1] = ++x[0] * 2; y[2] = x[0]--; y[3] = x[0];'],
  ['a comma', 'let i = 1; const a = (i++, i++, i); y[0] = a;'],
  [
    '&& and || with effects',
    'let n = 0; const f = () => { n++; return true; }; const g = () => { n += 10; return false; }; y[0] = (g() && f()) ? 1 : 0; y[1] = n; y[2] = (f() || g()) ? 1 : 0; y[3] = n;'
  ],
  [
    '&& with an assignment',
    'let n = 0; y[0] = x[0] > 5 && (n = 3) > 2 ? n : 0; y[1] = n; y[2] = x[0] > 50 && (n = 9) > 2 ? 1 : n;'
  ],
  [
    'a conditional with calls',
    'let n = 0; const f = v => { n += v; return n; }; y[0] = x[0] > 5 ? f(1) : f(100); y[1] = x[0] > 15 ? f(1) : f(100); y[2] = n;'
  ],
  ['a conditional with assignments', 'const a = x[0] > 5 ? (y[0] = 3) : (y[1] = 4); y[2] = a;'],
  ['a conditional for its effects', 'x[0] > 5 ? y[0]++ : y[1]++;'],
  ['conditionals in conditionals', 'y[0] = x[0] > 5 ? x[1] > 50 ? 1 : 2 : 3;'],
  ['a condition with effects', 'let n = 0; for (let i = 0; (n += 2) < 7; i += 1, n--) y[i] = n;'],
  ['a condition that counts', 'let n = 5; while (n-- > 0 && n !== 2) y[n] = n;'],
  [
    'a condition with a call',
    'let n = 5; const f = () => { n--; return n; }; for (let i = 0; i < f(); i++) y[i] = n;'
  ],
  [
    'fields from left to right',
    'let f = 1; const g = () => { f = 9; return 1; }; const p = { a: f, b: g() }; y[0] = p.a;'
  ],
  [
    'elements of a list from left to right',
    'let f = 1; const g = () => { f = 9; return 1; }; const p = [f, g()]; y[0] = p[0];'
  ],
  [
    'fields of fields',
    'let f = 1; const g = () => { f = 9; return 1; }; const p = { q: { a: f }, b: g() }; y[0] = p.q.a;'
  ],
  [
    'an object that a later argument changes',
    'const o = { v: 1 }; const set = () => { o.v = 8; return { v: 2 }; }; const f = (a, b) => a.v * 10 + b.v; y[0] = f(o, set());'
  ],
  [
    'a field before a call that changes it',
    'const o = { v: 1 }; const set = () => { o.v = 8; return 1; }; y[0] = o.v + set(); y[1] = o.v;'
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
