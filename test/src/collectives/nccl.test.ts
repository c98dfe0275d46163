/** Calls to NCCL and the handling of their results: a logging library stands in for NCCL, the recording device for GPUs. */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { printedBy } from '../../setup/repository.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

const library = JSON.stringify(new URL('../../setup/whole-library.ts', import.meta.url).href);
const loader = JSON.stringify(new URL('../../../src/native/load.ts', import.meta.url).href);
const source = fileURLToPath(new URL('../../nccl/fake-nccl.c', import.meta.url));

const folder = temporaryFolder();
const fake = join(folder, 'libnccl.so.2');
let logs = 0;

beforeAll(() => {
  const flags = [
    '-std=gnu11',
    '-O1',
    '-Wall',
    '-Wextra',
    '-Werror',
    '-fPIC',
    '-shared',
    '-fvisibility=hidden'
  ];
  execFileSync(process.env['CC'] ?? 'cc', [...flags, source, '-o', fake], { stdio: 'inherit' });
});

interface Outcome {
  readonly printed: unknown;
  readonly calls: readonly string[];
}

/** The JSON that a program prints, and the log of NCCL calls. */
async function outcome(program: string, environment: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const log = join(folder, `log-${logs++}`);
  writeFileSync(log, '');
  const code = `
    const { arange, array, Communicator, dtypes, empty, Stream, zeros } = await import(${library});
    const { recording } = (await import(${loader})).native();
    const caught = async action => { try { return await action(); } catch (error) { return [error.code, error.message, error.call, error.status]; } };
    const print = value => console.log(JSON.stringify(value));
    const hex = pointer => '0x' + pointer.toString(16);
    const id = new Uint8Array(128).fill(9);
    ${program}`;
  const printed = await printedBy(code, {
    STRIDELAB_SIM_DEVICES: '4',
    STRIDELAB_DEVICE: 'sim:0',
    STRIDELAB_LIBNCCL: fake,
    STRIDELAB_FAKE_NCCL_LOG: log,
    ...environment
  });
  return { printed, calls: readFileSync(log, 'utf8').split('\n').slice(0, -1) };
}

describe('the library', () => {
  test('if it is missing, the error lists the paths that were tried', async () => {
    const missing = join(folder, 'nowhere.so');
    const { printed } = await outcome(
      `print([await caught(() => Communicator.uniqueId()), (await caught(() => Communicator.initAll(['rec:0'])))[0]]);`,
      { STRIDELAB_LIBNCCL: missing }
    );
    expect(printed).toEqual([
      ['ERR_DRIVER_UNAVAILABLE', expect.stringContaining(missing), null, null],
      'ERR_DRIVER_UNAVAILABLE'
    ]);
    expect((printed as string[][])[0]?.[1]).toMatch(/pip install nvidia-nccl.*STRIDELAB_LIBNCCL/);
  });

  test('is refused if it is too old', async () => {
    const { printed } = await outcome(`print(await caught(() => Communicator.uniqueId()));`, {
      STRIDELAB_FAKE_NCCL: 'old'
    });
    expect(printed).toEqual(['ERR_DRIVER_UNAVAILABLE', expect.stringContaining('NCCL 2.14.0'), null, null]);
  });

  test('is found in the Python environment in use', async () => {
    const environment = join(folder, 'environment');
    const place = join(environment, 'lib', 'python3.12', 'site-packages', 'nvidia', 'nccl', 'lib');
    execFileSync('mkdir', ['-p', place]);
    execFileSync('cp', [fake, place]);
    const { printed } = await outcome(
      `print([[...Communicator.uniqueId()].slice(0, 2), Communicator.library()]);`,
      {
        STRIDELAB_LIBNCCL: '',
        VIRTUAL_ENV: environment
      }
    );
    expect(printed).toEqual([[7, 7], { path: join(place, 'libnccl.so.2'), version: '2.27.5' }]);
  });
});

describe('ranks of one process', () => {
  test('pass pointers, counts, types and streams, in one group', async () => {
    const { printed, calls } = await outcome(`
      const comms = Communicator.initAll(['rec:1', 'rec:3']);
      const streams = comms.map(({ device }) => new Stream({ device }));
      const a = comms.map((_, i) => arange(6, { dtype: 'bfloat16', stream: streams[i] }));
      const out = comms.map((_, i) => empty(6, { dtype: 'bfloat16', stream: streams[i] }));
      Communicator.group(() => comms.forEach((comm, i) => comm.allReduce(a[i], { op: 'max', out: out[i] })));
      print([a.map(x => hex(x.pointer)), out.map(x => hex(x.pointer)), streams.map(s => hex(s.handle))]);
      await Promise.all(comms.map(comm => comm.destroy()));`);
    const [sources, targets, streams] = printed as string[][];
    expect(calls.slice(0, 6)).toEqual([
      'initAll rank 0 device 1',
      'initAll rank 1 device 3',
      '{',
      ...[0, 1].map(
        rank =>
          `allReduce rank ${rank} ${sources?.[rank]} ${targets?.[rank]} count 6 type 9 op 2 stream ${streams?.[rank]}`
      ),
      '}'
    ]);
    expect(calls.slice(6).sort()).toEqual(['destroy rank 0', 'destroy rank 1']);
  });

  test('count like NCCL: parts for reduceScatter and allGather, bytes if it has no such type', async () => {
    const { calls } = await outcome(`
      const comms = Communicator.initAll(['rec:0', 'rec:1']);
      const all = make => Communicator.group(() => comms.map(make));
      const of = (comm, shape, dtype) => zeros(shape, { dtype, device: comm.device });
      all(comm => comm.reduceScatter(of(comm, [6, 5], 'float32'), { op: 'avg' }));
      all(comm => comm.allGather(of(comm, [6, 5], 'float64')));
      all(comm => comm.broadcast(of(comm, 3, 'complex128'), { root: 1 }));
      all(comm => comm.reduce(of(comm, 3, 'uint64'), { root: 1, op: 'prod' }));
      all(comm => comm.allGather(of(comm, 4, 'bool')));
      Communicator.group(() => {
        comms[0].send(of(comms[0], 2, 'float16'), { peer: 1 });
        comms[1].recv(of(comms[1], 2, 'float16'), { peer: 0 });
      });
      print(0);`);
    const short = calls
      .filter(line => / rank 1 0x| rank 0 0x/.test(line))
      .map(line => line.replaceAll(/0x[0-9a-f]+ |\(nil\) | stream.*/g, ''));
    expect(short).toEqual([
      'reduceScatter rank 0 count 15 type 7 op 4',
      'reduceScatter rank 1 count 15 type 7 op 4',
      'allGather rank 0 count 30 type 8',
      'allGather rank 1 count 30 type 8',
      'broadcast rank 0 count 48 type 1 root 1',
      'broadcast rank 1 count 48 type 1 root 1',
      'reduce rank 0 count 3 type 5 op 1 root 1',
      'reduce rank 1 count 3 type 5 op 1 root 1',
      'allGather rank 0 count 4 type 1',
      'allGather rank 1 count 4 type 1',
      'send rank 0 count 2 type 6 peer 1',
      'recv rank 1 count 2 type 6 peer 0'
    ]);
  });

  test('a call waits for the last writer of its array, and the next writer waits for the call', async () => {
    const { printed } = await outcome(`
      const [comm] = Communicator.initAll(['rec:1']);
      const s = new Stream({ device: 'rec:1' }), t = new Stream({ device: 'rec:1' });
      const a = zeros(1000, { stream: s, dtype: 'float32' });
      recording.clear();
      comm.allReduce(a, { out: a, stream: t });
      a.fill(1);
      print(recording.log().map(line => line.replaceAll(hex(s.handle), 's').replaceAll(hex(t.handle), 't').replaceAll(/0x[0-9a-f]+/g, 'e'))
        .filter(line => /Wait|Memset|Record/.test(line)).map(line => line.replace(/\\(.*stream (.)[,)].*/, ' $1')));`);
    expect(printed).toEqual([
      'cuEventRecord s',
      'cuStreamWaitEvent t',
      'cuEventRecord t',
      'cuStreamWaitEvent s',
      expect.stringMatching(/cuMemsetD32Async/)
    ]);
  });

  test('invalid usage is reported with its call and leaves the communicator usable; nothing is submitted', async () => {
    const { printed, calls } = await outcome(
      `
      const [comm] = Communicator.initAll(['rec:0']);
      const a = zeros(4, { device: 'rec:0' });
      const before = a.stream.native.sequence;
      print([await caught(() => comm.allReduce(a, { out: a })), a.stream.native.sequence - before, await caught(() => comm.ready())]);`,
      { STRIDELAB_FAKE_NCCL: 'usage' }
    );
    expect(printed).toEqual([
      [
        'ERR_COLLECTIVE',
        'rank 0 of 1: ncclAllReduce failed with ncclInvalidUsage (5): invalid usage; told by the fake',
        'ncclAllReduce',
        5
      ],
      0,
      null
    ]);
    expect(calls.slice(-1)).toEqual(['}']); // the group has ended in NCCL too
  });
});

describe('a rank in a group of processes', () => {
  test('starts without blocking, with the id and a configuration that NCCL 2.14 reads', async () => {
    const { printed, calls } = await outcome(
      `
      let turns = 0;
      const ticking = setInterval(() => turns++, 1);
      const comm = await Communicator.init({ id, rank: 1, size: 2, device: 'rec:0' });
      clearInterval(ticking);
      comm.allReduce(zeros(8, { stream: new Stream({ device: 'rec:0' }), dtype: 'int32' }));
      await comm.ready();
      print([turns > 0, String(comm), comm.freed]);
      await comm.destroy();
      await comm.destroy();`,
      { STRIDELAB_FAKE_NCCL: 'slow' }
    );
    expect(printed).toEqual([true, 'Communicator rank 1 of 2 on rec:0 (simulated)', false]);
    expect(calls[0]).toBe('init rank 1 of 2 id 9 config 1 blocking 0');
    expect(calls.slice(-2)).toEqual(['finalize rank 1', 'destroy rank 1']);
  });

  test('reports after the timeout that the others did not join', async () => {
    const { printed, calls } = await outcome(
      `print(await caught(() => Communicator.init({ id, rank: 0, size: 3, device: 'rec:0', timeout: 50 })));`,
      { STRIDELAB_FAKE_NCCL: 'absent' }
    );
    expect(printed).toEqual([
      'ERR_COLLECTIVE',
      expect.stringMatching(/^rank 0 of 3: the other ranks did not connect within 0.05 s/),
      '',
      0
    ]);
    expect(calls.at(-1)).toBe('abort rank 0');
  });

  test('reports a rank that exited, at the call and at every later one, until it is aborted', async () => {
    const { printed, calls } = await outcome(
      `
      const comm = await Communicator.init({ id, rank: 0, size: 2, device: 'rec:0' });
      const stream = new Stream({ device: 'rec:0' });
      const a = zeros(4, { stream });
      const failures = [await caught(() => comm.allReduce(a)), await caught(() => comm.allReduce(a)), await caught(() => comm.ready())];
      comm.abort();
      comm.abort();
      print([...failures, await caught(() => comm.allReduce(a)), await caught(() => comm.ready()), await caught(() => comm.destroy())]);`,
      { STRIDELAB_FAKE_NCCL: 'remote' }
    );
    const [first, second, third, ...ended] = printed as [string, string][];
    expect(first).toEqual([
      'ERR_COLLECTIVE',
      expect.stringContaining('ncclRemoteError (6): remote process exited'),
      'ncclCommGetAsyncError',
      6
    ]);
    expect(second?.[1]).toBe(first?.[1]);
    expect(third?.[1]).toBe(first?.[1]);
    expect(ended.map(entry => entry?.[0] ?? null)).toEqual(['ERR_FREED', 'ERR_FREED', null]);
    expect(calls.filter(line => line.startsWith('abort'))).toEqual(['abort rank 0']);
  });

  test("refuses the per-thread default stream, whose handle means another stream in NCCL's thread", async () => {
    const { printed } = await outcome(`
      const comm = await Communicator.init({ id, rank: 0, size: 1, device: 'rec:0' });
      const a = zeros(4, { device: 'rec:0' });
      print(await caught(() => comm.allReduce(a, { stream: Stream.perThreadDefault('rec:0') })));`);
    expect(printed).toEqual(['ERR_ARGUMENT', expect.stringContaining('per-thread'), null, null]);
  });

  test('refuses invalid ids, ranks, sizes and devices', async () => {
    const { printed } = await outcome(`
      const init = options => caught(() => Communicator.init({ id, rank: 0, size: 1, device: 'rec:0', ...options })).then(value => value[0]);
      print(await Promise.all([init({ id: new Uint8Array(127) }), init({ id: 'id' }), init({ rank: 1 }), init({ rank: -1 }), init({ size: 0 }),
        init({ size: 1.5 }), init({ timeout: 0 }), init({ device: 'rec:9' }), init({ device: 'sim:0' })]));`);
    expect(printed).toEqual([...Array.from({ length: 7 }, () => 'ERR_ARGUMENT'), 'ERR_DEVICE', 'ERR_DEVICE']);
  });

  test('shrink leaves out lost ranks, ends operations in progress, and aborts the old communicator', async () => {
    const { printed, calls } = await outcome(`
      const comm = await Communicator.init({ id, rank: 2, size: 4, device: 'rec:0' });
      const shrunk = await comm.shrink({ lost: [3, 0, 3] });
      const a = zeros(4, { device: 'rec:0' });
      shrunk.allReduce(a);
      print([shrunk.rank, shrunk.size, shrunk.device.label, comm.freed, await caught(() => comm.shrink({ lost: [0] }))]);`);
    expect(printed).toEqual([1, 2, 'rec:0', true, ['ERR_FREED', expect.any(String), null, null]]);
    expect(calls.slice(1, 3)).toEqual(['shrink rank 2 without 2 first 0 blocking 0 flags 1', 'abort rank 2']);
    expect(calls.some(line => line.startsWith('allReduce rank 1'))).toBe(true);
  });

  test('shrink works after a rank was lost, when every call throws', async () => {
    const { printed } = await outcome(
      `
      const comm = await Communicator.init({ id, rank: 0, size: 2, device: 'rec:0' });
      const failure = await caught(() => comm.allReduce(zeros(4, { device: 'rec:0' })));
      const shrunk = await comm.shrink({ lost: [1] });
      print([failure[0], shrunk.rank, shrunk.size]);`,
      { STRIDELAB_FAKE_NCCL: 'remote' }
    );
    expect(printed).toEqual(['ERR_COLLECTIVE', 0, 1]);
  });

  test('shrink reports after the timeout that another rank did not call it', async () => {
    const { printed } = await outcome(
      `
      const comm = await Communicator.init({ id, rank: 0, size: 3, device: 'rec:0' });
      print([...await caught(() => comm.shrink({ lost: [2], timeout: 100 })), comm.freed]);`,
      { STRIDELAB_FAKE_NCCL: 'alone' }
    );
    expect(printed).toEqual([
      'ERR_COLLECTIVE',
      'rank 0 of 3: the remaining ranks did not shrink the communicator within 0.1 s',
      '',
      0,
      true
    ]);
  });

  test('shrink refuses its own rank, ranks that do not exist, and none', async () => {
    const { printed } = await outcome(`
      const comm = await Communicator.init({ id, rank: 1, size: 3, device: 'rec:0' });
      const of = lost => caught(() => comm.shrink({ lost })).then(value => value[0]);
      print([await of([]), await of([1]), await of([3]), await of([-1]), await of([0.5]), await of(['0'])]);`);
    expect(printed).toEqual(Array(6).fill('ERR_ARGUMENT'));
  });

  test('abort ends a destroy that waits for work that never ends', async () => {
    const { printed, calls } = await outcome(
      `
      const comm = await Communicator.init({ id, rank: 0, size: 1, device: 'rec:0' });
      const ending = comm.destroy();
      const early = await Promise.race([ending, new Promise(resolve => setTimeout(resolve, 100, 'waiting'))]);
      comm.abort();
      print([early, (await ending) ?? null]);`,
      { STRIDELAB_FAKE_NCCL: 'stuck' }
    );
    expect(printed).toEqual(['waiting', null]);
    expect(calls.slice(-2)).toEqual(['finalize rank 0', 'abort rank 0']);
  });

  test('is ended when it is collected', async () => {
    const { calls } = await outcome(`
      const { setFlagsFromString } = await import('node:v8');
      setFlagsFromString('--expose-gc');
      const collect = (await import('node:vm')).runInNewContext('gc');
      await (async () => { await Communicator.init({ id, rank: 0, size: 1, device: 'rec:0' }); })();
      for (let i = 0; i < 20; i++) { collect(); await new Promise(resolve => setTimeout(resolve, 10)); }
      print(1);`);
    expect(calls.slice(-2)).toEqual(['finalize rank 0', 'destroy rank 0']);
  });
});
