/** Arrays between two processes, on a real GPU or on the device that STRIDELAB_TEST_DEVICE names. */

import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { asCudaArray, PeerLostError, Stream, zeros } from 'stridelab';
import { DefaultCUDAMemoryManager } from 'stridelab/memory';
import { openShared, share, type Lease } from 'stridelab/sharing';

import { device, on, samples } from './device.ts';
import { closed, large, numbers, unlessWithheld, views, ways, WITHHELD_THERE } from './shared-arrays.ts';
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

const allViews: typeof views = [...views, ['an external array', whole => asCudaArray(whole).slice('1:')]];

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
    for (const [viewName, viewOf] of allViews)
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

    test('rule 190: one process can open the array twice', async context => {
      const whole = await unlessWithheld(context, make);
      const lease = whole && (await unlessWithheld(context, () => share(whole)));
      if (whole === undefined || lease === undefined) return;
      assert.equal(await peer.run('twice', lease), 4);
      await closed(lease);
      whole.dispose();
    });
  });

describe('order', () => {
  test('rule 154: the other process starts after the work pending here', async context => {
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

  test('rules 73, 154: work here starts after the work of the other process before it released the array', async context => {
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
  test('a process that is killed releases the memory', async context => {
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
    test(`the loss of a process that shares as ${way} is reported once, and the array can be disposed`, async context => {
      const other = start();
      const share = async (): Promise<string> => (await other.run('share', way)) as string;
      const token = await unlessWithheld(context, share, WITHHELD_THERE);
      if (token === undefined) return other.kill();
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
