/** Kernels as CUDA C++: whole texts, names, temporaries. */

import { kernelName } from '../../../../src/kernels/cuda/names.ts';
import type { Statement, Variable } from '../../../../src/kernels/program/program.ts';
import * as b from '../machine/build-program.ts';
import { bodyOf, emit, increment, named, variable } from './emitting.ts';

describe('whole kernels', () => {
  test('a loop over a grid', () => {
    const at = b.builder('saxpy');
    const x = at.array('x', 'f32', { readOnly: true });
    const y = at.array('y', 'f32');
    const a = at.scalar('a', 'f32');
    const [start, step, i, factor] = [
      variable('', 'i32'),
      variable('', 'i32'),
      variable('i', 'i32'),
      variable('a', 'f32')
    ];
    const sum = b.add(b.multiply(b.use(factor), b.load(x, b.use(i))), b.load(y, b.use(i)));
    const text = emit(
      [
        b.declare(factor, a),
        b.declare(start, b.globalId),
        b.declare(step, b.multiply(b.special('gridDim.x'), b.special('blockDim.x'))),
        b.declare(i, b.use(start)),
        b.loop(1, b.less(b.use(i), b.extent(y)), [b.store(y, b.use(i), sum)], [increment(i, b.use(step))])
      ],
      at
    );
    expect(text)
      .toBe(`extern "C" __global__ void saxpy(const float* x, int x_length, float* y, int y_length, float a) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < y_length; i += (int)(gridDim.x * blockDim.x)) {
    y[i] = a * x[i] + y[i];
  }
}
`);
  });

  test('a product of matrices in tiles of shared memory', () => {
    const at = b.builder('matmul');
    const [x, y, out] = ['x', 'y', 'out'].map(name => at.array(name, 'f32', { rank: 2 })) as [
      b.BuiltArray,
      b.BuiltArray,
      b.BuiltArray
    ];
    const [left, right] = [at.shared('left', 'f32', 16, 16), at.shared('right', 'f32', 16, 16)];
    const [tx, ty, row, column, k, j] = ['tx', 'ty', 'row', 'column', 'k', 'j'].map(name =>
      variable(name, 'i32')
    ) as [Variable, Variable, Variable, Variable, Variable, Variable];
    const sum = variable('sum', 'f32');
    const product = b.multiply(b.load(left, b.use(ty), b.use(j)), b.load(right, b.use(j), b.use(tx)));
    const text = emit(
      [
        b.declare(tx, b.tid),
        b.declare(ty, b.special('threadIdx.y')),
        b.declare(column, b.add(b.multiply(b.special('blockIdx.x'), 16), b.use(tx))),
        b.declare(row, b.add(b.multiply(b.special('blockIdx.y'), 16), b.use(ty))),
        b.declare(sum, b.f32(0)),
        b.declare(k, 0),
        b.loop(
          1,
          b.less(b.use(k), b.extent(x, 1)),
          [
            b.store(left, [b.use(ty), b.use(tx)], b.load(x, b.use(row), b.add(b.use(k), b.use(tx)))),
            b.store(right, [b.use(ty), b.use(tx)], b.load(y, b.add(b.use(k), b.use(ty)), b.use(column))),
            b.barrier(),
            b.declare(j, 0),
            b.loop(2, b.less(b.use(j), 16), [b.assign(sum, b.add(b.use(sum), product))], [increment(j)]),
            b.barrier()
          ],
          [increment(k, 16)]
        ),
        b.store(out, [b.use(row), b.use(column)], b.use(sum))
      ],
      at
    );
    expect(text).toBe(`extern "C" __global__ void matmul(
    float* x,
    int x_length0,
    int x_length1,
    float* y,
    int y_length0,
    int y_length1,
    float* out,
    int out_length0,
    int out_length1) {
  __shared__ float left[16][16];
  __shared__ float right[16][16];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int column = blockIdx.x * 16 + tx;
  int row = blockIdx.y * 16 + ty;
  float sum = 0.0f;
  for (int k = 0; k < x_length1; k += 16) {
    left[ty][tx] = x[row * x_length1 + (k + tx)];
    right[ty][tx] = y[(k + ty) * y_length1 + column];
    __syncthreads();
    for (int j = 0; j < 16; j += 1) {
      sum += left[ty][j] * right[j][tx];
    }
    __syncthreads();
  }
  out[row * out_length1 + column] = sum;
}
`);
  });

  test('leaves two loops at once, and goes on with the outer one', () => {
    const at = b.builder('find');
    const x = at.array('x', 'i32');
    const [i, j] = [variable('i', 'i32'), variable('j', 'i32')];
    const when = (value: number, ...jump: Parameters<typeof b.leave>): Statement =>
      b.when(b.equal(b.load(x, b.use(j)), value), [b.leave(...jump)]);
    const jumps = [when(1, 1), when(2, 1, 'next'), when(3, 2), when(4, 2, 'next'), when(5, 0)];
    const inner = b.loop(2, b.less(b.use(j), 9), [...jumps, b.store(x, b.use(i), b.use(j))], [increment(j)]);
    const outer = b.loop(1, b.less(b.use(i), 9), [b.declare(j, 0), inner], [increment(i)]);
    expect(emit([b.declare(i, 0), outer, b.barrier()], at))
      .toBe(`extern "C" __global__ void find(int* x, int x_length) {
  for (int i = 0; i < 9; i += 1) {
    {
      for (int j = 0; j < 9; j += 1) {
        if (x[j] == 1) goto end_1;
        if (x[j] == 2) goto next_1;
        if (x[j] == 3) break;
        if (x[j] == 4) continue;
        if (x[j] == 5) return;
        x[i] = j;
      }
    }
    next_1:;
  }
  end_1:;
  __syncthreads();
}
`);
  });
});

describe('temporaries', () => {
  const at = b.builder();
  const x = at.array('x', 'i32');
  const i = named('i', 'i32');
  const out = variable('out', 'i32');

  test('stand where they are read, if that is once and nothing can change them', () => {
    const t = variable('', 'i32');
    expect(bodyOf([b.declare(t, b.multiply(b.tid, 2)), b.barrier(), b.assign(out, b.use(t))], at)).toEqual([
      '__syncthreads();',
      'out = threadIdx.x * 2;'
    ]);
  });

  test('stay where an element is read, which may change', () => {
    const t = variable('', 'i32');
    const [first] = bodyOf([b.declare(t, b.load(x, i)), b.store(x, i, 1), b.assign(out, b.use(t))], at);
    expect(first).toMatch(/^int t\d+ = x\[i\];$/);
  });

  test('stay where a variable is read that is assigned', () => {
    const t = variable('', 'i32');
    const n = variable('n', 'i32');
    const [first] = bodyOf([b.declare(t, b.use(n)), increment(n), b.assign(out, b.use(t))], at);
    expect(first).toMatch(/^int t\d+ = n;$/);
  });

  test('stay where they are read twice, and vanish where nobody reads them', () => {
    const [t, unread] = [variable('', 'i32'), variable('', 'i32')];
    const sum = b.add(b.use(t), b.use(t));
    const lines = bodyOf([b.declare(t, b.tid), b.declare(unread, b.tid), b.assign(out, sum)], at);
    expect(lines).toHaveLength(2);
  });

  test('a parameter that is assigned keeps a variable of its own', () => {
    const own = b.builder();
    const count = own.scalar('count', 'i32');
    const held = variable('count', 'i32');
    const [first, second] = bodyOf([b.declare(held, count), increment(held)], own);
    expect([first, second]).toEqual(['int count_2 = count;', 'count_2 += 1u;']);
  });
});

describe('names', () => {
  test.each([
    ['float', 'float_2'],
    ['sinf', 'sinf_2'],
    ['least', 'least_2'],
    ['threadIdx', 'threadIdx_2'],
    ['kernel', 'kernel_2'],
    ['$x', '_x'],
    ['__shfl_sync', 'v__shfl_sync'],
    ['π', 'v_'],
    ['total', 'total']
  ])('%s becomes %s', (name, expected) => {
    expect(bodyOf([b.declare(variable(name, 'i32'), 1)])).toEqual([`int ${expected} = 1;`]);
  });

  test('lengths give way to parameters', () => {
    const at = b.builder();
    at.array('x', 'f32');
    at.scalar('x_length', 'i32');
    expect(emit([], at)).toContain('(float* x, int x_length_2, int x_length)');
  });

  test('are free again behind their scope', () => {
    const loop = (id: number): Statement[] => {
      const i = variable('i', 'i32');
      return [b.declare(i, 0), b.loop(id, b.less(b.use(i), 2), [b.barrier()], [increment(i)])];
    };
    const heads = bodyOf([...loop(1), ...loop(2)]).filter(line => line.startsWith('for'));
    expect(heads).toEqual(['for (int i = 0; i < 2; i += 1) {', 'for (int i = 0; i < 2; i += 1) {']);
  });

  test('inside a scope differ from those around it', () => {
    const [outer, inner] = [variable('i', 'i32'), variable('i', 'i32')];
    const body = [b.declare(outer, 0), b.when(b.less(b.use(outer), 1), [b.declare(inner, b.use(outer))])];
    expect(bodyOf(body)).toEqual(['int i = 0;', 'if (i < 1) {', '  int i_2 = i;', '}']);
  });
});

describe('the text', () => {
  test('defines the functions that it calls, and no others', () => {
    const value = b.binary('floorDivide', named('a', 'i32'), named('c', 'i32'));
    const text = emit([b.assign(variable('r', 'i32'), value)]);
    expect([...text.matchAll(/ (\w+)\(T a, T b\) \{/g)].map(([, name]) => name)).toEqual([
      'quotient',
      'floorQuotient'
    ]);
    expect(text).not.toContain('asm');
    expect(emit([b.barrier()])).toBe('extern "C" __global__ void kernel() {\n  __syncthreads();\n}\n');
  });

  test('names the line of each statement, where the compiler would count another one', () => {
    const onLine = (line: number, make: () => Statement): Statement => {
      b.atLine(line);
      return make();
    };
    const at = b.builder();
    const then = [onLine(10, () => b.leave(0)), onLine(11, () => b.barrier())];
    const body = [
      onLine(3, () => b.barrier()),
      onLine(4, () => b.barrier()),
      onLine(4, () => b.barrier()),
      onLine(9, () => b.when(named('c', 'bool'), then)),
      onLine(15, () => b.barrier())
    ];
    const text = emit(body, at, { files: [{ name: 'a "file"' }] }, true);
    expect(text.split('\n').slice(1)).toEqual([
      `#line 3 "a 'file'"`,
      '  __syncthreads();',
      '  __syncthreads();',
      `#line 4 "a 'file'"`,
      '  __syncthreads();',
      `#line 9 "a 'file'"`,
      '  if (c) {',
      '    return;',
      '    __syncthreads();',
      '  }',
      `#line 15 "a 'file'"`,
      '  __syncthreads();',
      '}',
      ''
    ]);
  });
});

test.each([
  ['exp', 'exp_kernel'],
  ['double', 'double_kernel'],
  ['norm', 'norm_kernel'],
  ['fmaxf', 'fmaxf_kernel'],
  ['main', 'main_kernel'],
  ['my-kernel', 'my_kernel'],
  ['2d', '_2d'],
  ['', '_'],
  ['smooth', 'smooth']
])('a kernel named %j is %s in C++', (wanted, expected) => {
  expect(kernelName(wanted)).toBe(expected);
});
