/** The life of shares: order between the processes' work, leases, and the exit of either side at any moment. */

import { readdirSync } from 'node:fs';

import { describeArray } from '../../../src/pictures/array/describe.ts';
import { arange, ones, zeros } from '../../../src/array/creation.ts';
import { native } from '../../../src/native/load.ts';
import { Channel } from '../../../src/sharing/channel.ts';
import { emptyShared, openShared, share } from '../../../src/sharing/index.ts';
import { Stream } from '../../../src/core/stream.ts';
import { MEBI, simulated } from '../managers/plugins.ts';
import { until } from '../../setup/until.ts';
import { Peer, peer, withPeer } from './peer.ts';

const on = { device: simulated } as const;
const descriptors = (): number => readdirSync('/proc/self/fd').length;

withPeer();

describe('order', () => {
  test('rule 154: work of the other process starts after the work that was pending here', async () => {
    using stream = new Stream(on);
    using source = zeros(16 * MEBI, { dtype: 'uint8', stream });
    using array = zeros(16 * MEBI, { dtype: 'uint8', stream });
    using lease = await share(array);
    stream.synchronize();
    expect(
      await peer.run(
        `const stream = new lib.Stream(on);
         using a = await lib.openShared(argument, { stream });
         return [stream.query(), a.storage.uses().length];`,
        lease
      )
    ).toEqual([true, 0]);
    await until(() => lease.openers === 0);
    array.copyFrom(source); // 16 MiB at 1000 GB/s: 17 microseconds of virtual time
    expect(stream.query()).toBe(false);
    const [busy, uses, idle] = await peer.run<readonly [boolean, readonly string[], boolean]>(
      `const stream = new lib.Stream(on), second = new lib.Stream(on);
       using a = await lib.openShared(argument, { stream });
       const busy = !stream.query();
       const uses = a.storage.uses().map(use => use.access);
       a.fill(1, { stream: second });
       second.synchronize();
       return [busy, uses, stream.query()];`,
      lease
    );
    expect([busy, uses]).toEqual([true, ['write']]);
    // Waiting for the second stream included the first, which had waited for us.
    expect(idle).toBe(true);
  });

  test('rules 73, 154: later work here starts after the work of the other process before it released the array', async () => {
    using array = zeros(4, on);
    using lease = await share(array);
    await peer.run(
      `const stream = new lib.Stream(on);
       const big = lib.zeros(64 * 2 ** 20, { dtype: 'uint8', stream });
       const other = lib.zeros(64 * 2 ** 20, { dtype: 'uint8', stream });
       const a = await lib.openShared(argument, { stream });
       other.copyFrom(big);
       a.fill(3);
       a.dispose();`,
      lease
    );
    await until(() => lease.openers === 0);
    expect(array.storage.uses().map(({ access }) => access)).toContain('write');
    using stream = new Stream(on);
    array.fill(4, { stream });
    stream.synchronize();
    expect(array.toNested()).toEqual([4, 4, 4, 4]);
  });

  test('with a driver without such events the host waits instead', async () => {
    const { sharing } = native();
    const { eventCreate } = sharing;
    const refused = native().devices('recording')[0];
    expect(() => sharing.eventHandle(sharing.eventCreate(refused as NonNullable<typeof refused>))).toThrow(
      /CUDA_ERROR_NOT_SUPPORTED.*no such function/
    );
    Object.assign(sharing, {
      eventCreate: () => eventCreate(refused as NonNullable<typeof refused>)
    });
    try {
      using stream = new Stream(on);
      using source = zeros(16 * MEBI, { dtype: 'uint8', stream });
      using array = zeros(16 * MEBI, { dtype: 'uint8', stream });
      array.copyFrom(source);
      using lease = await share(array);
      expect(stream.query()).toBe(false);
      const uses = await peer.run(
        'using a = await lib.openShared(argument); return a.storage.uses().length',
        lease
      );
      expect(uses).toBe(0);
      expect(stream.query()).toBe(true);
    } finally {
      Object.assign(sharing, { eventCreate });
    }
  });
});

describe('leases', () => {
  test('rule 190: two openings in one process can be closed in either order', async () => {
    using array = arange(8, on);
    using lease = await share(array);
    for (const order of ['first, second', 'second, first']) {
      const seen = await peer.run(
        `const first = await lib.openShared(argument), second = await lib.openShared(argument);
         first.fill(1);
         first.stream.synchronize();
         const seen = [second.item(7)];
         const [one, other] = [${order}];
         one.dispose();
         seen.push(other.item(0));
         other.dispose();
         return seen;`,
        lease
      );
      expect(seen).toEqual([1, 1]);
      await until(() => lease.openers === 0);
    }
  });

  test('an opener that asks while this process has no descriptor left succeeds once it has', async () => {
    const owner = await Peer.start();
    const token = await owner.run<string>(
      `kept.a = lib.ones(4, on); kept.lease = await lib.share(kept.a);
       const { openSync, closeSync } = await import('node:fs');
       const files = [];
       try { for (;;) files.push(openSync('/dev/null')); } catch (error) { if (error.code !== 'EMFILE') throw error; }
       setTimeout(() => files.forEach(file => closeSync(file)), 150);
       return String(kept.lease);`
    );
    using array = await openShared(token);
    expect(array.item(3)).toBe(1);
    await owner.kill();
  });

  test('several processes can open at the same time', async () => {
    using array = arange(8, on);
    using lease = await share(array);
    const others = await Promise.all([Peer.start(), Peer.start()]);
    const open = 'kept.a = await lib.openShared(argument); return kept.a.item(3)';
    expect(await Promise.all([peer, ...others].map(one => one.run(open, lease)))).toEqual([3, 3, 3]);
    expect(lease.openers).toBe(3);
    await Promise.all(others.map(other => other.exit()));
    await until(() => lease.openers === 1);
    await peer.run('kept.a.dispose()');
    await until(() => lease.openers === 0);
  });

  test('a released lease, an expired one and one of another kind cannot be opened', async () => {
    using array = arange(8, on);
    const released = await share(array);
    released.release();
    released.release();
    expect(released.freed).toBe(true);
    await released.drained();
    const refused = { code: 'ERR_IPC', message: expect.stringMatching(/was released/) as string };
    await expect(peer.run('await lib.openShared(argument)', released)).rejects.toMatchObject(refused);
    using late = await share(array, { timeout: 20 });
    await until(() => late.freed);
    await expect(peer.run('await lib.openShared(argument)', late)).rejects.toMatchObject(refused);
    for (const text of ['', 'stridelab-share:1:a:b', '{}', '[1]', '{"stridelabShare":2}', '{'])
      await expect(openShared(text)).rejects.toMatchObject({ code: 'ERR_IPC' });
  });

  test('rule 190: the process that shares, and its threads, get an error with advice to use the array', async () => {
    using array = arange(8, on);
    using lease = await share(array);
    await expect(openShared(lease)).rejects.toThrow(/shares the array itself/);
    await peer.run(`kept.lease = await lib.share(kept.b = lib.zeros(4, on)); return String(kept.lease)`);
    await expect(
      peer.run(
        `const { Worker } = await import('node:worker_threads');
         const code = \`import(\${JSON.stringify(argument)}).then(({ openShared }) => openShared('\${kept.lease}')).then(
           () => process.exit(1), error => require('node:worker_threads').parentPort.postMessage(error.message))\`;
         const worker = new Worker(code, { eval: true, execArgv: [] });
         const message = await new Promise(resolve => worker.once('message', resolve).once('exit', resolve));
         await worker.terminate();
         return message;`,
        new URL('../../setup/whole-library.ts', import.meta.url).href
      )
    ).resolves.toMatch(/another thread of this process/);
  });

  test('rule 223: a thread that shares can be ended at any moment, and its socket and its files are closed', async () => {
    const seen = await peer.run(
      `const { Worker } = await import('node:worker_threads');
       const { readdirSync } = await import('node:fs');
       const code = \`import(\${JSON.stringify(argument)}).then(async ({ share, zeros }) => {
         globalThis.kept = zeros(4, { device: 'sim:0' });
         require('node:worker_threads').parentPort.postMessage(String(await share(globalThis.kept)));
         setInterval(() => {}, 1000);
       });\`;
       const counts = [], failures = [];
       for (let round = 0; round < 3; round++) {
         const worker = new Worker(code, { eval: true, execArgv: [] });
         const token = await new Promise(resolve => worker.once('message', resolve));
         const opening = lib.openShared(token).catch(error => error.code);
         await worker.terminate();
         failures.push(await opening, await lib.openShared(token).catch(error => error.code));
         counts.push(readdirSync('/proc/self/fd').length);
       }
       return { failures, grown: counts[2] - counts[0] };`,
      new URL('../../setup/whole-library.ts', import.meta.url).href
    );
    expect(seen).toEqual({
      failures: Array(3).fill(['ERR_IPC', 'ERR_PEER_LOST']).flat(),
      grown: 0
    });
  });

  test('rule 193: without such sharing on the system, the error says so', async () => {
    using array = arange(8, on);
    const { platform } = process;
    Object.defineProperty(process, 'platform', { value: 'darwin' });
    try {
      await expect(share(array)).rejects.toThrow(/requires Linux, this is darwin/);
    } finally {
      Object.defineProperty(process, 'platform', { value: platform });
    }
  });

  test('a thousand openings leave no mapping, no descriptor and no memory behind, on either side', async () => {
    using array = arange(8, on);
    using host = emptyShared(8, on);
    using lease = await share(array);
    using hosted = await share(host);
    const facts = `const { readdirSync, readFileSync } = await import('node:fs');
      const count = () => [readdirSync('/proc/self/fd').length, readFileSync('/proc/self/maps', 'utf8').split('memfd').length];
      const round = async () => { for (const token of argument) { using a = await lib.openShared(token); a.item(0); } };
      for (let i = 0; i < 10; i++) await round();
      await pause(50);
      const before = count();
      for (let i = 0; i < 500; i++) await round();
      // Connections end when both sides have turned.
      for (let i = 0; i < 1000 && count().some((number, index) => number > before[index]); i++) await pause(10);
      return [before, count()];`;
    const ours = descriptors();
    const [before, after] = await peer.run<readonly [number[], number[]]>(facts, [lease, hosted]);
    expect(after.map((number, index) => Math.max(number, before[index]!))).toEqual(before);
    await until(() => lease.openers === 0 && hosted.openers === 0);
    expect(descriptors()).toBeLessThanOrEqual(ours + 1);
  });

  test('rule 167: an unreachable array there is released when it is collected', async () => {
    using array = arange(8, on);
    using lease = await share(array);
    await peer.run('await (async () => void (await lib.openShared(argument)).item(0))()', lease);
    expect(lease.openers).toBe(1);
    await peer.run(
      'for (let i = 0; i < 5; i++) { globalThis.gc(); await pause(5); native().drainReleases(); }'
    );
    await until(() => lease.openers === 0);
  });

  test('other users are refused, and strangers do no harm', async () => {
    using array = arange(8, on);
    using lease = await share(array);
    const { socket } = lease.token;
    const stranger = Channel.connect(socket) as Channel;
    stranger.send({ open: { odd: true } });
    stranger.send({ used: 'before opening' });
    await until(() => !stranger.alive);
    stranger.close();
    expect(lease.openers).toBe(0);
    if (process.getuid?.() === 0) {
      const message = await peer.run(
        `process.seteuid(65534);
         try { await lib.openShared(argument); return 'opened'; }
         catch (error) { return error.message; }
         finally { process.seteuid(0); }`,
        lease
      );
      expect(message).toMatch(/belongs to user 0: arrays are shared between processes of one user/);
    }
    expect(await peer.run('using a = await lib.openShared(argument); return a.item(7)', lease)).toBe(7);
  });
});

describe('loss', () => {
  test('of the process that opened: its memory is released, even if it is killed during work', async () => {
    const other = await Peer.start();
    const array = arange(1000, on);
    const lease = await share(array);
    await other.run('kept.a = await lib.openShared(argument); kept.a.fill(1);', lease);
    lease.release();
    array.dispose();
    expect(lease.openers).toBe(1);
    await other.kill();
    await lease.drained();
    expect(lease.openers).toBe(0);
  });

  test.each([
    ['killed', (one: Peer) => one.kill()],
    ['ended', (one: Peer) => one.exit()]
  ])(
    'of the process that shares: %s, the next use reports it once, and the memory stays',
    async (_name, end) => {
      const other = await Peer.start();
      const token = await other.run<string>(
        `kept.a = lib.arange(8, on); kept.lease = await lib.share(kept.a); return String(kept.lease)`
      );
      const array = await openShared(token);
      expect(array.item(7)).toBe(7);
      await end(other);
      // Inspection is not a use.
      expect(array.storage.uses().map(use => use.complete)).not.toContain(false);
      expect(describeArray(array)).toBeDefined();
      expect(() => array.item(7)).toThrow(
        expect.objectContaining({ code: 'ERR_PEER_LOST', name: 'PeerLostError' }) as Error
      );
      expect(array.item(7)).toBe(7);
      array.fill(2);
      expect(array.item(0)).toBe(2);
      array.dispose();
      native().drainReleases(true);
      await expect(openShared(token)).rejects.toMatchObject({ code: 'ERR_PEER_LOST' });
    }
  );

  test('of the process that shares is noticed inside a loop that never lets the event loop run', async () => {
    const other = await Peer.start();
    const token = await other.run<string>(
      'kept.a = lib.ones(8, on); kept.lease = await lib.share(kept.a); return String(kept.lease)'
    );
    using array = await openShared(token);
    const ended = new Promise(resolve => other.process.once('exit', resolve));
    other.process.kill('SIGKILL');
    const limit = Date.now() + 15_000;
    let noticed: unknown;
    while (noticed === undefined && Date.now() < limit) {
      try {
        array.fill(1);
      } catch (error) {
        noticed = error;
      }
    }
    expect(noticed).toMatchObject({ code: 'ERR_PEER_LOST' });
    await ended;
  });

  test('of the process that shares during a request is an error: stopped, killed, or busy', async () => {
    const other = await Peer.start();
    const token = await other.run<string>(
      'kept.a = lib.ones(8, on); kept.lease = await lib.share(kept.a); return String(kept.lease)'
    );
    other.process.kill('SIGSTOP');
    await expect(openShared(token, { timeout: 50 })).rejects.toThrow(/no answer .* in 50 ms/);
    const asked = openShared(token);
    other.process.kill('SIGKILL');
    await expect(asked).rejects.toMatchObject({ code: 'ERR_PEER_LOST' });
    await expect(openShared(token, { timeout: -1 })).rejects.toMatchObject({ code: 'ERR_ARGUMENT' });
  });

  test('a dispose after the loss is silent, also with work pending', async () => {
    const other = await Peer.start();
    const token = await other.run<string>(
      'kept.a = lib.ones(8, on); kept.lease = await lib.share(kept.a); return String(kept.lease)'
    );
    using stream = new Stream(on);
    const array = await openShared(token, { stream });
    array.fill(3);
    await other.kill();
    array.dispose();
    native().drainReleases(true);
    expect(array.freed).toBe(true);
  });

  test('drained() keeps a process alive until the others have released the array, nothing else does', async () => {
    const other = await Peer.start();
    await other.run(
      `kept.a = lib.ones(8, on);
       const lease = await lib.share(kept.a);
       kept.token = String(lease);
       lease.drained().then(() => process.send({ number: -1 }));
       kept.lease = lease;`
    );
    const token = await other.run<string>('return kept.token');
    const array = await openShared(token);
    const drained = new Promise(resolve =>
      other.process.on('message', (message: { number: number }) => {
        if (message.number === -1) resolve(true);
      })
    );
    await other.run('kept.lease.release()');
    expect(array.item(0)).toBe(1);
    array.dispose();
    await drained;
    await other.exit();
  });
});

test('ones and zeros of a share are those of the memory, not of a copy', async () => {
  using array = ones(4, on);
  using lease = await share(array);
  await peer.run('kept.a = await lib.openShared(argument)', lease);
  array.fill(6);
  expect(await peer.run('return kept.a.toNested()')).toEqual([6, 6, 6, 6]);
  await peer.run('kept.a.dispose()');
});
