/** Arrays between two processes, on a real GPU or on the device that STRIDELAB_TEST_DEVICE names. */

import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { after, before, describe, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

import {
  arange,
  asCudaArray,
  DriverError,
  empty,
  PeerLostError,
  Stream,
  zeros,
  type NDArray
} from 'stridelab';
import {
  BestFitPoolMemoryManager,
  DefaultCUDAMemoryManager,
  IpcPoolMemoryManager,
  usingMemoryManager,
  VirtualMemoryManager,
  type MemoryManagerClass
} from 'stridelab/memory';
import { emptyShared, openShared, share, type Lease } from 'stridelab/sharing';

import { device, LARGE, on, samples } from './device.ts';
import type { Request } from './sharing-peer.ts';

interface Reply {
  readonly number: number;
  readonly value?: unknown;
  readonly failure?: string;
}

class Peer {
  readonly process: ChildProcess = fork(fileURLToPath(new URL('sharing-peer.ts', import.meta.url)), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc']
  });
  readonly #pending = new Map<number, (reply: Reply) => void>();
  readonly #started: Promise<Reply>;
  #next = 1;

  constructor() {
    this.process.on('message', (reply: Reply) => this.#pending.get(reply.number)?.(reply));
    this.process.once('exit', () => {
      for (const [number, answer] of this.#pending) answer({ number, failure: 'the peer ended' });
    });
    this.#started = new Promise(resolve => this.#pending.set(0, resolve));
  }

  async run(step: Request['step'], token: Lease | string): Promise<unknown> {
    await this.#started;
    const number = this.#next++;
    const reply = new Promise<Reply>(resolve => this.#pending.set(number, resolve));
    this.process.send({ number, step, token: String(token) } satisfies Request);
    const { value, failure } = await reply;
    this.#pending.delete(number);
    assert.equal(failure, undefined);
    return value;
  }

  async kill(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = new Promise(resolve => this.process.once('exit', resolve));
    this.process.kill('SIGKILL');
    await ended;
  }
}

/** CUDA_ERROR_NOT_PERMITTED, _NOT_SUPPORTED and _OPERATING_SYSTEM, which containers and some systems return. */
const WITHHELD = [800, 801, 304];

/** Returns the result of `work`; skips the test with a reason if the system does not support this way of sharing. */
async function unlessWithheld<T>(context: TestContext, work: () => T): Promise<Awaited<T> | undefined> {
  try {
    return await work();
  } catch (error) {
    const cause: unknown = error instanceof DriverError ? error : (error as Error).cause;
    if (!(cause instanceof DriverError) || !WITHHELD.includes(cause.status)) throw error;
    context.skip((error as Error).message);
    return undefined;
  }
}

function numbers(manager: MemoryManagerClass): NDArray {
  using _ = usingMemoryManager(manager);
  // An allocation before it, so that a pool's block does not start its slab.
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
  ['negative strides', whole => whole.slice('::-1', '::-3')],
  ['a foreign array', whole => asCudaArray(whole).slice('1:')]
];

/** Waits until no process has the lease's array open. */
async function closed(lease: Lease): Promise<void> {
  lease.release();
  await lease.drained();
}

const peers: Peer[] = [];
function start(): Peer {
  const started = new Peer();
  peers.push(started);
  return started;
}

let peer: Peer;
before(() => {
  peer = start();
});
// Including those of failed tests, which would keep this process alive.
after(() => Promise.all(peers.map(one => one.kill())));

for (const [name, way, make] of ways)
  describe(`memory of ${name}`, () => {
    for (const [viewName, viewOf] of views)
      test(`rules 188, 195: ${viewName} is the same memory in both processes`, async context => {
        const whole = await unlessWithheld(context, make);
        if (whole === undefined) return;
        using view = viewOf(whole);
        const lease = await unlessWithheld(context, () => share(view));
        if (lease === undefined) return;
        assert.equal(lease.way, way);
        const before = view.toNested();
        const kind = way === 'memfd' ? 'pinned' : 'device';
        assert.deepEqual(await peer.run('exchange', lease), { seen: before, device: device.label, kind });
        await closed(lease);
        assert.ok(
          [view.toNested()]
            .flat(Infinity as 1)
            .flat()
            .every(value => value === 6.5)
        );
        const changed = (whole.toNested() as number[][]).flat().filter(value => value === 6.5);
        assert.equal(changed.length, view.size);
        whole.dispose();
      });

    test('rule 190: twice at once in one process', async context => {
      const whole = await unlessWithheld(context, make);
      const lease = whole && (await unlessWithheld(context, () => share(whole)));
      if (whole === undefined || lease === undefined) return;
      assert.equal(await peer.run('twice', lease), 4);
      await closed(lease);
      whole.dispose();
    });
  });

/** Makes a large array with the default manager. */
function large(stream: Stream): NDArray {
  using _ = usingMemoryManager(DefaultCUDAMemoryManager);
  return empty(LARGE, { dtype: 'uint8', stream }).fill(0);
}

describe('order', () => {
  test('rule 154: the other process starts after what is pending here', async context => {
    using stream = new Stream(on);
    for (let round = 1; round <= 10; round++) {
      using array = large(stream);
      using filler = large(stream);
      const lease = await unlessWithheld(context, () => share(array));
      if (lease === undefined) return;
      for (let i = 0; i < 200; i++) filler.copyFrom(array);
      array.fill(round);
      assert.deepEqual(await peer.run('look', lease), [round, round, round]);
      await closed(lease);
    }
  });

  test('rules 73, 154: work here starts after what the other process did before it let go', async context => {
    using stream = new Stream(on);
    for (let round = 0; round < 5; round++) {
      using array = large(stream);
      const lease = await unlessWithheld(context, () => share(array));
      if (lease === undefined) return;
      await peer.run('writeLate', lease);
      // The release message may arrive after the end of the step, but long before the peer's work is done.
      const limit = Date.now() + 10_000;
      const takenBack = (): boolean => array.storage.uses().some(use => use.stream !== stream);
      while (!takenBack() && lease.openers > 0 && Date.now() < limit)
        await new Promise(resolve => setImmediate(resolve));
      assert.deepEqual(samples(array), [9, 9, 9]);
      await closed(lease);
    }
  });
});

describe('loss', () => {
  test('a process that is killed lets go of the memory', async context => {
    const other = start();
    const whole = numbers(DefaultCUDAMemoryManager);
    const lease = await unlessWithheld(context, () => share(whole));
    if (lease !== undefined) {
      assert.equal(await other.run('hold', lease), 48);
      whole.dispose();
      lease.release();
      assert.equal(lease.openers, 1);
    }
    await other.kill();
    await lease?.drained();
  });

  for (const way of ['legacy', 'pool', 'vmm'])
    test(`the loss of a process that shares as ${way} is told once, and the array can be disposed`, async context => {
      const other = start();
      const token = await unlessWithheldThere(context, other, way);
      if (token === undefined) return;
      const array = await openShared(token);
      assert.deepEqual(array.toNested(), [1, 2, 3, 4]);
      await other.kill();
      assert.throws(() => array.fill(2), PeerLostError);
      array.dispose();
      await assert.rejects(openShared(token), PeerLostError);
      // The device remains usable.
      using fresh = zeros(16, on).fill(3);
      assert.equal(fresh.item(15), 3);
    });
});

/** Returns the peer's token; undefined, with the test skipped, if its system does not support this way of sharing. */
async function unlessWithheldThere(
  context: TestContext,
  other: Peer,
  way: string
): Promise<string | undefined> {
  try {
    return (await other.run('share', way)) as string;
  } catch (error) {
    if (!/NOT_PERMITTED|NOT_SUPPORTED|OPERATING_SYSTEM/.test((error as Error).message)) throw error;
    context.skip((error as Error).message);
    await other.kill();
    return undefined;
  }
}
