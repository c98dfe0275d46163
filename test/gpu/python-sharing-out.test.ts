/** GPU arrays that ordinary Python processes open: legacy handles, pools, virtual memory, host memory; and their order. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { Stream } from 'stridelab';
import { DefaultCUDAMemoryManager } from 'stridelab/memory';
import { share } from 'stridelab/sharing';
import { LARGE, on, samples } from './device.ts';
import { closed, numbers, peer, unlessWithheld, withPeer, without } from './python-sharing-peer.ts';
import { large, views, ways } from './shared-arrays.ts';

withPeer();

for (const [name, way, make] of ways)
  describe(`opened in Python: memory of ${name}`, { skip: without('cupy') }, () => {
    for (const [viewName, viewOf] of views)
      test(`rules 188, 195: ${viewName} is the same memory in both processes`, async context => {
        const whole = await unlessWithheld(context, make);
        if (whole === undefined) return;
        using view = viewOf(whole);
        const lease = await unlessWithheld(context, () => share(view));
        if (lease === undefined) return;
        const before = view.toNested();
        const seen = await unlessWithheld(context, () =>
          peer.run(
            `
             import cupy, numpy
             with stridelab.open(argument) as a:
                 x = (cupy if a.device.startswith("cuda") else numpy).asarray(a)
                 result = [x.tolist(), a.device.split(":")[0]]
                 x.fill(6.5)
                 del x
             del a`,
            lease.token
          )
        );
        if (seen === undefined) return;
        assert.deepEqual(seen, [before, way === 'memfd' ? 'cpu' : 'cuda']);
        await closed(lease);
        assert.deepEqual(new Set([view.toNested()].flat(2)), new Set([6.5]));
        const changed = (whole.toNested() as number[][]).flat().filter(value => value === 6.5);
        assert.equal(changed.length, view.size);
        whole.dispose();
      });
  });

describe('opened in Python: the libraries', () => {
  const readers: readonly (readonly [library: string, code: string])[] = [
    ['torch', 'import torch; t = torch.from_dlpack(a); result = t.tolist(); del t'],
    ['cupy', 'import cupy; t = cupy.from_dlpack(a); result = t.tolist(); del t'],
    ['numba', 'from numba import cuda; t = cuda.as_cuda_array(a); result = t.copy_to_host().tolist(); del t'],
    ['jax', 'import jax; t = jax.dlpack.from_dlpack(a); result = numpy.asarray(t).tolist(); del t']
  ];
  for (const [library, code] of readers)
    test(`${library} reads a row of a shared array`, { skip: without('numpy', library) }, async context => {
      using whole = numbers(DefaultCUDAMemoryManager);
      // A start with an alignment that every library accepts.
      using view = whole.slice(4);
      const lease = await unlessWithheld(context, () => share(view));
      if (lease === undefined) return;
      const seen = await peer.run(
        `
         a = stridelab.open(argument)
         ${code}
         a.close()
         del a`,
        lease.token
      );
      assert.deepEqual(seen, view.toNested());
      lease.release();
      await peer.run('import gc; gc.collect()');
      await lease.drained();
    });

  test('rules 59, 137: read-only is kept', { skip: without('cupy') }, async context => {
    using whole = numbers(DefaultCUDAMemoryManager);
    const lease = await unlessWithheld(context, () => share(whole, { readOnly: true }));
    if (lease === undefined) return;
    const seen = await peer.run(
      `
       with stridelab.open(argument) as a:
           result = [a.readonly, a.__cuda_array_interface__["data"][1]]
           try:
               a.__dlpack__(stream=1)
           except BufferError as error:
               result.append("137" in str(error))
       del a`,
      lease.token
    );
    assert.deepEqual(seen, [true, true, true]);
    await closed(lease);
  });
});

describe('order', { skip: without('torch') }, () => {
  /** First, middle and last value, as read right after opening by a stream that does not wait for others. */
  const LOOK = `
   import torch
   s = torch.cuda.Stream()
   a = stridelab.open(argument, stream=s)
   with torch.cuda.stream(s):
       t = torch.from_dlpack(a)
       seen = torch.stack([t[0], t[t.numel() // 2], t[-1]])
   s.synchronize()
   result = seen.tolist()
   del t, seen
   a.close()
   del a`;

  /** The values that Python reads of a fill queued behind much other work, in each round. */
  async function rounds(context: TestContext, code: string): Promise<unknown[] | undefined> {
    using stream = new Stream(on);
    const seen: unknown[] = [];
    for (let round = 1; round <= 8; round++) {
      using array = large(stream);
      using filler = large(stream);
      const lease = await unlessWithheld(context, () => share(array));
      if (lease === undefined) return undefined;
      // CUDA is initialized in the other process at the first opening.
      if (round === 1) await peer.run(LOOK, lease.token);
      for (let i = 0; i < 400; i++) filler.copyFrom(array);
      array.fill(round);
      seen.push(await peer.run(code, lease.token));
      await closed(lease);
    }
    return seen;
  }

  test('rule 154: Python starts after what is pending here, on the device', async context => {
    const seen = await rounds(context, LOOK);
    if (seen !== undefined)
      assert.deepEqual(
        seen,
        [1, 2, 3, 4, 5, 6, 7, 8].map(round => [round, round, round])
      );
  });

  test('without the wait the same program sees older values', async context => {
    const unordered = `
   from stridelab.sharing.cuda import Device, Event
   kept = Device.wait, Event.synchronize
   Device.wait = Event.synchronize = lambda *_: None
   ${LOOK.trim()}
   Device.wait, Event.synchronize = kept`;
    const seen = await rounds(context, unordered);
    if (seen !== undefined)
      assert.ok(
        seen.some((values, index) => (values as number[])[2] !== index + 1),
        'the race was never seen, so the test of the wait says nothing'
      );
  });

  for (const [name, stream] of [
    ['the default stream', 'torch.cuda.default_stream()'],
    ['a stream of its own', 'torch.cuda.Stream()']
  ] as const)
    test(`rules 73, 232: work here starts after the work of Python on ${name} before it released the array`, async context => {
      using own = new Stream(on);
      for (let round = 1; round <= 4; round++) {
        using array = large(own);
        const lease = await unlessWithheld(context, () => share(array));
        if (lease === undefined) return;
        await peer.run(
          `
           import torch
           s = ${stream}
           big = torch.zeros(${LARGE}, dtype=torch.uint8, device="cuda")
           torch.cuda.synchronize()
           with stridelab.open(argument) as a, torch.cuda.stream(s):
               t = torch.from_dlpack(a)
               other = torch.empty_like(big)
               for _ in range(400):
                   other.copy_(big)
               t.fill_(${round})
           del t, a`,
          lease.token
        );
        // The notification arrives in a turn of the event loop.
        const limit = Date.now() + 10_000;
        const takenBack = (): boolean => array.storage.uses().some(use => use.stream !== own);
        while (!takenBack() && lease.openers > 0 && Date.now() < limit)
          await new Promise(resolve => setImmediate(resolve));
        assert.deepEqual(samples(array), [round, round, round]);
        await closed(lease);
      }
    });
});
