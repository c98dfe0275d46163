/** The queue of pending frees, without a driver. */

import { MemoryManagerError } from '../../../src/base/errors.ts';
import { AllocationTable } from '../../../src/memory/manager/allocation-table.ts';
import {
  limitsFromEnvironment,
  PendingDeallocations
} from '../../../src/memory/manager/pending-deallocations.ts';

/** A queue and the names of the frees that ran. */
function queue(limits = { count: 10, ratio: 0.2 }, capacity: number | null = 1000) {
  const pending = new PendingDeallocations(limits);
  pending.capacity = capacity;
  const ran: string[] = [];
  const add = (name: string, bytes = 0): void =>
    pending.add({ run: () => void ran.push(name), bytes, block: null });
  return { pending, ran, add };
}

describe('limits', () => {
  test('rule 207: more than ten frees are run, in order', () => {
    const { pending, ran, add } = queue();
    for (let i = 0; i < 10; i++) add(`${i}`);
    expect(ran).toEqual([]);
    expect(pending.count).toBe(10);
    add('10');
    expect(ran).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10']);
    expect(pending.count).toBe(0);
  });

  test('rule 207: more than a fifth of the capacity is run', () => {
    const { pending, ran, add } = queue();
    add('a', 200);
    expect(ran).toEqual([]);
    expect(pending.bytes).toBe(200);
    add('b', 1);
    expect(ran).toEqual(['a', 'b']);
    expect(pending.bytes).toBe(0);
  });

  test('rule 208: before the capacity is known, the first sized free is not run immediately', () => {
    const { ran, add } = queue(undefined, null);
    add('a', 2 ** 40);
    expect(ran).toEqual([]);
  });

  test('rule 207: the environment sets both limits', () => {
    expect(limitsFromEnvironment({})).toEqual({ count: 10, ratio: 0.2 });
    expect(
      limitsFromEnvironment({
        STRIDELAB_CUDA_MAX_PENDING_DEALLOCS_COUNT: '0',
        STRIDELAB_CUDA_MAX_PENDING_DEALLOCS_RATIO: '0.5'
      })
    ).toEqual({ count: 0, ratio: 0.5 });
    expect(() => limitsFromEnvironment({ STRIDELAB_CUDA_MAX_PENDING_DEALLOCS_COUNT: 'many' })).toThrow(
      new MemoryManagerError("STRIDELAB_CUDA_MAX_PENDING_DEALLOCS_COUNT is 'many', expected a number from 0")
    );
  });
});

describe('deferral', () => {
  test('rule 196: nothing is run inside, not even by flush, and scopes nest', () => {
    const { pending, ran, add } = queue({ count: 1, ratio: 0.2 });
    const outer = pending.defer();
    const inner = pending.defer();
    for (const name of ['a', 'b', 'c']) add(name, 500);
    pending.flush();
    inner[Symbol.dispose]();
    inner[Symbol.dispose]();
    pending.flush();
    expect(ran).toEqual([]);
    outer[Symbol.dispose]();
    expect(ran).toEqual(['a', 'b', 'c']);
  });

  test('rule 198: leaving the outermost scope runs only what exceeds the limits', () => {
    const { pending, ran, add } = queue();
    {
      using _ = pending.defer();
      add('a');
    }
    expect(ran).toEqual([]);
    pending.flush();
    expect(ran).toEqual(['a']);
  });

  test('rule 186: a reset runs even what is deferred', () => {
    const { pending, ran, add } = queue();
    using _ = pending.defer();
    add('a');
    pending.flushForReset();
    expect(ran).toEqual(['a']);
  });
});

describe('errors', () => {
  test('rules 100, 210: after an error the other frees run and the byte count is right, and the error is kept', () => {
    const { pending, ran, add } = queue();
    add('a', 100);
    const run = (): void => {
      throw new Error('driver');
    };
    pending.add({ run, bytes: 50, block: null });
    add('b', 30);
    pending.flush();
    expect(ran).toEqual(['a', 'b']);
    expect(pending.bytes).toBe(0);
    expect(pending.failures).toEqual([new Error('driver')]);
  });

  test('rule 210: a free that frees more is not run twice', () => {
    const { pending, ran, add } = queue({ count: 0, ratio: 1 });
    const run = (): void => {
      ran.push('outer');
      add('inner');
    };
    pending.add({ run, bytes: 0, block: null });
    expect(ran).toEqual(['outer', 'inner']);
    expect(pending.count).toBe(0);
  });
});

describe('table of allocations', () => {
  test('rule 186: memory that a reset has freed is not freed again by a late finalizer', () => {
    const table = new AllocationTable();
    const freed: string[] = [];
    const late = table.add(
      () => freed.push('late'),
      free => free()
    );
    const early = table.add(
      () => freed.push('early'),
      free => free()
    );
    early();
    early();
    expect(freed).toEqual(['early']);
    expect(table.count).toBe(1);
    table.clear();
    late();
    expect(freed).toEqual(['early', 'late']);
    expect(table.count).toBe(0);
  });

  test('rules 185, 210: clearing an empty table does nothing, and an error is thrown after the others are freed', () => {
    const table = new AllocationTable();
    table.clear();
    const freed: string[] = [];
    table.add(
      () => {
        throw new Error('driver');
      },
      free => free()
    );
    table.add(
      () => freed.push('b'),
      free => free()
    );
    expect(() => table.clear()).toThrow('driver');
    expect(freed).toEqual(['b']);
    table.clear();
  });
});
