/** Statements and control flow as CUDA C++. */

import type {
  AtomicName,
  BarrierName,
  Expression,
  Statement,
  Variable,
  WarpName
} from '../../../../src/kernels/program/program.ts';
import type { ValueType } from '../../../../src/kernels/program/types.ts';
import * as b from '../machine/build-program.ts';
import { bodyOf, increment, named, variable } from './emitting.ts';

/** Names all variables v_2, v_3… as v: each has one name and many types. */
const sameNames = (line: string): string => line.replace(/\bv_\d+\b/g, 'v');

describe('control flow', () => {
  const x = named('x', 'i32');
  const at = variable('n', 'i32');
  const step = increment(at);
  const test_ = b.less(b.use(at), x);

  test.each<{ name: string; loop: Statement; text: string[] }>([
    { name: 'while', loop: b.loop(1, test_, [step]), text: ['while (n < x) {', '  n += 1u;', '}'] },
    { name: 'for ever', loop: b.loop(1, null, [b.leave(1)]), text: ['for (;;) {', '  break;', '}'] },
    {
      name: 'do',
      loop: b.loop(1, test_, [step], [], { testLast: true }),
      text: ['do {', '  n += 1u;', '} while (n < x);']
    },
    {
      name: 'for without a start',
      loop: b.loop(1, test_, [b.barrier()], [step]),
      text: ['for (; n < x; n += 1) {', '  __syncthreads();', '}']
    },
    {
      name: 'statements before the condition',
      loop: b.loop(1, test_, [b.when(b.equal(x, 1), [b.leave(1, 'next')]), b.barrier()], [], {
        before: [step]
      }),
      text: [
        'for (;;) {',
        '  n += 1u;',
        '  if (!(n < x)) break;',
        '  if (x == 1) continue;',
        '  __syncthreads();',
        '}'
      ]
    },
    {
      name: 'a condition behind the body and before the update',
      loop: b.loop(1, test_, [b.when(b.equal(x, 1), [b.leave(1, 'next')]), b.barrier()], [step], {
        testLast: true
      }),
      text: [
        'for (;;) {',
        '  {',
        '    if (x == 1) goto next_1;',
        '    __syncthreads();',
        '  }',
        '  next_1:;',
        '  if (!(n < x)) break;',
        '  n += 1u;',
        '}'
      ]
    },
    {
      name: 'a block that is left',
      loop: b.block(3, [b.when(b.equal(x, 1), [b.barrier(), b.leave(3)]), step]),
      text: [
        '{',
        '  if (x == 1) {',
        '    __syncthreads();',
        '    goto end_3;',
        '  }',
        '  n += 1u;',
        '}',
        'end_3:;'
      ]
    },
    { name: 'a block that is not left', loop: b.block(3, [step]), text: ['n += 1u;'] },
    {
      name: 'jumps to where a block ends anyway',
      loop: b.block(3, [b.when(b.equal(x, 1), [step, b.leave(3)], [b.barrier(), b.leave(3)])]),
      text: ['if (x == 1) {', '  n += 1u;', '} else {', '  __syncthreads();', '}']
    },
    {
      name: 'a branch without statements',
      loop: b.when(b.equal(x, 1), [], [b.barrier()]),
      text: ['if (!(x == 1)) {', '  __syncthreads();', '}']
    }
  ])('$name', ({ loop, text }) => {
    expect(bodyOf([loop])).toEqual(text);
  });

  test('a variable that is read behind a loop stays outside its head', () => {
    const i = variable('i', 'i32');
    const loop = b.loop(1, b.less(b.use(i), 9), [b.barrier()], [increment(i)]);
    const [first, second] = bodyOf([b.declare(i, 0), loop, b.assign(at, b.use(i))]);
    expect([first, second]).toEqual(['int i = 0;', 'for (; i < 9; i += 1) {']);
  });

  test('a declaration without a value holds zero, as on the simulated device', () => {
    const types: readonly ValueType[] = ['bool', 'i32', 'u64', 'f32'];
    expect(bodyOf(types.map(type => b.declare(variable('v', type))))).toEqual([
      'bool v = false;',
      'int v_2 = 0;',
      'unsigned long long v_3 = 0ull;',
      'float v_4 = 0.0f;'
    ]);
  });
});

describe('statements', () => {
  const given = {
    i32: named('v', 'i32'),
    u32: named('v', 'u32'),
    i64: named('v', 'i64'),
    u64: named('v', 'u64'),
    f32: named('v', 'f32'),
    f64: named('v', 'f64')
  };
  type AtomicType = keyof typeof given;

  test.each<[AtomicName, AtomicType, string]>([
    ['atomicAdd', 'i32', 'atomicAdd(&x[0], v)'],
    ['atomicAdd', 'i64', 'atomicAdd((unsigned long long*)&x[0], (unsigned long long)v)'],
    ['atomicAdd', 'f64', 'atomicAdd(&x[0], v)'],
    ['atomicSub', 'u32', 'atomicSub(&x[0], v)'],
    ['atomicSub', 'u64', 'atomicAdd(&x[0], 0ull - v)'],
    ['atomicSub', 'f32', 'atomicAdd(&x[0], -v)'],
    ['atomicMin', 'i64', 'atomicMin(&x[0], v)'],
    ['atomicMin', 'f32', 'atomicLeast(&x[0], v)'],
    ['atomicMax', 'f64', 'atomicGreatest(&x[0], v)'],
    ['atomicExch', 'f32', 'atomicExch(&x[0], v)'],
    ['atomicExch', 'f64', 'atomicExchange(&x[0], v)'],
    ['atomicCas', 'u32', 'atomicCAS(&x[0], v, v)'],
    ['atomicCas', 'f32', 'atomicReplace(&x[0], v, v)'],
    ['atomicAnd', 'i64', 'atomicAnd((unsigned long long*)&x[0], (unsigned long long)v)'],
    ['atomicInc', 'u32', 'atomicInc(&x[0], v)']
  ])('%s of %s', (name, type, text) => {
    const at = b.builder();
    const x = at.array('x', type);
    const old = variable('old', type);
    const values = name === 'atomicCas' ? [given[type], given[type]] : [given[type]];
    const [unread] = bodyOf([b.atomic(name, x, 0, values, old)], at);
    expect(unread).toBe(`${text};`);
    const [read] = bodyOf([b.atomic(name, x, 0, values, old), b.store(x, 1, b.use(old))], at);
    expect(read).toMatch(/^[a-z ]+ old = /);
    expect(read!.endsWith(` = ${text};`)).toBe(true);
  });

  test.each<[WarpName, readonly Expression[], ValueType, string]>([
    [
      'shfl',
      [b.ALL, given.f32, given.i32, b.constant('i32', 32)],
      'f32',
      '__shfl_sync(0xffffffffu, v, v, 32)'
    ],
    ['shflUp', [given.u32, given.i64, given.i32, given.i32], 'i64', '__shfl_up_sync(v, v, v, v)'],
    ['shflDown', [b.ALL, given.f64, given.i32, given.i32], 'f64', '__shfl_down_sync(0xffffffffu, v, v, v)'],
    ['shflXor', [b.ALL, given.u32, given.i32, given.i32], 'u32', '__shfl_xor_sync(0xffffffffu, v, v, v)'],
    ['ballot', [b.ALL, b.less(given.i32, 1)], 'u32', '__ballot_sync(0xffffffffu, v < 1)'],
    ['any', [b.ALL, b.less(given.i32, 1)], 'bool', '__any_sync(0xffffffffu, v < 1)'],
    ['all', [b.ALL, b.less(given.i32, 1)], 'bool', '__all_sync(0xffffffffu, v < 1)'],
    ['matchAny', [b.ALL, given.i32], 'u32', '__match_any_sync(0xffffffffu, v)'],
    ['matchAll', [b.ALL, given.i32], 'u32', 'allEqual(0xffffffffu, v)'],
    ['activeMask', [], 'u32', '__activemask()']
  ])('%s of a warp', (name, values, type, text) => {
    const [result, copy] = [variable('', type), variable('seen', type)];
    const read = b.assign(variable('r', type), b.use(copy));
    const [line, next] = bodyOf([b.warp(name, values, result), b.declare(copy, b.use(result)), read]);
    expect(sameNames(line!).endsWith(` seen = ${text};`)).toBe(true);
    expect(next).toBe('r = seen;');
  });

  test.each<[BarrierName, readonly Expression[], string]>([
    ['syncThreads', [], '__syncthreads();'],
    ['syncThreadsCount', [b.less(given.i32, 1)], '__syncthreads_count(v < 1);'],
    ['syncThreadsAnd', [b.less(given.i32, 1)], '__syncthreads_and(v < 1);'],
    ['syncThreadsOr', [b.less(given.i32, 1)], '__syncthreads_or(v < 1);'],
    ['gridSync', [], 'gridSync();']
  ])('%s', (name, values, text) => {
    expect(bodyOf([b.barrier(name, values)])).toEqual([text]);
  });

  test('fences', () => {
    const place = b.tid.place;
    const names = ['fenceBlock', 'fenceDevice', 'fenceSystem'] as const;
    expect(bodyOf(names.map(name => ({ kind: 'fence', name, place })))).toEqual([
      '__threadfence_block();',
      '__threadfence();',
      '__threadfence_system();'
    ]);
  });

  test('prints a line of texts and values', () => {
    const parts = ['100% "é"\\ ', given.f32, ' ', given.u64, ' ', b.less(given.i32, 1)];
    expect(bodyOf([b.print(...parts)]).map(sameNames)).toEqual([
      String.raw`printf("100%% \"\303\251\"\\ %.9g %llu %s\n", v, v, v < 1 ? "true" : "false");`
    ]);
  });

  test('asserts with the line of the source', () => {
    b.atLine(7);
    expect(bodyOf([b.assertion(b.less(given.i32, 1), 'over 100%')])).toEqual([
      'if (!(v < 1)) {',
      String.raw`  printf("cell 5, line 7: assertion failed: over 100%% in block (%u, %u, %u), thread (%u, %u, %u)\n", blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);`,
      '  __trap();',
      '}'
    ]);
  });

  test('puts CUDA C++ of the user in place', () => {
    const native = (
      text: string,
      result: Variable | null,
      ...operands: readonly Expression[]
    ): Statement => ({
      kind: 'native',
      text,
      operands,
      result,
      host: null,
      place: b.tid.place
    });
    const body = [
      native('$0 * $1', variable('quick', 'f32'), b.add(given.f32, given.f32), given.f32),
      native('__nanosleep($0)', null, given.u32),
      native('{ work($0); }', null, b.tid)
    ];
    expect(bodyOf(body).map(sameNames)).toEqual([
      'float quick = (v + v) * v;',
      '__nanosleep(v);',
      '{ work(((int)threadIdx.x)); }'
    ]);
  });
});
