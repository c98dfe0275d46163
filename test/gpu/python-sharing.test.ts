/** Arrays on a GPU between this library and ordinary Python processes, both ways: legacy handles, pools, virtual memory, host memory. */

import assert from 'node:assert/strict';
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

import {
  arange,
  BestFitPoolMemoryManager,
  DefaultCUDAMemoryManager,
  DriverError,
  empty,
  emptyShared,
  IpcPoolMemoryManager,
  openShared,
  PeerLostError,
  share,
  Stream,
  usingMemoryManager,
  VirtualMemoryManager,
  zeros,
  type Lease,
  type MemoryManagerClass,
  type NDArray
} from 'stridelab';

import { device, LARGE, on, samples } from './device.ts';
import { PythonPeer } from './python-peer.ts';

const python = process.env['STRIDELAB_PYTHON'] ?? 'python3';

/** Libraries that the Python here can import and use on the GPU; empty without one. */
const libraries: ReadonlySet<string> = new Set(
  device.simulated ? [] : probe('["numpy", "torch", "cupy", "numba", "jax"]')
);

function probe(names: string): string[] {
  const code = `import importlib.util as u, json; print(json.dumps([n for n in ${names} if u.find_spec(n)]))`;
  try {
    return JSON.parse(execFileSync(python, ['-c', code], { encoding: 'utf8' })) as string[];
  } catch {
    return [];
  }
}

/** For `skip`: false where all of them are here. */
function without(...names: string[]): string | false {
  const missing = names.filter(name => !libraries.has(name));
  return missing.length > 0 && `this needs Python with ${missing.join(', ')} on a GPU`;
}

/** CUDA_ERROR_NOT_PERMITTED, _NOT_SUPPORTED and _OPERATING_SYSTEM: what containers and some systems answer. */
const WITHHELD = [800, 801, 304];

/** What `work` gives; where the system withholds this way of sharing, the test is skipped and says so. */
async function unlessWithheld<T>(
  context: TestContext,
  work: () => T,
  also = /NOT_PERMITTED|NOT_SUPPORTED|OPERATING_SYSTEM/
): Promise<Awaited<T> | undefined> {
  try {
    return await work();
  } catch (error) {
    const cause: unknown = error instanceof DriverError ? error : (error as Error).cause;
    const known = cause instanceof DriverError && WITHHELD.includes(cause.status);
    const there = also.test((error as Error).message);
    if (!known && !there) throw error;
    context.skip((error as Error).message);
    return undefined;
  }
}

const PREPARE = `
  import numpy
  numpy.row_stack = numpy.vstack  # numba-cuda asks for it at its import
`;

const peers: PythonPeer[] = [];
async function start(): Promise<PythonPeer> {
  const started = await PythonPeer.start(python, { XLA_PYTHON_CLIENT_PREALLOCATE: 'false' });
  peers.push(started);
  if (libraries.has('numpy')) await started.run(PREPARE);
  return started;
}

let peer: PythonPeer;
before(async () => {
  if (libraries.size > 0) peer = await start();
});
after(() => Promise.all(peers.map(one => one.kill())));

async function closed(lease: Lease): Promise<void> {
  lease.release();
  await lease.drained();
}

function numbers(manager: MemoryManagerClass): NDArray {
  using _ = usingMemoryManager(manager);
  // Something before it, so that a pool's block does not start its slab.
  using _before = zeros(100, on);
  return arange(48, { ...on, dtype: 'float32' }).reshape(6, 8);
}

function hosted(): NDArray {
  using source = arange(48, { ...on, dtype: 'float32' });
  return emptyShared(48, { ...on, dtype: 'float32' })
    .copyFrom(source)
    .reshape(6, 8);
}

const ways: readonly (readonly [name: string, way: string, make: () => NDArray])[] = [
  ['the default manager', 'legacy', () => numbers(DefaultCUDAMemoryManager)],
  ['the best-fit pool', 'legacy', () => numbers(BestFitPoolMemoryManager)],
  ['an exportable pool', 'pool', () => numbers(IpcPoolMemoryManager)],
  ['virtual memory', 'vmm', () => numbers(VirtualMemoryManager)],
  ['shared host memory', 'memfd', hosted]
];

const views: readonly (readonly [name: string, view: (whole: NDArray) => NDArray])[] = [
  ['whole', whole => whole.slice()],
  ['a slice with an offset', whole => whole.slice('2:5', '3:7')],
  ['negative strides', whole => whole.slice('::-1', '::-3')]
];

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
      // A start that every library's alignment allows.
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

/** A large array of the default manager. */
function large(stream: Stream): NDArray {
  using _ = usingMemoryManager(DefaultCUDAMemoryManager);
  return empty(LARGE, { dtype: 'uint8', stream }).fill(0);
}

describe('order', { skip: without('torch') }, () => {
  /** First, middle and last value, as a stream that does not wait for others finds them right after the opening. */
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

  /** What Python sees of a fill behind much other work, in each round. */
  async function rounds(context: TestContext, code: string): Promise<unknown[] | undefined> {
    using stream = new Stream(on);
    const seen: unknown[] = [];
    for (let round = 1; round <= 8; round++) {
      using array = large(stream);
      using filler = large(stream);
      const lease = await unlessWithheld(context, () => share(array));
      if (lease === undefined) return undefined;
      // CUDA starts in the other process at the first opening.
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
   from stridelab.sharing import opened_device
   waiting, opened_device._await = opened_device._await, lambda *_: None
   ${LOOK.trim()}
   opened_device._await = waiting`;
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
    test(`rules 73, 232: work here starts after what Python did on ${name} before it let go`, async context => {
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
        // The word of it comes in a turn of the event loop.
        const limit = Date.now() + 10_000;
        const takenBack = (): boolean => array.storage.uses().some(use => use.stream !== own);
        while (!takenBack() && lease.openers > 0 && Date.now() < limit)
          await new Promise(resolve => setImmediate(resolve));
        assert.deepEqual(samples(array), [round, round, round]);
        await closed(lease);
      }
    });
});

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
          // JAX's own allocator may be of a kind that cannot be shared.
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

/** Whole numbers of 64 bits, as they come here. */
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

  test('300 openings leave no memory and no descriptor', async context => {
    using whole = numbers(DefaultCUDAMemoryManager);
    const lease = await unlessWithheld(context, () => share(whole));
    if (lease === undefined) return;
    const count = `
       import gc, os
       from stridelab.sharing import reaper
       gc.collect()
       assert reaper.idle()
       result = [len(os.listdir("/proc/self/fd")), cupy.cuda.runtime.memGetInfo()[0]]`;
    const round = `
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
