/** Arrays that another process opens: each way to share memory, with views, and back (rules 188 to 195). */

import { asCudaArray, fromDlpack } from '../../../src/index.ts';
import { array, zeros } from '../../../src/array/creation.ts';
import { recordDType } from '../../../src/dtype/resolve.ts';
import {
  DefaultCUDAMemoryManager,
  resetMemory,
  usingMemoryManager,
  VirtualMemoryManager
} from '../../../src/memory/index.ts';
import { share } from '../../../src/sharing/index.ts';
import { simulated } from '../managers/plugins.ts';
import { on, views, ways } from './arrays.ts';
import { peer, withPeer } from './peer.ts';

withPeer();

const allViews: typeof views = [
  ...views,
  ['an external array by CAI', whole => asCudaArray(whole).slice('1:')],
  ['an external array by DLPack', whole => fromDlpack(whole).slice('1:', '::2')]
];

describe.each(ways)('memory of %s', (_name, way, make) => {
  test.each(allViews)('rules 188, 195: %s is the same memory in both processes', async (_view, viewOf) => {
    using whole = make();
    using view = viewOf(whole);
    using lease = await share(view);
    expect(lease.way).toBe(way);
    const before = view.toNested();
    const seen = await peer.run(
      `const a = kept.a = await lib.openShared(argument);
       const values = a.toNested();
       a.fill(99);
       return { values, shape: a.shape, strides: a.strides, dtype: a.dtype.name, pinned: a.storage.kind };`,
      lease.token
    );
    expect(seen).toEqual({
      values: before,
      shape: view.shape,
      strides: view.strides,
      dtype: 'float32',
      pinned: way === 'memfd' ? 'pinned' : 'device'
    });
    const flat = (nested: unknown): unknown[] => [nested].flat(Infinity);
    expect(new Set(flat(view.toNested()))).toEqual(new Set([99]));
    // Only the elements of the view were written.
    const others = flat(whole.toNested()).filter(value => value !== 99);
    expect(others).toHaveLength(48 - view.size);
    whole.fill(7);
    expect(new Set(flat(await peer.run('return kept.a.toNested()')))).toEqual(new Set([7]));
    await peer.run('kept.a.dispose(); delete kept.a');
    lease.release();
    await lease.drained();
  });

  test('the way can be requested, and others are refused with their requirements', async () => {
    using whole = make();
    using lease = await share(whole, { as: way as 'pool' });
    expect(lease.way).toBe(way);
    for (const other of (['legacy', 'pool', 'vmm', 'memfd'] as const).filter(name => name !== way)) {
      await expect(share(whole, { as: other })).rejects.toMatchObject({
        code: 'ERR_IPC',
        message: expect.stringMatching(new RegExp(`'${other}' requires .*(copy|leave)`)) as string
      });
    }
  });

  test('rule 211: the memory outlives the array and the lease while another process has it open', async () => {
    const whole = make();
    const before = simulated.memoryInfo().free;
    const lease = await share(whole);
    await peer.run('kept.a = await lib.openShared(argument)', String(lease));
    lease.release();
    whole.dispose();
    await peer.run('kept.a.fill(5)');
    expect(await peer.run('return kept.a.item(5, 7)')).toBe(5);
    expect(lease.openers).toBe(1);
    await peer.run('kept.a.dispose(); delete kept.a');
    await lease.drained();
    expect(lease.openers).toBe(0);
    expect(simulated.memoryInfo().free).toBeGreaterThanOrEqual(before);
  });
});

describe('what crosses', () => {
  test('records are shared with their fields', async () => {
    const dtype = recordDType([
      ['id', '<i4'],
      ['place', '<f8', [2]]
    ]);
    const values = [
      { id: 1, place: [0.5, 1.5] },
      { id: 2, place: [2.5, 3.5] }
    ];
    using records = array(values, { ...on, dtype });
    using lease = await share(records);
    expect(
      await peer.run(
        `using a = await lib.openShared(argument); return [a.toNested(), a.dtype.descr];`,
        JSON.stringify(lease)
      )
    ).toEqual([values, dtype.descr]);
  });

  test('rule 59: read-only arrays stay read-only, and any array can be shared as one', async () => {
    using whole = zeros(4, on);
    using plain = await share(whole);
    using asked = await share(whole, { readOnly: true });
    using kept = whole.asReadOnly();
    using inherited = await share(kept);
    using broadcast = await share(whole.broadcastTo([3, 4]));
    const answers = await peer.run(
      `const answers = [];
       for (const token of argument) {
         using a = await lib.openShared(token);
         try { a.fill(1); answers.push('written'); } catch (error) { answers.push(error.name); }
       }
       return answers;`,
      [plain, asked, inherited, broadcast]
    );
    expect(answers).toEqual(['written', 'ReadOnlyError', 'ReadOnlyError', 'ReadOnlyError']);
  });

  test('empty arrays are shared without memory', async () => {
    using nothing = zeros([3, 0], { ...on, dtype: 'int16' });
    using lease = await share(nothing);
    expect(lease.way).toBe('none');
    expect(
      await peer.run(
        'using a = await lib.openShared(argument, { stream: lib.Stream.legacyDefault("sim:0") }); return [a.shape, a.dtype.name]',
        lease
      )
    ).toEqual([[3, 0], 'int16']);
  });
});

describe('arrays that cannot be shared', () => {
  test('rule 194: page-locked memory of one process is refused with the reason', async () => {
    const { Storage } = await import('../../../src/memory/storage.ts');
    const { NDArray: Arrays } = await import('../../../src/array/array.ts');
    const { Stream } = await import('../../../src/core/stream.ts');
    const { dtypes } = await import('../../../src/dtype/dtype.ts');
    for (const [kind, reason] of [
      ['pinned', /other processes cannot open this page-locked memory.*emptyShared/],
      ['managed', /managed memory.*copy/]
    ] as const) {
      using _ = usingMemoryManager(DefaultCUDAMemoryManager);
      const storage = Storage.allocate(simulated, 64, kind);
      const view = { shape: [16], strides: [4], offset: 0 };
      using held = new Arrays(storage, dtypes.float32, view, Stream.legacyDefault(simulated));
      await expect(share(held)).rejects.toThrow(reason);
    }
  });

  test('masked elements, freed arrays, unknown values for `as` and invalid timeouts are refused', async () => {
    using whole = zeros(4, on);
    using mask = zeros(4, { ...on, dtype: 'bool' });
    using masked = whole.withMask(mask);
    await expect(share(masked)).rejects.toThrow(/an array with a mask cannot be shared/);
    const gone = zeros(4, on);
    gone.dispose();
    await expect(share(gone)).rejects.toMatchObject({ code: 'ERR_FREED' });
    await expect(share(whole, { as: 'fabric' as 'pool' })).rejects.toThrow(
      /unknown way "fabric".*one of 'auto'/
    );
    await expect(share(whole, { timeout: NaN })).rejects.toMatchObject({ code: 'ERR_ARGUMENT' });
  });

  test('memory of another process can be shared by its owner only', async () => {
    using whole = zeros(4, on);
    using lease = await share(whole);
    await expect(
      peer.run('using a = await lib.openShared(argument); await lib.share(a)', lease)
    ).rejects.toThrow(/belongs to another process.*copy/);
  });

  test('rule 103: memory that a reset has freed is refused', async () => {
    using _ = usingMemoryManager(VirtualMemoryManager);
    const whole = zeros(4, on);
    using lease = await share(whole);
    resetMemory(simulated);
    await expect(peer.run('await lib.openShared(argument)', lease)).rejects.toThrow(/freed by a reset/);
    whole.dispose();
  });
});
