/** Memory and descriptors of a Python process that opens shared GPU arrays many times. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DefaultCUDAMemoryManager } from 'stridelab/memory';
import { share } from 'stridelab/sharing';
import { closed, numbers, peer, unlessWithheld, withPeer, without } from './python-sharing-peer.ts';

withPeer();

test('300 openings leave no memory and no descriptor', { skip: without('cupy') }, async context => {
  using whole = numbers(DefaultCUDAMemoryManager);
  const lease = await unlessWithheld(context, () => share(whole));
  if (lease === undefined) return;
  const count = `
     import cupy, gc, os
     from stridelab.sharing import reaper
     gc.collect()
     assert reaper.idle()
     result = [len(os.listdir("/proc/self/fd")), cupy.cuda.runtime.memGetInfo()[0]]`;
  const round = `
     import cupy
     for _ in range(argument[1]):
         with stridelab.open(argument[0]) as a:
             x = cupy.from_dlpack(a)
             x += 0
             del x
     del a`;
  await peer.run(round, [lease.token, 3]);
  const before = await peer.run(count);
  await peer.run(round, [lease.token, 300]);
  assert.deepEqual(await peer.run(count), before);
  await closed(lease);
});
