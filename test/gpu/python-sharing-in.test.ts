/** GPU arrays that ordinary Python processes share, several at a time, and processes that crash. */

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PeerLostError, Stream, zeros } from 'stridelab';
import { DefaultCUDAMemoryManager } from 'stridelab/memory';
import { openShared, share, type Lease } from 'stridelab/sharing';
import { device, LARGE, on, samples } from './device.ts';
import { closed, numbers, peer, start, unlessWithheld, withPeer, without } from './python-sharing-peer.ts';

withPeer();

describe('shared by Python', () => {
  const makers: readonly (readonly [library: string, name: string, code: string])[] = [
    ['torch', 'a tensor', 'torch.arange(48, dtype=torch.float32, device="cuda").reshape(6, 8)'],
    [
      'torch',
      'a slice',
      'torch.arange(480, dtype=torch.float32, device="cuda").reshape(60, 8)[12:18, 1:7:2]'
    ],
    ['torch', 'bfloat16', 'torch.arange(48, device="cuda").to(torch.bfloat16).reshape(6, 8)'],
    ['cupy', 'negative strides', 'cupy.arange(48, dtype="f4").reshape(6, 8)[::-1, ::-3]'],
    ['cupy', 'a transpose', 'cupy.arange(48, dtype="i8").reshape(6, 8).T'],
    ['numba', 'an array', 'cuda.to_device(numpy.arange(48, dtype="f8").reshape(6, 8))'],
    ['jax', 'an array', 'jax.numpy.arange(48.0).reshape(6, 8)']
  ];
  const imports = {
    torch: 'import torch',
    cupy: 'import cupy',
    numba: 'from numba import cuda',
    jax: 'import jax'
  };
  for (const [library, name, code] of makers)
    test(
      `rule 188: ${name} of ${library} is the same memory here`,
      { skip: without('numpy', library) },
      async context => {
        const made = await unlessWithheld(
          context,
          () =>
            peer.run<[string, boolean, string]>(
              `
           ${imports[library as keyof typeof imports]}
           x = ${code}
           lease = stridelab.share(x)
           result = [str(lease), lease.copied, lease.way]`
            ),
          // JAX's own allocator may use memory that cannot be shared.
          library === 'jax' ? /rule 194/ : undefined
        );
        if (made === undefined) return;
        assert.deepEqual(made.slice(1), [false, library === 'jax' ? made[2] : 'legacy']);
        {
          using opened = await openShared(made[0]);
          assert.equal(opened.device, device);
          const expected = await peer.run(
            `result = (x.copy_to_host() if hasattr(x, "copy_to_host") else numpy.asarray(x) if ${library === 'jax' ? 'True' : 'False'} else x).tolist()`
          );
          assert.deepEqual(
            opened.toNested(),
            library === 'cupy' && name === 'a transpose' ? big(expected) : expected
          );
          if (library !== 'jax') opened.fill(library === 'cupy' && name === 'a transpose' ? 7n : 7);
        }
        await peer.run('lease.release(); assert lease.drained(10)');
        if (library !== 'jax')
          assert.equal(
            await peer.run(
              'result = bool(((x.copy_to_host() if hasattr(x, "copy_to_host") else x) == 7).all())'
            ),
            true
          );
      }
    );

  test('what is pending there comes before work here', { skip: without('torch') }, async context => {
    for (let round = 1; round <= 5; round++) {
      const token = await unlessWithheld(context, () =>
        peer.run<string>(
          `
           import torch
           x = torch.zeros(${LARGE}, dtype=torch.uint8, device="cuda")
           big = torch.empty_like(x)
           torch.cuda.synchronize()
           lease = stridelab.share(x)
           for _ in range(400):
               big.copy_(x)
           x.fill_(${round})
           result = str(lease)`
        )
      );
      if (token === undefined) return;
      using stream = new Stream(on);
      using opened = await openShared(token, { stream });
      using copy = opened.copy({ stream });
      assert.deepEqual(samples(copy), [round, round, round]);
      opened.dispose();
      await peer.run('lease.release(); assert lease.drained(10)');
    }
  });

  test(
    'rule 194: a stream-ordered pool that was not made for it says so',
    { skip: without('cupy') },
    async () => {
      const refused = await peer.run<string>(
        `
       import cupy
       with cupy.cuda.using_allocator(cupy.cuda.MemoryAsyncPool().malloc):
           x = cupy.zeros(100)
       try:
           stridelab.share(x)
       except stridelab.IpcError as error:
           result = str(error)
       del x`
      );
      assert.match(refused, /stream-ordered pool/);
    }
  );

  test('a pool with descriptors, of cuda.core, is opened here', { skip: without('numpy') }, async context => {
    let made: [token: string, way: string];
    try {
      made = await peer.run<typeof made>(
        `
         from cuda.core import Device, DeviceMemoryResource, DeviceMemoryResourceOptions
         gpu = Device(0)
         gpu.set_current()
         resource = DeviceMemoryResource(gpu, DeviceMemoryResourceOptions(ipc_enabled=True, max_size=1 << 24))
         stream = gpu.create_stream()
         block = resource.allocate(4096, stream=stream)
         stream.sync()
         lease = stridelab.share(block)
         result = [str(lease), lease.way]`
      );
    } catch (error) {
      context.skip(`cuda.core makes none here: ${(error as Error).message}`);
      return;
    }
    assert.equal(made[1], 'pool');
    const opened = await unlessWithheld(context, () => openShared(made[0]));
    if (opened === undefined) return;
    assert.equal(opened.size, 4096);
    opened.dispose();
    await peer.run('lease.release(); assert lease.drained(10)');
  });
});

/** Converts numbers to bigint, the form in which 64-bit integers arrive here. */
function big(nested: unknown): unknown {
  return Array.isArray(nested) ? nested.map(big) : BigInt(nested as number);
}

describe('several, and loss', { skip: without('cupy') }, () => {
  test('rule 190: slices of one allocation are opened together, and closed in any order', async context => {
    using whole = numbers(DefaultCUDAMemoryManager);
    const leases: Lease[] = [];
    for (const row of [0, 2, 4]) {
      using slice = whole.slice(row);
      const lease = await unlessWithheld(context, () => share(slice));
      if (lease === undefined) return;
      leases.push(lease);
    }
    const seen = await peer.run(
      `
       import cupy
       opened = [stridelab.open(token) for token in argument]
       views = [cupy.from_dlpack(a) for a in opened]
       result = [view.tolist() for view in views]
       opened[1].close()
       views[1] = None
       views[0].fill(1); views[2].fill(3)
       cupy.cuda.Device().synchronize()
       opened[0].close()
       opened[2].close()
       del views, opened`,
      leases.map(String)
    );
    const rows = (start: number): number[] => Array.from({ length: 8 }, (_, i) => start + i);
    assert.deepEqual(seen, [rows(0), rows(16), rows(32)]);
    await Promise.all(leases.map(closed));
    assert.deepEqual(
      [0, 1, 2, 4].map(row => (whole.toNested() as number[][])[row]![0]),
      [1, 8, 16, 3]
    );
  });

  test('a Python process that is killed lets go of the memory', async context => {
    const other = await start();
    const whole = numbers(DefaultCUDAMemoryManager);
    const lease = await unlessWithheld(context, () => share(whole));
    if (lease === undefined) return;
    await other.run(
      'import cupy; a = stridelab.open(argument); x = cupy.asarray(a); x.sum().item()',
      lease.token
    );
    whole.dispose();
    lease.release();
    assert.equal(lease.openers, 1);
    await other.kill();
    await lease.drained();
  });

  test('the loss of a Python owner is told once here', async context => {
    const other = await start();
    const token = await unlessWithheld(context, () =>
      other.run<string>(
        'import cupy; x = cupy.arange(4, dtype="f4"); lease = stridelab.share(x); result = str(lease)'
      )
    );
    if (token === undefined) return;
    const opened = await openShared(token);
    assert.deepEqual(opened.toNested(), [0, 1, 2, 3]);
    await other.kill();
    assert.throws(() => opened.fill(2), PeerLostError);
    opened.dispose();
    using fresh = zeros(16, on).fill(3);
    assert.equal(fresh.item(15), 3);
  });

  test('the loss of the owner is told once in Python, and its device is as good as before', async context => {
    const owner = fork(fileURLToPath(new URL('sharing-peer.ts', import.meta.url)), {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc']
    });
    await once(owner, 'message');
    owner.send({ number: 1, step: 'share', token: 'legacy' });
    const [{ value, failure }] = (await once(owner, 'message')) as [{ value?: string; failure?: string }];
    if (failure !== undefined) {
      context.skip(failure);
      owner.kill();
      return;
    }
    await peer.run(
      'import cupy; a = stridelab.open(argument); assert cupy.from_dlpack(a).tolist() == [1, 2, 3, 4]',
      value
    );
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    await assert.rejects(peer.run('a.__cuda_array_interface__'), { name: 'PeerLostError' });
    assert.equal(await peer.run('a.close(); del a; result = cupy.arange(5).sum().item()'), 10);
    await assert.rejects(peer.run('stridelab.open(argument)', value), { name: 'PeerLostError' });
  });
});
