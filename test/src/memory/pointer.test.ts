/** Pointers of memory managers, with addresses that are never accessed. */

import { BoundsError, FreedError } from '../../../src/base/errors.ts';
import type { Device } from '../../../src/core/device.ts';
import { MemoryPointer } from '../../../src/memory/manager/pointer.ts';

const context = { label: 'sim:0' } as Device;

function pointer(size = 1024) {
  const freed: number[] = [];
  const memory = new MemoryPointer(context, 0x1000n, size, null, () => freed.push(1));
  return { memory, freed };
}

describe('lifetime', () => {
  test('rule 211: the finalizer runs once, when the last reference is released', () => {
    const { memory, freed } = pointer();
    memory.retain();
    memory.release();
    expect(freed).toHaveLength(0);
    memory.release();
    expect(freed).toHaveLength(1);
    expect(memory.freed).toBe(true);
    memory.release();
    expect(freed).toHaveLength(1);
  });

  test('rule 211: an explicit free runs it immediately, and a second one is an error', () => {
    const { memory, freed } = pointer();
    memory.retain();
    memory.free();
    expect(freed).toHaveLength(1);
    expect(() => memory.free()).toThrow(FreedError);
    expect(() => memory.free()).toThrow(/the memory was freed/);
    memory.release();
    expect(freed).toHaveLength(1);
  });

  test('rule 211: owner and finalizer are optional', () => {
    const memory = new MemoryPointer(context, 0x1000n, 8);
    expect(memory.owner).toBeNull();
    memory.free();
    expect(memory.freed).toBe(true);
  });

  test('rules 211, 233: using frees at the end of the scope, once', () => {
    const { memory, freed } = pointer();
    {
      using held = memory;
      expect(held.freed).toBe(false);
    }
    memory[Symbol.dispose]();
    expect(freed).toHaveLength(1);
  });

  test('rule 211: a twin takes over the reference', () => {
    const { memory, freed } = pointer();
    const twin = memory.own();
    expect(twin).toMatchObject({ pointer: 0x1000n, size: 1024 });
    twin.free();
    expect(freed).toHaveLength(1);
    expect(memory.freed).toBe(true);
    expect(() => memory.own()).toThrow(FreedError);
  });
});

describe('views', () => {
  test('rule 213: a view keeps the memory alive', () => {
    const { memory, freed } = pointer();
    const view = memory.view(16, 48);
    expect(view).toMatchObject({ pointer: 0x1010n, size: 32, owner: memory });
    memory.release();
    expect(freed).toHaveLength(0);
    const inner = view.view(8);
    expect(inner).toMatchObject({ pointer: 0x1018n, size: 24 });
    view.release();
    expect(freed).toHaveLength(0);
    inner.release();
    expect(freed).toHaveLength(1);
  });

  test.each([
    [0, 1025],
    [-1, 4],
    [8, 4],
    [1025, 1025],
    [0.5, 4],
    [0, NaN]
  ])('rule 213: bytes %p to %p of 1024 are refused', (start, stop) => {
    expect(() => pointer().memory.view(start, stop)).toThrow(BoundsError);
  });

  test('rule 213: empty memory has an empty view and no other', () => {
    const { memory } = pointer(0);
    expect(memory.view(0).size).toBe(0);
    expect(() => memory.view(0, 1)).toThrow(BoundsError);
  });

  test('rules 211, 213: an explicit free of the memory detaches its views', () => {
    const { memory } = pointer();
    const view = memory.view(0, 8);
    memory.free();
    expect(view.freed).toBe(true);
    expect(() => view.view(0, 1)).toThrow(FreedError);
    expect(() => memory.view(0, 1)).toThrow(FreedError);
    view.release();
  });
});
