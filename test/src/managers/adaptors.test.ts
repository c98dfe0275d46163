/** Adaptors around other managers. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ArgumentError, OutOfMemoryError } from '../../../src/base/errors.ts';
import {
  BestFitPoolMemoryManager,
  currentManager,
  DefaultCUDAMemoryManager,
  deferCleanup,
  FailureCallbackAdaptor,
  getMemoryInfo,
  LimitingAdaptor,
  LoggingAdaptor,
  memalloc,
  memallocmanaged,
  memhostalloc,
  resetMemory,
  StatisticsAdaptor,
  TrackingAdaptor,
  usingMemoryManager,
  type LoggingOptions,
  type MemoryPointer
} from '../../../src/memory/index.ts';
import { Storage } from '../../../src/memory/storage.ts';
import { native } from '../../../src/native/load.ts';
import { Stream } from '../../../src/core/stream.ts';
import { DeviceOnlyPlugin, MEBI, simulated, TransparentAdaptor } from './plugins.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

const on = { device: simulated } as const;
const folder = temporaryFolder();

describe('any adaptor', () => {
  class Transparent extends TransparentAdaptor {
    constructor() {
      super(simulated, class extends DeviceOnlyPlugin {});
    }
  }

  test('rule 220: every call reaches the inner manager, and memory is freed once', () => {
    using _ = usingMemoryManager(class extends Transparent {});
    const adaptor = currentManager(simulated) as Transparent;
    const inner = adaptor.upstream as DeviceOnlyPlugin;
    const memory = memalloc(100, on);
    memory.free();
    expect(() => memory.free()).toThrow(/the memory was freed/);
    expect(inner.log).toEqual(['+100', '-100']);
    expect(getMemoryInfo(simulated)).toEqual(simulated.memoryInfo());
    {
      using _deferred = deferCleanup(simulated);
      memhostalloc(64, on).free();
      expect(inner.pendingHost.bytes).toBe(64);
    }
    using mapped = memhostalloc(64, { ...on, mapped: true });
    expect(mapped.buffer.byteLength).toBe(64);
    using pinned = memhostalloc(64, on);
    expect(pinned.buffer.byteLength).toBe(64);
    using managed = memallocmanaged(64, on);
    expect(managed.kind).toBe('managed');
  });

  test('rules 103, 186, 220: a reset is passed on, and late frees stop at the adaptor', () => {
    const freed: bigint[] = [];
    class Counting extends Transparent {
      protected override freed(...[, pointer]: [unknown?, bigint?]): void {
        freed.push(pointer as bigint);
      }
    }
    using _ = usingMemoryManager(Counting);
    const storage = Storage.allocate(simulated, 4096);
    const memory = memalloc(8, on);
    resetMemory(simulated);
    memory.release();
    storage.release();
    native().drainReleases(true);
    expect(freed).toEqual([]);
    expect((currentManager(simulated) as Counting).upstream).toHaveProperty('log', ['+4096', '+8']);
  });

  test('rule 220: adaptors can be stacked, over a pool too, and arrays work through them', () => {
    const Stack = TrackingAdaptor.over(
      StatisticsAdaptor.over(LimitingAdaptor.over(BestFitPoolMemoryManager, { bytes: 64 * MEBI }))
    );
    using _ = usingMemoryManager(Stack);
    using stream = new Stream(on);
    for (let i = 0; i < 100; i++) {
      const storage = Storage.allocate(simulated, MEBI, 'device', stream);
      storage.fill(0, 1, i, MEBI, stream);
      const bytes = new Uint8Array(1);
      storage.readToHost(MEBI - 1, bytes, stream);
      expect(bytes[0]).toBe(i);
      storage.release();
    }
    native().drainReleases(true);
    const tracking = currentManager(simulated) as TrackingAdaptor;
    expect(tracking.outstanding()).toEqual([]);
    expect((tracking.upstream as StatisticsAdaptor).statistics()).toMatchObject({
      currentBytes: 0,
      totalCount: 100
    });
  });
});

describe('statistics', () => {
  test('rule 220: counts bytes and allocations: current, peak and total', () => {
    using _ = usingMemoryManager(StatisticsAdaptor.over(DefaultCUDAMemoryManager));
    const adaptor = currentManager(simulated) as StatisticsAdaptor;
    const a = memalloc(100, on);
    const b = memalloc(50, on);
    a.free();
    expect(adaptor.statistics()).toEqual({
      currentBytes: 50,
      currentCount: 1,
      peakBytes: 150,
      peakCount: 2,
      totalBytes: 150,
      totalCount: 2
    });
    expect(() => memalloc(simulated.totalMemory * 2, on)).toThrow(OutOfMemoryError);
    expect(adaptor.statistics().totalCount).toBe(2);
    b.free();
  });

  test('rule 220: pushed counters start from zero, and popping adds them to the previous ones', () => {
    using _ = usingMemoryManager(StatisticsAdaptor.over(DefaultCUDAMemoryManager));
    const adaptor = currentManager(simulated) as StatisticsAdaptor;
    const outer = memalloc(100, on);
    expect(adaptor.pushCounters()).toMatchObject({ currentBytes: 100 });
    const inner = memalloc(1000, on);
    inner.free();
    outer.free();
    expect(adaptor.popCounters()).toMatchObject({ currentBytes: -100, peakBytes: 1000, totalBytes: 1000 });
    expect(adaptor.statistics()).toMatchObject({
      currentBytes: 0,
      peakBytes: 1100,
      peakCount: 2,
      totalBytes: 1100
    });
    expect(adaptor.popCounters()).toEqual(adaptor.statistics());
  });
});

describe('limiting', () => {
  test('rules 209, 220: refuses requests beyond the limit, and counts freed memory', () => {
    using _ = usingMemoryManager(LimitingAdaptor.over(DefaultCUDAMemoryManager, { bytes: 1000 }));
    const adaptor = currentManager(simulated) as LimitingAdaptor;
    const a = memalloc(600, on);
    expect(() => memalloc(401, on)).toThrow(OutOfMemoryError);
    expect(() => memalloc(401, on)).toThrow(/exceed the limit of 1000 bytes, of which 600/);
    const b = memalloc(400, on);
    expect(adaptor.allocated).toBe(1000);
    using _host = memhostalloc(4096, on);
    a.free();
    b.free();
    expect(adaptor.allocated).toBe(0);
  });

  test('rules 209, 230: unreachable arrays are freed to make room', () => {
    using _ = usingMemoryManager(LimitingAdaptor.over(DefaultCUDAMemoryManager, { bytes: 10 * MEBI }));
    for (let i = 0; i < 30; i++) Storage.allocate(simulated, 3 * MEBI);
  });

  test('a limit must be a number of bytes', () => {
    using _ = usingMemoryManager(LimitingAdaptor.over(DefaultCUDAMemoryManager, { bytes: -1 }));
    expect(() => currentManager(simulated)).toThrow(ArgumentError);
  });
});

describe('failure callback', () => {
  test('rule 220: is called with the bytes and the error, and true tries again', () => {
    const asked: number[] = [];
    let ballast: MemoryPointer | null = null;
    const Adaptor = FailureCallbackAdaptor.over(
      LimitingAdaptor.over(DefaultCUDAMemoryManager, { bytes: 1000 }),
      (bytes, error, context) => {
        expect(error).toBeInstanceOf(OutOfMemoryError);
        expect(context).toBe(simulated);
        asked.push(bytes);
        if (ballast === null) return false;
        ballast.free();
        ballast = null;
        return true;
      }
    );
    using _ = usingMemoryManager(Adaptor);
    ballast = memalloc(900, on);
    using _memory = memalloc(500, on);
    expect(() => memalloc(501, on)).toThrow(OutOfMemoryError);
    expect(asked).toEqual([500, 501]);
  });

  test('rule 224: is not called for other errors', () => {
    class Broken extends DeviceOnlyPlugin {
      override memalloc(): MemoryPointer {
        throw new TypeError('broken');
      }
    }
    using _ = usingMemoryManager(FailureCallbackAdaptor.over(Broken, () => true));
    expect(() => memalloc(8, on)).toThrow(TypeError);
  });
});

describe('tracking', () => {
  test('rule 220: lists memory that is not freed, and where it was allocated', () => {
    using _ = usingMemoryManager(TrackingAdaptor.over(DefaultCUDAMemoryManager));
    const adaptor = currentManager(simulated) as TrackingAdaptor;
    const memory = function makeOne() {
      return memalloc(77, on);
    };
    using held = memory();
    memalloc(10, on).free();
    expect(adaptor.outstanding()).toMatchObject([{ kind: 'device', size: 77, pointer: held.pointer }]);
    expect(adaptor.outstanding()[0]?.stack.join('\n')).toContain('makeOne');
    expect(adaptor.report()).toMatch(/^77 bytes of device memory at 0x[0-9a-f]+\n {4}at /);
    resetMemory(simulated);
    expect(adaptor.report()).toBe('');
  });

  test('rule 220: works without stacks', () => {
    using _ = usingMemoryManager(TrackingAdaptor.over(DefaultCUDAMemoryManager, { stacks: false }));
    using _held = memalloc(77, on);
    expect((currentManager(simulated) as TrackingAdaptor).outstanding()[0]?.stack).toEqual([]);
  });
});

describe('logging', () => {
  let files = 0;
  /** Rows of the log that `work` writes, as lists of columns. */
  function logOf(options: LoggingOptions, work: (adaptor: LoggingAdaptor) => void): string[][] {
    const path = join(folder, `log${files++}.csv`);
    using _ = usingMemoryManager(LoggingAdaptor.over(DefaultCUDAMemoryManager, { ...options, path }));
    const adaptor = currentManager(simulated) as LoggingAdaptor;
    work(adaptor);
    adaptor.flush();
    const lines = readFileSync(path.replace('.csv', '.sim0.csv'), 'utf8').trimEnd().split('\n');
    return lines.map(line => line.split(','));
  }

  test('rule 218: has the columns of RMM, and one row for each event, failures too', () => {
    const rows = logOf({}, () => {
      memalloc(100, on).free();
      expect(() => memalloc(simulated.totalMemory * 2, on)).toThrow();
    });
    expect(rows[0]).toEqual(['Thread', 'Time', 'Action', 'Pointer', 'Size', 'Stream']);
    const [, allocated, freed, failed] = rows as [string[], string[], string[], string[]];
    expect([allocated[2], freed[2], failed[2]]).toEqual(['allocate', 'free', 'allocate failure']);
    expect([allocated[4], freed[4], failed[4]]).toEqual(['100', '100', `${simulated.totalMemory * 2}`]);
    expect(allocated[1]).toMatch(/^\d\d:\d\d:\d\d:\d{6}$/);
    expect(allocated[3]).toMatch(/^0x[0-9a-f]+$/);
    expect(freed[3]).toBe(allocated[3]);
    expect(rows).toHaveLength(4);
  });

  test('rule 218: has the columns of the proposal', () => {
    const rows = logOf({ layout: 'nbep7' }, () => memalloc(100, on).free());
    const [header, allocated, freed] = rows as [string[], string[], string[]];
    expect(header.join(',')).toBe(
      'Event Type,Device ID,Address,Stream,Size (bytes),Free Memory,Total Memory,Current Allocs,Start,End,Elapsed,Location'
    );
    expect(allocated.slice(0, 2)).toEqual(['Alloc', '0']);
    expect(allocated[7]).toBe('1');
    expect(freed[0]).toBe('Free');
    expect(freed[7]).toBe('0');
    expect(allocated).toHaveLength(header.length);
    expect(allocated.at(-1)).toContain('adaptors.test.ts');
  });

  test('rule 218: has the stream of an array in its row', () => {
    using stream = new Stream(on);
    const rows = logOf({}, () => Storage.allocate(simulated, 64, 'device', stream).release());
    expect(rows[1]?.[5]).toBe(`0x${stream.handle.toString(16)}`);
  });

  test('rule 218: rows are buffered unless each is to be written immediately', () => {
    const rowsNow = (adaptor: LoggingAdaptor): number =>
      readFileSync(adaptor.path, 'utf8').split('\n').length - 2;
    const later = logOf({}, adaptor => {
      using _memory = memalloc(8, on);
      expect(rowsNow(adaptor)).toBe(0);
    });
    expect(later).toHaveLength(3);
    logOf({ flush: true }, adaptor => {
      using _memory = memalloc(8, on);
      expect(rowsNow(adaptor)).toBe(1);
    });
  });
});
