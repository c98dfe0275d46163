/** Launches on the simulated device: as operations of a stream, in graphs, interrupted, and refused. */

import { encodeProgram } from '../../../../src/kernels/machine/encode.ts';
import type { Program } from '../../../../src/kernels/program/program.ts';
import { block, errorOf, native, stream } from '../../../native/support.ts';
import * as b from './build-program.ts';
import { check, fault, launch, on, run } from './run-program.ts';

function increment(): Program {
  const made = b.builder('increment');
  const x = made.array('x', 'i32');
  return made.program([b.store(x, b.tid, b.add(b.load(x, b.tid), 1))]);
}

test('a captured launch runs at each launch of the graph', () => {
  on.beginCapture();
  const read = launchInto(increment(), [1, 2, 3]);
  const graph = on.endCapture();
  expect(read()).toEqual([1, 2, 3]);
  graph.launch(on);
  graph.launch(on);
  expect(read()).toEqual([3, 4, 5]);
});

/** Launches over memory that was written outside the capture of the stream. */
function launchInto(program: Program, values: readonly number[]) {
  const [storage, other] = [block(4 * values.length), stream()];
  storage.writeFromHost(0, Int32Array.from(values), other);
  other.synchronize();
  const { words, constants } = encodeProgram(program);
  const bytes = new Uint8Array(new BigUint64Array([storage.pointer, BigInt(values.length)]).buffer, 0, 12);
  const config = Int32Array.of(1, 1, 1, values.length, 1, 1, 0);
  native.kernels.launch(on, native.kernels.makeProgram(words, constants), config, bytes, [storage]);
  return () => {
    const target = new Int32Array(values.length);
    storage.readToHost(0, target, other);
    return [...target];
  };
}

test('a launch waits for work of other streams, and they for it', () => {
  native.simulated.setSchedule('hazard');
  try {
    const [first, second, storage] = [stream(), stream(), block(16)];
    storage.writeFromHost(0, Int32Array.of(5, 6, 7, 8), first);
    const { words, constants } = encodeProgram(increment());
    const program = native.kernels.makeProgram(words, constants);
    const bytes = new Uint8Array(new BigUint64Array([storage.pointer, 4n]).buffer, 0, 12);
    native.kernels.launch(second, program, Int32Array.of(1, 1, 1, 4, 1, 1, 0), bytes, [storage]);
    const target = new Int32Array(4);
    storage.readToHost(0, target, first);
    expect([...target]).toEqual([6, 7, 8, 9]);
  } finally {
    native.simulated.setSchedule('eager');
  }
});

test('the first fault waits until it is taken; a word tells that one waits', () => {
  const made = b.builder();
  const x = made.array('x', 'i32');
  const failing = (index: number) => made.program([b.store(x, index, 1)]);
  launch(failing(10), {}, [0]);
  launch(failing(20), {}, [0]);
  expect(Atomics.load(native.kernels.mail, 0)).toBe(1);
  expect(fault()).toMatchObject({ kind: 'bounds', index: [10] });
  expect(Atomics.load(native.kernels.mail, 0)).toBe(0);
  expect(native.kernels.takeFault()).toBeNull();
});

test('printed lines, in the order of the threads of a block', () => {
  const made = b.builder();
  const x = made.array('x', 'f32');
  const values = [b.tid, b.load(x, b.tid), b.constant('bool', true), b.constant('u64', (1n << 64n) - 1n)];
  const program = made.program([
    b.when(b.less(b.tid, 4), [b.print('thread ', ...values.flatMap(value => [value, ' ']), 'end')])
  ]);
  run(program, { block: 8 }, [0.1, -2, NaN, -Infinity]);
  expect(Atomics.load(native.kernels.mail, 0)).toBe(2);
  const lines = ['0.1', '-2', 'NaN', '-Infinity'].map(
    (x, t) => `thread ${t} ${x} true 18446744073709551615 end\n`
  );
  expect(native.kernels.takeOutput()).toBe(lines.join(''));
  expect(native.kernels.takeOutput()).toBe('');
  expect(check(program, { block: 1 }, [0.5]).output).toBe('thread 0 0.5 true 18446744073709551615 end\n');
});

describe('an endless loop', () => {
  const flag = new Int32Array(new SharedArrayBuffer(4));
  beforeEach(() => {
    native.setInterruptFlag(flag);
    Atomics.store(flag, 0, 1);
  });
  afterEach(() => native.setInterruptFlag(null));
  const endless = () => {
    const made = b.builder();
    const x = made.array('x', 'i32');
    return made.program([b.loop(1, null, [b.atomic('atomicAdd', x, 0, [1])])]);
  };
  const interrupted = { kind: 'interrupted', message: 'the kernel was interrupted' };

  test('ends when the interrupt flag is raised', () => {
    expect(errorOf(() => launch(endless(), { grid: 2, block: 32 }, [0]))).toMatchObject(interrupted);
    expect(native.kernels.takeFault()).toBeNull();
  });
  test('ends also while an earlier fault waits', () => {
    const made = b.builder();
    launch(made.program([b.store(made.array('x', 'i32'), 5, 1)]), {}, [0]);
    expect(errorOf(() => launch(endless(), { grid: 2, block: 32 }, [0]))).toMatchObject(interrupted);
    expect(JSON.parse(native.kernels.takeFault() ?? '')).toMatchObject({ kind: 'bounds' });
  });
  test('ends in a check and in a launch of a graph', () => {
    Atomics.store(flag, 0, 0);
    on.beginCapture();
    launchInto(endless(), [0]);
    const graph = on.endCapture();
    Atomics.store(flag, 0, 1);
    graph.launch(on);
    expect(JSON.parse(native.kernels.takeFault() ?? '')).toMatchObject({ kind: 'interrupted' });
    const { words, constants } = encodeProgram(endless());
    const storage = block(4);
    const bytes = new Uint8Array(new BigUint64Array([storage.pointer, 1n]).buffer, 0, 12);
    const config = Int32Array.of(1, 1, 1, 1, 1, 1, 0);
    const options = { recordBlocks: 0, recordWords: 0 };
    const program = native.kernels.makeProgram(words, constants);
    expect(errorOf(() => native.kernels.check(program, config, bytes, [storage], options))).toMatchObject(
      interrupted
    );
  });
});

describe('what cannot be launched', () => {
  const refusal = (shape: Parameters<typeof run>[1], program = increment()) => {
    const error = errorOf(() => launch(program, shape, [1, 2, 3]));
    return [error.kind, error.message];
  };
  test('blocks and grids of wrong sizes', () => {
    expect(refusal({ block: 1025 })).toEqual([
      'argument',
      'a block has at most 1024 threads, and 64 along z; this launch has 1025'
    ]);
    expect(refusal({ grid: 0 })[1]).toContain('at least one block');
    expect(refusal({ grid: [1, 70_000] })[1]).toContain('65535 along y and z');
    expect(refusal({ shared: 300_000 })[1]).toContain('232448 bytes of shared memory');
    const made = b.builder();
    made.array('x', 'i32');
    const cooperative = made.program([b.barrier('gridSync')]);
    expect(refusal({ grid: 1024, block: 512 }, cooperative)[1]).toContain('at most 262144 threads');
  });
  test('arrays that are not inside their storage, or not aligned', () => {
    const made = b.builder();
    made.array('x', 'f64', { contiguous: false });
    const program = made.program([]);
    const errorWith = (more: object) => errorOf(() => launch(program, {}, { values: [1, 2, 3, 4], ...more }));
    expect(errorWith({ shape: [4], strides: [2] }).kind).toBe('bounds');
    expect(errorWith({ shape: [2], strides: [-1] }).kind).toBe('bounds');
    expect(errorWith({ shape: [4], strides: [1], offset: 1 }).kind).toBe('bounds');
    expect(errorWith({ shape: [1], strides: [1], offset: 0.5 })).toMatchObject({
      kind: 'argument',
      message: 'the array `x` is not aligned to its elements of 8 bytes'
    });
    expect(errorWith({ shape: [-1], strides: [1] }).message).toContain('negative length');
  });
  test('too few or too many bytes of arguments, and words that are no program', () => {
    const { words, constants } = encodeProgram(increment());
    const program = native.kernels.makeProgram(words, constants);
    const config = Int32Array.of(1, 1, 1, 1, 1, 1, 0);
    const messageFor = (bytes: number) =>
      errorOf(() => native.kernels.launch(on, program, config, new Uint8Array(bytes), [block(4)])).message;
    expect(messageFor(8)).toBe('arguments end too early');
    expect(messageFor(13)).toBe('arguments has 1 bytes too many');
    for (let length = 0; length < words.length; length++)
      expect(errorOf(() => native.kernels.makeProgram(words.slice(0, length), constants)).kind).toBe(
        'argument'
      );
    for (let index = 0; index < words.length; index++) {
      const wrong = words.slice();
      wrong[index] = 100_000;
      // Some words, such as the column of a place, may be anything.
      try {
        native.kernels.makeProgram(wrong, constants);
      } catch (error) {
        expect((error as Error).message).toContain('program');
      }
    }
  });
});
