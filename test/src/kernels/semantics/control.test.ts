/** Loops, jumps, switch and helpers in kernels do what they do in JavaScript. */

import { bothWays } from './both-ways.ts';

test.each([
  ['two counters', 'for (let i = 0, j = 10; i < j; i++, j--) y[0] += i * j;'],
  ['a loop without a body', 'let s = 0; for (const i = 5; s < 20; s += i); y[0] = s;'],
  ['a loop without a condition', 'let i = 0; for (;;) { if (i >= 3) break; y[i] = ++i; }'],
  ['a variable of its own in each round', 'let i = 0; while (i < 3) { const j = i; i++; y[j] = i; }'],
  [
    'continue goes to the update',
    'for (let i = 0; i < 5; i++) { if (i === 1) continue; if (i === 4) break; y[i] = i + 1; }'
  ],
  [
    'continue in do … while goes to the condition',
    'let k = 0; do { k++; if (k === 2) continue; y[0] += k; } while (k < 5);'
  ],
  [
    'do … while with a condition that counts',
    'let k = 0; do { if (k === 2) continue; y[0] += k; } while (k++ < 5); y[1] = k;'
  ],
  [
    'labels',
    'outer: for (let i = 0; i < 5; i++) { for (let j = 0; j < 5; j++) { if (j === 3) continue outer; if (i === 3) break outer; y[i] += j + 1; } }'
  ],
  [
    'a label of while',
    'outer: while (true) { let n = 0; for (;;) { n++; if (n > 3) break outer; y[0]++; } }'
  ],
  [
    'two labels',
    'a: for (let i = 0; i < 3; i++) b: for (let j = 0; j < 3; j++) for (let k = 0; k < 3; k++) { if (k > i) continue b; if (j > i) continue a; y[i] += 1; }'
  ],
  [
    'a label around do … while',
    'a: for (let i = 0; i < 3; i++) { do { if (i === 1) continue a; y[i] = 5; } while (false); y[i]++; }'
  ],
  [
    'switch with fallthrough and continue',
    'for (let i = 0; i < 5; i++) switch (i) { case 0: y[0] = 1; case 1: y[1] += 10; break; case 2: y[2] = 5; continue; default: y[4] += i; }'
  ],
  [
    'switch with shared cases and a break inside',
    'for (let i = 0; i < 5; i++) { switch (x[i]) { case 10: case 20: y[i] = 1; break; case 30: { if (x[0] > 0) break; y[i] = 9; } default: y[i] = 2; } y[i] += 100; }'
  ],
  ['switch without a match', 'switch (x[0]) { case 1: y[0] = 1; } switch (x[0]) { default: y[1] = 4; }'],
  [
    'a variable of a switch that the next case uses',
    'let a = 0; switch (x[0]) { case 10: let b = 3; a = b; case 11: b = 4; a += b; } y[0] = a;'
  ],
  [
    'variables of a case in later cases, from memory, a constant and an atomic operation',
    'const add = (c, at, v) => { const old = c[at]; c[at] += v; return old; }; for (let i = 0; i < 5; i++) switch (i % 3) { case 0: let a = x[i]; const old = add(y, 4, 1); let b = old * 2; case 1: if (i % 3 === 0) y[i] = a + b; break; default: y[i] = 7; }'
  ],
  [
    'break of a loop inside a switch',
    'switch (x[0]) { case 10: for (let i = 0; i < 5; i++) { if (i === 2) break; y[i] = 1; } y[4] = 7; break; default: y[3] = 1; }'
  ],
  [
    'a switch in a loop in a switch',
    'switch (x[0]) { case 10: for (let i = 0; i < 5; i++) { switch (i) { case 1: continue; case 3: break; default: y[i] = i + 1; } y[i] += 10; } }'
  ],
  [
    'returns from loops',
    'const f = v => { for (let i = 0; i < 5; i++) { if (x[i] === v) return i; for (;;) { if (x[i] > 25) return 100 + i; break; } } return -1; }; y[0] = f(20); y[1] = f(50); y[2] = f(7); y[3] = f(10);'
  ],
  [
    'returns from a switch in a loop',
    'const f = v => { do { switch (v) { case 1: return 11; case 2: break; default: v = 1; continue; } return 22; } while (v > 0); return 33; }; y[0] = f(1); y[1] = f(2); y[2] = f(3); y[3] = f(-1);'
  ],
  [
    'returns from several cases',
    'const f = v => { switch (v) { case 0: return 5; case 1: case 2: return 6; } return 7; }; for (let i = 0; i < 4; i++) y[i] = f(i);'
  ],
  [
    'a helper with returns, in a loop with break',
    'let s = 0; for (let i = 0; i < 5; i++) { const f = v => { if (v > 2) return v * 2; return v; }; s += f(i); if (s > 8) break; } y[0] = s;'
  ],
  [
    'a return from nested loops without conditions',
    'const f = v => { while (true) { v += 3; if (v > 10) { for (let j = 0; ; j++) if (j > 3) return v * j; } } }; y[0] = f(1);'
  ],
  [
    'a helper without a result',
    'const f = v => { if (v > 0) { y[0] = 1; return; } y[1] = 2; }; f(1); f(-1);'
  ],
  [
    'helpers that call helpers',
    'function f(a) { return g(a) + 1; } function g(a) { return a * 2; } y[0] = f(4);'
  ],
  [
    'a helper that assigns to its parameter',
    'const f = a => { a = a + 1; return a; }; let a = 1; y[0] = f(a); y[1] = a;'
  ],
  ['else belongs to the nearest if', 'if (x[0] > 5) if (x[1] > 50) y[0] = 1; else y[0] = 2;'],
  ['empty statements', 'if (x[0] === 10) ; else y[0] = 1; ;; y[1] = 1;'],
  [
    'names in inner blocks',
    'let a = 1; { let a = 2; a++; y[0] = a; } y[1] = a; for (let a = 7; a < 8; a++) y[2] = a; y[3] = a;'
  ],
  ['an early return of the kernel', 'y[0] = 1; if (x[0] > 5) return; y[1] = 1;'],
  [
    'a return of the kernel from loops',
    'for (let i = 0; ; i++) for (let j = 0; ; j++) { if (i * j > 4) return; y[0]++; if (j > 5) break; }'
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
