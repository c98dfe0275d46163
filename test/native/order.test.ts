/** The order of work on one storage: rules 72 to 85, observed in the virtual time of the simulated device. */

import type { NativeStorage, NativeStream } from '../../src/native/binding.ts';
import { block, errorOf, mark, microseconds, simulated, stream } from './support.ts';

const MEBI = 2 ** 20;

/** A storage with a pending write of 43.9 us on `on`. */
function beingWritten(on: NativeStream): NativeStorage {
  const storage = block(MEBI);
  storage.writeFromHost(0, new Uint8Array(MEBI), on);
  return storage;
}

/** Whether the next work of `on` starts only after `end`, an event of work that `on` was not made to wait for. */
function startsAfter(on: NativeStream, end: ReturnType<typeof mark>): boolean {
  return microseconds(end, mark(on)) >= 0;
}

describe('prepare', () => {
  test('records nothing for a storage that is used on one stream', () => {
    const on = stream();
    const storage = beingWritten(on);
    const start = mark(on);
    for (let fill = 0; fill < 10; fill++) {
      storage.prepare(on, 'write');
      storage.fill(0, 1, fill, 1500, on);
    }
    // Ten fills of 2 us and 1 ns, and the event recorded behind them: another event would add 0.5 us.
    expect(microseconds(start, mark(on))).toBe(30.01 - 10 + 0.5);
  });

  test('makes a reader wait for the writer', () => {
    const [writer, reader] = [stream(), stream()];
    const storage = beingWritten(writer);
    const written = mark(writer);
    storage.prepare(reader, 'read');
    expect(startsAfter(reader, written)).toBe(true);
  });

  test('makes a writer wait for readers', () => {
    const [reader, writer] = [stream(), stream()];
    const storage = block(MEBI);
    block(MEBI).copyFrom(0, storage, 0, MEBI, reader);
    const read = mark(reader);
    storage.prepare(writer, 'write');
    expect(startsAfter(writer, read)).toBe(true);
  });

  test('lets readers run concurrently', () => {
    const [first, second] = [stream(), stream()];
    const storage = block(MEBI);
    const target = new Uint8Array(8);
    storage.fill(0, 1, 1, MEBI, first);
    first.synchronize();
    block(MEBI).writeFromHost(0, new Uint8Array(MEBI), first);
    block(8).copyFrom(0, storage, 0, 8, first);
    const read = mark(first);
    storage.prepare(second, 'read');
    expect(startsAfter(second, read)).toBe(false);
    storage.readToHost(0, target, second);
    expect(target[7]).toBe(1);
  });

  test('waits once for the same work', () => {
    const [writer, reader] = [stream(), stream()];
    const storage = beingWritten(writer);
    storage.prepare(reader, 'read');
    const before = mark(writer);
    storage.prepare(reader, 'read');
    storage.prepare(reader, 'write');
    expect(microseconds(before, mark(writer))).toBe(0.5);
  });

  test('waits for a writer whose stream was destroyed', () => {
    const [writer, reader] = [stream(), stream()];
    const storage = beingWritten(writer);
    const written = mark(writer);
    writer.destroy();
    storage.prepare(reader, 'read');
    expect(startsAfter(reader, written)).toBe(true);
  });

  test('is called by copies and fills', () => {
    const [writer, copier, filler] = [stream(), stream(), stream()];
    const source = beingWritten(writer);
    const target = block(MEBI);
    const written = mark(writer);
    target.copyFrom(0, source, 0, MEBI, copier);
    const copied = mark(copier);
    source.fill(0, 1, 0, 8, filler);
    expect(microseconds(written, copied)).toBeGreaterThan(0);
    expect(startsAfter(filler, copied)).toBe(true);
  });
});

describe('uses', () => {
  test('have streams, access, numbers and progress, oldest first', () => {
    const [first, second] = [stream(), stream()];
    const storage = block(MEBI);
    expect(storage.uses()).toEqual([]);
    storage.writeFromHost(0, new Uint8Array(MEBI), first);
    storage.recordUse(second, 'read');
    block(MEBI).writeFromHost(0, new Uint8Array(MEBI), second);
    storage.recordUse(second, 'read');
    const uses = storage.uses();
    expect(uses.map(({ access, sequence, complete }) => ({ access, sequence, complete }))).toEqual([
      { access: 'write', sequence: 1, complete: false },
      { access: 'read', sequence: 3, complete: false }
    ]);
    expect(uses[0]?.stream).toBe(first);
    expect(uses[1]?.stream).toBe(second);
    simulated().synchronize();
    expect(storage.uses()).toMatchObject([{ access: 'read', sequence: 3, complete: true }]);
  });

  test('of a write replace the uses that it was ordered after', () => {
    const [first, second] = [stream(), stream()];
    const storage = beingWritten(first);
    storage.fill(0, 1, 1, 8, second);
    expect(storage.uses().map(use => use.stream)).toEqual([second]);
  });

  test('refuse an unknown access', () => {
    expect(errorOf(() => block(8).recordUse(stream(), 'execute' as 'read')).kind).toBe('argument');
  });
});

describe('join', () => {
  test('is null if nothing is pending (rule 81)', () => {
    const storage = block(8);
    expect(storage.join(false)).toBeNull();
    const on = stream();
    storage.fill(0, 1, 0, 8, on);
    on.synchronize();
    expect(storage.join(false)).toBeNull();
  });

  test('is the one stream with pending work, which records nothing (rule 79)', () => {
    const on = stream();
    const storage = beingWritten(on);
    const start = mark(on);
    expect(storage.join(false)).toBe(on);
    expect(microseconds(start, mark(on))).toBe(0.5);
  });

  test('is the latest stream, which is made to wait for the others (rule 80)', () => {
    const [slow, fast] = [stream(), stream()];
    const storage = block(MEBI);
    block(MEBI).writeFromHost(0, new Uint8Array(MEBI), slow);
    storage.recordUse(slow, 'read');
    const slowEnd = mark(slow);
    block(MEBI).copyFrom(0, storage, 0, MEBI, fast);
    expect(storage.join(false)).toBe(fast);
    expect(startsAfter(fast, slowEnd)).toBe(true);
  });

  test('includes reads, unless it is for a reader (rule 82)', () => {
    const on = stream();
    const storage = block(MEBI);
    block(MEBI).copyFrom(0, storage, 0, MEBI, on);
    expect(storage.join(true)).toBeNull();
    block(MEBI).copyFrom(0, storage, 0, MEBI, on);
    expect(storage.join(false)).toBe(on);
  });

  test('never names a destroyed stream', () => {
    const [gone, left] = [stream(), stream()];
    const storage = block(MEBI);
    storage.recordUse(left, 'read');
    block(MEBI).writeFromHost(0, new Uint8Array(MEBI), left);
    storage.recordUse(left, 'read');
    block(MEBI).writeFromHost(0, new Uint8Array(MEBI), gone);
    storage.recordUse(gone, 'read');
    gone.destroy();
    expect(storage.join(false)).toBe(left);
    const orphan = stream();
    const other = beingWritten(orphan);
    const written = mark(orphan);
    orphan.destroy();
    const joined = other.join(false);
    expect(joined).toBe(simulated().legacyStream());
    expect(startsAfter(simulated().legacyStream(), written)).toBe(true);
  });

  test('accepts a boolean only', () => {
    const storage = beingWritten(stream());
    expect(errorOf(() => storage.join(undefined as never)).kind).toBe('argument');
    // A rejected call forgets nothing: later work still has to wait for the writer.
    expect(storage.join(false)).not.toBeNull();
  });
});
