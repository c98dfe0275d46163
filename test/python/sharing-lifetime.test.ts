/** Shares with Python processes that crash, fork, exit or do many things at a time: nothing hangs, and nothing leaks (rules 103 to 105). */

import { join } from 'node:path';
import { DefaultCUDAMemoryManager } from '../../src/memory/index.ts';
import { emptyShared, openShared, share } from '../../src/sharing/index.ts';
import { PeerLostError } from '../../src/base/errors.ts';
import { Peer } from '../src/sharing/peer.ts';
import { describeWith, pythonOfTests } from '../src/python/environment.ts';
import { PythonPeer } from '../gpu/python-peer.ts';
import { root, run } from '../setup/repository.ts';
import { hosted, on, under } from '../src/sharing/arrays.ts';
import { closed, peer, withPythonPeer } from './sharing-peer.ts';

withPythonPeer();

describe('loss', () => {
  test('rule 103: a Python process that is killed releases the memory', async () => {
    const other = await PythonPeer.start(pythonOfTests);
    const whole = hosted();
    const lease = await share(whole);
    await other.run('kept = stridelab.open(argument); view = kept.memoryview()', lease.token);
    whole.dispose();
    lease.release();
    expect(lease.openers).toBe(1);
    await other.kill();
    await lease.drained();
  });

  test('the loss of the owner is reported once, and the memory stays', async () => {
    const owner = await Peer.start();
    const token = await owner.run<string>(
      `kept.a = lib.emptyShared(4, on).fill(3); kept.l = await lib.share(kept.a); return String(kept.l)`
    );
    await peer.run('a = stridelab.open(argument); assert a.memoryview()[3] == 3', token);
    await owner.kill();
    await expect(peer.run('a.__array_interface__')).rejects.toMatchObject({ name: 'PeerLostError' });
    expect(await peer.run('result = a.memoryview().tolist(); a.close()')).toEqual([3, 3, 3, 3]);
    await expect(peer.run('stridelab.open(argument)', token)).rejects.toMatchObject({
      name: 'PeerLostError',
      message: expect.stringContaining('has exited') as string
    });
  });

  test('the loss of a Python owner is reported here', async () => {
    const owner = await PythonPeer.start(pythonOfTests);
    const token = await owner.run<string>('lease = stridelab.share(b"abcd"); result = str(lease)');
    using opened = await openShared(token);
    await owner.kill();
    expect(() => opened.toNested()).toThrow(PeerLostError);
    expect(opened.toNested()).toEqual([97, 98, 99, 100]);
    await expect(openShared(token)).rejects.toThrow(PeerLostError);
  });

  test('a Python owner continues after an opener was killed', async () => {
    const other = await Peer.start();
    const token = await peer.run<string>('lease = stridelab.share(b"abcd"); result = str(lease)');
    await other.run('kept.a = await lib.openShared(argument)', token);
    expect(await peer.run('result = lease.openers')).toBe(1);
    await other.kill();
    await peer.run('lease.release(); assert lease.drained(10) and lease.openers == 0');
  });

  test('an owner that does not answer is considered lost after the timeout', async () => {
    const owner = await Peer.start();
    const token = await owner.run<string>(
      'kept.l = await lib.share(lib.emptyShared(4, on)); return String(kept.l)'
    );
    owner.process.kill('SIGSTOP');
    await expect(peer.run('stridelab.open(argument, timeout=0.1)', token)).rejects.toMatchObject({
      name: 'PeerLostError',
      message: expect.stringContaining('0.1 s') as string
    });
    owner.process.kill('SIGCONT');
    // It first finds the request whose sender no longer waits.
    const openers =
      'await pause(20); for (let i = 0; i < 1000 && kept.l.openers > 0; i++) await pause(10); return kept.l.openers';
    expect(await owner.run(openers)).toBe(0);
    await owner.exit();
  });

  test('a token of another protocol, or of no process, is refused', async () => {
    const stale = 'stridelab-share:1:stridelab-1-0000:' + '0'.repeat(32);
    await expect(peer.run('stridelab.open(argument)', stale)).rejects.toMatchObject({
      name: 'PeerLostError'
    });
    await expect(peer.run('stridelab.open("{}")')).rejects.toThrow('is not the token');
    await expect(peer.run('stridelab.open({"stridelabShare": 2})')).rejects.toThrow('version 2');
  });
});

describe('after fork (rule 105)', () => {
  test('a child has the memory, but neither its connections nor its leases', async () => {
    using made = emptyShared(4, { ...on, dtype: 'float32' }).fill(3);
    const lease = await share(made);
    const seen = await peer.run<unknown[]>(
      `
       import os, time
       from stridelab.sharing import reaper
       opened = stridelab.open(argument)
       mine = stridelab.share(b"abcd")
       inward, outward = os.pipe()
       child = os.fork()
       if child == 0:
           try:
               answer = [opened.memoryview().tolist() == [3] * 4]
               mine.release()
               with stridelab.open(argument) as again, stridelab.share(b"x") as other:
                   answer.append(again.memoryview()[0] == 3 and str(other).split(":")[2] != str(mine).split(":")[2])
               opened.close()
               answer.append(reaper.idle())
               os.write(outward, repr(answer).encode())
               time.sleep(60)
           finally:
               os._exit(0)
       result = [eval(os.read(inward, 100)), mine.freed, child]
       os.close(inward)
       os.close(outward)
       opened.close()
       del opened`,
      lease.token
    );
    expect(seen.slice(0, 2)).toEqual([[true, true, true], false]);
    // The child is running, and holds nothing.
    await closed(lease);
    await peer.run('os.kill(argument, 9); os.waitpid(argument, 0); mine.release()', seen[2]);
  });
});

describeWith(['numpy', 'torch', 'tvm_ffi'], 'the end of a process', () => {
  test('rules 104, 172: is clean with tensors, views and capsules that are still alive', async () => {
    using made = hosted();
    const lease = await share(made);
    const code = `
import sys, stridelab, numpy, torch, tvm_ffi
takers = [numpy.asarray, numpy.from_dlpack, torch.from_dlpack, tvm_ffi.from_dlpack, lambda a: a.__dlpack__()]
kept = [take(stridelab.open(sys.argv[1])) for take in takers]
own = stridelab.share(b"abcd")
print(float(kept[2][5, 7]))`;
    const { status, output } = await run(pythonOfTests, ['-B', '-c', code, String(lease)], {
      PYTHONPATH: join(root, 'python')
    });
    expect([status, output.trim()]).toEqual([0, '47.0']);
    await closed(lease);
  }, 60_000);
});

describe('concurrency', () => {
  test('eight threads open and close one share', async () => {
    using made = hosted();
    const lease = await share(made);
    const failures = await peer.run(
      `
       import threading
       failures = []
       def work():
           try:
               for _ in range(40):
                   with stridelab.open(argument) as a:
                       assert a.memoryview()[5, 7] == 47
           except Exception as error:
               failures.append(repr(error))
       threads = [threading.Thread(target=work) for _ in range(8)]
       for thread in threads: thread.start()
       for thread in threads: thread.join()
       result = failures`,
      lease.token
    );
    expect(failures).toEqual([]);
    await closed(lease);
  });

  test('many processes open an array of one Python process', async () => {
    const token = await peer.run<string>('lease = stridelab.share(b"abcd"); result = str(lease)');
    const opened = await Promise.all(Array.from({ length: 20 }, () => openShared(token)));
    expect(await peer.run('result = lease.openers')).toBe(20);
    for (const one of opened) one.dispose();
    await peer.run('lease.release(); assert lease.drained(10)');
  });
});

describe('leaks', () => {
  /** Maps and descriptors of the Python process. */
  const COUNT = `
       import gc, os, time
       from stridelab.sharing import reaper
       gc.collect()
       assert reaper.idle()
       maps = sum("stridelab" in line for line in open("/proc/self/maps"))
       result = [maps, len(os.listdir("/proc/self/fd"))]`;

  test.each(['legacy', 'memfd'])(
    'there are none after 1000 openings of %s',
    async way => {
      using whole = way === 'legacy' ? under(DefaultCUDAMemoryManager) : hosted();
      const lease = await share(whole);
      const before = await peer.run(COUNT);
      await peer.run(
        `
       for index in range(1000):
           a = stridelab.open(argument)
           if index % 3 == 0:
               a.close()
           elif index % 3 == 1:
               capsule = a.__dlpack__()
       del a, capsule`,
        lease.token
      );
      await closed(lease);
      expect(await peer.run(COUNT)).toEqual(before);
    },
    60_000
  );

  test('there are none after 1000 shares that were opened here', async () => {
    await peer.run('leases = []; from stridelab.sharing import server');
    // The socket itself remains.
    await peer.run('stridelab.share(b"x").release()');
    const before = await peer.run(COUNT);
    const tokens = await peer.run<string[]>(
      'leases = [stridelab.share(bytes([index % 256])) for index in range(200)]; result = [str(lease) for lease in leases]'
    );
    for (let round = 0; round < 5; round++) {
      for (const token of tokens) {
        using opened = await openShared(token);
        expect(opened.shape).toEqual([1]);
      }
    }
    await peer.run(
      `
       for lease in leases:
           lease.release()
           assert lease.drained(10)
       assert not any(lease.key in server._server._leases for lease in leases)
       del lease, leases`
    );
    expect(await peer.run(COUNT)).toEqual(before);
  }, 60_000);
});
