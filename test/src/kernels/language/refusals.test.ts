/** What the language of kernels refuses: each with its position, its reason and what to write instead. */

import { KernelError } from '../../../../src/base/errors.ts';
import { lowered, refused } from './lowered.ts';

const inside = (body: string): string =>
  `(x: DeviceArray<f32>, n: DeviceArray<i32>, u: DeviceArray<u32>, r: Readonly<DeviceArray<f32>>, m: DeviceArray<f32, 2>, w: DeviceArray<i64>) => {\n  const i = cuda.grid(1);\n  ${body}\n}`;

test.each([
  ['a quotient of integers', 'n[i] = n[i] / 2;', "'/' on two integers", 'Math.trunc'],
  ['i32 with u32', 'n[i] = n[i] + u[i];', 'different signs', ''],
  ['a fraction in an integer', 'n[i] = x[i];', 'a fraction (f32) in i32', ''],
  ['a fraction in a typed variable', 'const k: i32 = 0.5;', 'a fraction (f32) in i32', ''],
  ['a bigint with a number', 'w[i] = w[i] + 1;', 'bigint', ''],
  ['a number as condition', 'if (i) x[i] = 1;', 'a condition must be a boolean, found i32', 'x !== 0'],
  ['a fraction as index', 'x[x[i]] = 1;', 'an index must be an integer, found f32', 'i32(x)'],
  ['too many indices', 'x[i][0] = 1;', 'a number has no elements', 'fewer axes'],
  ['too many indices in a read', 'x[i] = m[i][i][0];', 'a number has no elements', 'fewer axes'],
  ['too few indices', 'm[i] = 1;', 'm has 2 axes, found 1 index', 'write m[i][j]'],
  ['an index of an atomic', 'cuda.atomicAdd(m, i, 1);', 'm has 2 axes, found 1 index', 'write [i, j]'],
  ['an array as number', 'x[i] = m[i];', 'expected a number, found an array', ''],
  ['writing a Readonly array', 'r[i] = 1;', 'r is read only', 'without Readonly'],
  ['assigning a const', 'const a = i + 1; a = 2;', 'a is constant', 'let'],
  ['an unknown name', 'x[i] = nosuch;', 'nosuch is not defined', ''],
  ['an unknown type', 'let a: Thing = 1;', "the type 'Thing' is unknown to kernels", 'f32'],
  ['var', 'var a = 1;', "'var' does not work", 'const or let'],
  ['for of', 'for (const a of [1, 2]) x[i] = a;', "'for … of' does not work", ''],
  ['try', 'try { x[i] = 1; } catch {}', "'try' does not work", ''],
  ['throw', 'throw 1;', "'throw' does not work", ''],
  ['new', 'const a = new Float32Array(4);', "'new' does not work", ''],
  ['await', 'await x;', 'Unexpected token', ''],
  ['a template', 'const a = `${i}`;', 'text works only in console.log', ''],
  ['a spread', 'x[i] = Math.max(...[1, 2]);', "'...' does not work", ''],
  ['?.', 'x[i] = m?.length;', "'?.' does not work", ''],
  ['??', 'x[i] = x[i] ?? 1;', "'??' does not work", ''],
  ['a list type', 'let a: number[] = [1];', 'a list type does not work', 'DeviceArray<f32>'],
  ['a method of lists', 'const a = [1, 2]; a.push(3);', "a list in a kernel has no 'push'", 'cuda.local'],
  ['an element that a list lacks', 'const a = [1, 2]; x[i] = a[2];', 'the list has no element 2', ''],
  ['text that is added', "console.log('a' + x[i]);", 'found the text "a"', ''],
  ['formats of printf', "console.log('thread %d', i);", 'has no formats', '${i}'],
  ['an object that is logged', 'console.log({ i });', 'expected a number or a text, found an object', ''],
  [
    'a helper with too many arguments',
    'const f = (a, b = 1) => a; f(1, 2, 3);',
    'takes 1 to 2 arguments',
    ''
  ],
  ['a helper with too few arguments', 'const f = (a, b) => a; f(1);', 'takes 2 arguments, found 1', ''],
  ['a helper that is async', 'const f = async a => a; f(1);', 'which kernels cannot call', ''],
  ['parts of different numbers', '[n[0], n[1]] = [1];', 'the list has no element 1; its length is 1', ''],
  ['parts of a number', 'let a = 1; [a] = i;', 'only objects and lists can be taken apart', ''],
  ['debugger', 'debugger;', 'this statement does not work', ''],
  ['undefined', 'x[i] = undefined;', 'undefined has no value in a kernel', ''],
  ['a break without a loop', 'break;', 'Unsyntactic break', ''],
  ['a result', 'return 1;', 'a kernel returns nothing', ''],
  ['Math.random', 'x[i] = Math.random();', 'no sequence in a kernel', 'cuda.random'],
  [
    'a function of JavaScript',
    'x[i] = parseInt(i);',
    'parseInt does not work in kernels',
    'before the launch'
  ],
  [
    'a method of JavaScript',
    'x[i] = performance.now();',
    'performance.now does not work',
    'before the launch'
  ],
  [
    'a length that is not known',
    'const s = cuda.shared(f32, i);',
    'a length must be a whole number',
    'constant'
  ],
  [
    'shared memory that no block has',
    'const s = cuda.shared(f32, 1e6);',
    '4000000 bytes of shared memory; there are at most 232448',
    'smaller'
  ],
  [
    'local memory that no thread has',
    'const s = cuda.local(f64, 1e6, 1e6);',
    '8000000000000 bytes of local memory',
    'smaller'
  ],
  [
    'an operand of CUDA C++ that is not there',
    "x[i] = cuda.native(f32, '$0 + $1', [1], 2);",
    'the text has $1, but 1 operand',
    '$0'
  ],
  ['a type that is none', 'const s = cuda.shared(4, 4);', 'expected a number type', 'f32'],
  ['an atomic on f16', 'cuda.atomicAdd(h, 0, 1);', 'h is not defined', ''],
  ['too few arguments', 'x[i] = cuda.fma(1, 2);', 'takes 3 arguments, found 2', ''],
  ['a field that is not there', 'const p = { a: 1 }; x[i] = p.b;', "there is no field 'b'", ''],
  ['a constant that does not fit', 'u[i] = -1;', '-1 does not fit u32', ''],
  ['an array that changes its name', 'let a = x; a = r;', 'a name of an array never changes', 'const'],
  ['bits of a fraction', 'n[i] = x[i] & 1;', 'an operator on bits needs integers', 'i32(x)'],
  ['& of two conditions with numbers', 'n[i] = (i > 1) + 1;', 'a boolean and a number', '']
])('%s', (_, body, message, hint) => {
  const error = refused(inside(body));
  expect(error).toBeInstanceOf(KernelError);
  expect(error.message).toContain(message);
  expect((error as KernelError).hint).toContain(hint);
  expect((error as KernelError).place.line).toBe(3);
});

test.each([
  ['cuda.syncthreads()', 'did you mean cuda.syncThreads?'],
  ['cuda.__syncthreads()', 'did you mean cuda.syncThreads?'],
  ['cuda.atomic.add(x, 0, 1)', 'did you mean cuda.atomicAdd?'],
  ['cuda.shfl_down_sync(1, 2)', 'did you mean cuda.shflDown?'],
  ['cuda.grid_sync()', 'did you mean cuda.gridSync?'],
  ['cuda.gridDimm.x', 'did you mean cuda.gridDim?'],
  ['cuda.popcount(1)', 'did you mean cuda.popc?'],
  ['cuda.threadIdx.w', 'cuda.threadIdx has x, y, z'],
  ['cuda.qwertyuiop', ''],
  ['Math.sine(1)', 'did you mean Math.sin?'],
  ['__syncthreads()', 'write cuda.syncThreads'],
  ['threadIdx.x', 'write cuda.threadIdx'],
  ['laneid', 'write cuda.laneId'],
  ['qwertyuiop', '']
])('%s is not defined: %p', (wrong, hint) => {
  const error = refused(inside(`${wrong};`)) as KernelError;
  expect(error.message).toContain('is not defined');
  expect(error.hint).toBe(hint);
});

test.each([
  ['an array of a device', { __cuda_array_interface__: {} }, 'pass it to the launch'],
  ['lists of different lengths', [[1], [1, 2]], 'different lengths'],
  ['undefined', undefined, 'given is undefined'],
  ['null', null, 'given, which has no value in a kernel'],
  ['a text', 'abc', 'found the text "abc"'],
  ['a function', () => 1, 'found the function given: call it'],
  ['a list without elements', [], 'found given']
])('a captured value is named where it is used: %s', (_, given, message) => {
  const error = refused('(x: DeviceArray<f32>) => {\n  const i = 1;\n  x[i] = i + given;\n}', { given });
  expect(error.message).toContain(message);
  expect((error as KernelError).place.line).toBe(3);
});

test.each([
  ['given[0] = 1;', { given: [1, 2] }, 'a captured list is constant'],
  ['given = 1;', { given: 2 }, 'captured values are read only'],
  ['r[0] = 1;', {}, 'without Readonly']
])('%s writes what is read only', (body, captured, hint) => {
  const error = refused(`(r: Readonly<DeviceArray<f32>>) => { ${body} }`, captured);
  expect((error as KernelError).hint).toContain(hint);
});

test('the message has the place, the line and a caret', () => {
  const error = refused(inside('n[i] = n[i] / 2;')) as KernelError;
  expect(error.place).toEqual({ file: 'cell 1', line: 3, column: 9, length: 8 });
  expect(error.message.split('\n').slice(1, 3)).toEqual(['  3 | n[i] = n[i] / 2;', '             ~~~~~~~~']);
});

test('a helper that calls itself, at once or through another', () => {
  const source =
    '(x: DeviceArray<f32>) => { const f = (v: f32) => g(v); function g(v: f32) { return f(v); } x[0] = f(1); }';
  expect(refused(source).message).toContain('calls itself');
});

test('an array that is captured', () => {
  const x = { __cuda_array_interface__: {} };
  expect(refused('() => { x[0] = 1; }', { x }).message).toContain('pass it to the launch as an argument');
});

test('captured values are read again to see changes', () => {
  let k = 2;
  const captured = {
    get k() {
      return k;
    }
  };
  const { captures } = lowered('(x: DeviceArray<f32>) => { x[0] = k; }', captured);
  expect(captures.map(({ value }) => value)).toContain(2);
  k = 3;
  expect(captures.map(({ read }) => read())).toContain(3);
});
