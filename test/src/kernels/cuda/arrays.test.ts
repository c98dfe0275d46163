/** Elements, memory, tables and parameters as CUDA C++. */

import type { Expression, Program, Table } from '../../../../src/kernels/program/program.ts';
import { ELEMENTS, type ElementType } from '../../../../src/kernels/program/types.ts';
import * as b from '../machine/build-program.ts';
import { bodyOf, emit, inside, named, variable } from './emitting.ts';

describe('arrays', () => {
  const i = named('i', 'i32');
  const j = named('j', 'i32');

  test.each<{ name: string; facts: object; index: readonly Expression[]; text: string }>([
    { name: 'one axis', facts: {}, index: [i], text: 'x[i]' },
    { name: 'two axes', facts: { rank: 2 }, index: [i, j], text: 'x[i * x_length1 + j]' },
    { name: 'strides', facts: { contiguous: false }, index: [i], text: 'x[i * x_stride]' },
    {
      name: 'strides of two axes, which may be negative',
      facts: { rank: 2, contiguous: false },
      index: [b.add(i, 1), b.tid],
      text: 'x[(i + 1) * x_stride0 + (int)threadIdx.x * x_stride1]'
    },
    {
      name: 'signed sums, so that addresses are stepped',
      facts: {},
      index: [b.add(b.multiply(i, 3), j)],
      text: 'x[i * 3 + j]'
    },
    { name: 'a thread', facts: {}, index: [b.globalId], text: 'x[blockIdx.x * blockDim.x + threadIdx.x]' },
    {
      name: 'beside a thread',
      facts: {},
      index: [b.binary('subtract', b.tid, i)],
      text: 'x[(int)threadIdx.x - i]'
    },
    {
      name: 'sums that wrap before they are an index',
      facts: {},
      index: [b.binary('and', b.multiply(i, 3), b.constant('i32', 7))],
      text: 'x[(int)(i * 3u & 7)]'
    }
  ])('$name', ({ facts, index, text }) => {
    const at = b.builder();
    const x = at.array('x', 'f32', facts);
    expect(bodyOf([b.store(x, index, b.f32(1))], at)).toEqual([`${text} = 1.0f;`]);
  });

  test.each<[ElementType, string, string, string]>([
    ['bool', 'unsigned char', 'x[i] != 0', 'x[i] = v'],
    ['i8', 'signed char', '(int)x[i]', 'x[i] = v'],
    ['u8', 'unsigned char', '(unsigned)x[i]', 'x[i] = v'],
    ['i16', 'short', '(int)x[i]', 'x[i] = v'],
    ['u16', 'unsigned short', '(unsigned)x[i]', 'x[i] = v'],
    ['f16', 'unsigned short', 'fromF16(x[i])', 'x[i] = toF16(v)'],
    ['bf16', 'unsigned short', 'fromBf16(x[i])', 'x[i] = toBf16(v)'],
    ['i64', 'long long', 'x[i]', 'x[i] = v'],
    ['u64', 'unsigned long long', 'x[i]', 'x[i] = v'],
    ['f64', 'double', 'x[i]', 'x[i] = v']
  ])('elements of %s', (element, type, loaded, stored) => {
    const at = b.builder();
    const x = at.array('x', element);
    const v = variable('v', ELEMENTS[element].value);
    const text = emit([b.declare(v, b.load(x, i)), b.store(x, i, b.use(v))], at);
    expect(text).toContain(`(${type}* x, int x_length)`);
    expect(inside(text)[0]).toMatch(/ v = /);
    expect(inside(text).map(line => line.replace(/^.* v = /, ''))).toEqual([`${loaded};`, `${stored};`]);
  });

  test('arguments stand in the order of the launch', () => {
    const parameters: Program['parameters'] = [
      {
        kind: 'array',
        name: 'x',
        element: 'f32',
        rank: 2,
        contiguous: false,
        wide: true,
        readOnly: true,
        restrict: true
      },
      { kind: 'scalar', name: 'flag', type: 'bool' },
      {
        kind: 'array',
        name: 'y',
        element: 'i8',
        rank: 1,
        contiguous: true,
        wide: false,
        readOnly: false,
        restrict: false
      }
    ];
    expect(emit([], b.builder(), { parameters })).toBe(`extern "C" __global__ void kernel(
    const float* __restrict__ x,
    long long x_length0,
    long long x_length1,
    long long x_stride0,
    long long x_stride1,
    bool flag,
    signed char* y,
    int y_length) {
}
`);
  });

  test('shared, local and dynamic memory', () => {
    const at = b.builder();
    const tile = at.shared('tile', 'f16', 4, 5);
    const own = at.local('own', 'i64', 3);
    const [all, same] = [at.shared('all', 'f32'), at.shared('same', 'u8')];
    const length = variable('n', 'i32');
    const body = [
      b.store(tile, [1, i], b.f32(2)),
      b.store(own, 1, b.constant('i64', 5n)),
      b.store(all, i, b.f32(1)),
      b.store(same, 0, b.constant('u32', 1)),
      b.assign(length, b.extent(all))
    ];
    expect(bodyOf(body, at)).toEqual([
      'extern __shared__ __align__(16) unsigned char dynamicMemory[];',
      '__shared__ unsigned short tile[4][5];',
      'long long own[3];',
      'float* all = (float*)dynamicMemory;',
      'unsigned char* same = (unsigned char*)dynamicMemory;',
      'tile[1][i] = toF16(2.0f);',
      'own[1] = 5ll;',
      'all[i] = 1.0f;',
      'same[0] = 1u;',
      'n = dynamicBytes() / 4u;'
    ]);
  });

  test.each<[ElementType, Table['values'], string]>([
    [
      'f32',
      [0.1, NaN, Infinity, -Infinity, -0],
      'const float table[5] = {0.1f, 0.0f / 0.0f, 1.0f / 0.0f, -1.0f / 0.0f, -0.0f};'
    ],
    ['f64', [1e39, -Infinity], 'const double table[2] = {1e+39, -1.0 / 0.0};'],
    ['bool', [true, false], 'const unsigned char table[2] = {1, 0};'],
    ['i64', [-1n], 'const long long table[1] = {-1ll};'],
    ['u8', [255], 'const unsigned char table[1] = {255};'],
    ['f16', [1, -2], 'const unsigned short table[2] = {15360, 49152};'],
    ['bf16', [1, -2], 'const unsigned short table[2] = {16256, 49152};'],
    ['i32', [], 'const int table[1] = {};']
  ])('a table of %s', (element, values, text) => {
    const at = b.builder();
    at.table(element, values);
    expect(emit([], at)).toContain(`static __constant__ ${text}\n`);
  });

  test('tables that constant memory cannot hold stand in the memory of the device', () => {
    const at = b.builder();
    at.table(
      'f64',
      Array.from({ length: 8193 }, () => 0)
    );
    expect(emit([], at)).toMatch(/^static __device__ const double table\[8193\] = /m);
  });
});
