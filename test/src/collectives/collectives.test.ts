/** Collectives between simulated devices. Each program runs in a separate process with four of them; expectations are computed by hand. */

import { printedBy } from '../../setup/repository.ts';

const library = JSON.stringify(new URL('../../setup/whole-library.ts', import.meta.url).href);

/** Runs a program and returns the JSON that it prints. */
function printed(program: string, environment: NodeJS.ProcessEnv = {}): Promise<unknown> {
  const code = `
    const { arange, array, Communicator, devices, dtypes, empty, full, ones, Stream, zeros } = await import(${library});
    const caught = action => { try { action(); return null; } catch (error) { return [error.code, error.message]; } };
    const print = value => console.log(JSON.stringify(value, (_, part) => typeof part === 'bigint' ? part + 'n' : part));
    const comms = Communicator.initAll();
    /** Calls \`make\` for every rank in one group. */
    const all = make => Communicator.group(() => comms.map(make));
    const nested = arrays => arrays.map(array => array.toNested());
    ${program}`;
  return printedBy(code, { STRIDELAB_SIM_DEVICES: '4', STRIDELAB_DEVICE: 'sim:0', ...environment });
}

const fourTimes = <Value>(value: Value): Value[] => Array.from({ length: 4 }, () => value);

describe('operations', () => {
  test('allReduce: every rank gets the sum, in new memory, on its device and stream', async () => {
    const program = `
      const streams = comms.map(({ device }) => new Stream({ device }));
      const a = comms.map(({ rank }, i) => arange(3, { dtype: 'float32', stream: streams[i] }).reshape(1, 3).copy().fill(rank + 1));
      const sums = all((comm, i) => comm.allReduce(a[i]));
      print([nested(sums), nested(a), sums.map(({ device }) => device.label), sums.every(({ stream }, i) => stream === streams[i])]);`;
    expect(await printed(program)).toEqual([
      fourTimes([[10, 10, 10]]),
      [1, 2, 3, 4].map(value => [[value, value, value]]),
      ['sim:0', 'sim:1', 'sim:2', 'sim:3'],
      true
    ]);
  });

  test('allReduce in place, over more elements than fit a block', async () => {
    const program = `
      const a = comms.map(({ device, rank }) => arange(5000, { dtype: 'int32', device }));
      const same = all((comm, i) => comm.allReduce(a[i], { out: a[i], op: 'sum' })).every((out, i) => out === a[i]);
      print([same, a.map(x => [x.item(0), x.item(1023), x.item(1024), x.item(4999)])]);`;
    expect(await printed(program)).toEqual([true, fourTimes([0, 4092, 4096, 19996])]);
  });

  test.each([
    ['sum', 11],
    ['prod', 24],
    ['min', 1],
    ['max', 6],
    ['avg', 2.75]
  ])('op %s of 1, 6, 2, 2 is %d in float64', async (op, expected) => {
    const program = `
      const a = comms.map(({ device }, i) => full(2, [1, 6, 2, 2][i], { dtype: 'float64', device }));
      print(nested(all((comm, i) => comm.allReduce(a[i], { op: '${op}' }))));`;
    expect(await printed(program)).toEqual(fourTimes([expected, expected]));
  });

  test('broadcast fills the arrays of the other ranks, of any dtype', async () => {
    const program = `
      const a = comms.map(({ device }, i) => array([{ re: i, im: -i }, { re: 1, im: i }], { device }));
      all((comm, i) => comm.broadcast(a[i], { root: 2 }));
      const b = comms.map(({ device }, i) => array([i === 1, i !== 1], { device }));
      const out = all((comm, i) => comm.broadcast(b[i], { root: 1, out: zeros(2, { dtype: 'bool', device: comm.device }) }));
      print([nested(a), nested(out), nested(b)]);`;
    expect(await printed(program)).toEqual([
      fourTimes([
        { re: 2, im: -2 },
        { re: 1, im: 2 }
      ]),
      fourTimes([true, false]),
      [
        [false, true],
        [true, false],
        [false, true],
        [false, true]
      ]
    ]);
  });

  test('reduce gives only the root a result', async () => {
    const program = `
      const a = comms.map(({ device }, i) => full(2, BigInt(i), { dtype: 'int64', device }));
      const out = all((comm, i) => comm.reduce(a[i], { root: 3 }));
      print([out.slice(0, 3), out[3].toNested(), nested(a)]);`;
    expect(await printed(program)).toEqual([
      [null, null, null],
      ['6n', '6n'],
      [0, 1, 2, 3].map(value => [`${value}n`, `${value}n`])
    ]);
  });

  test('allGather and reduceScatter are inverse along the first axis, also in place', async () => {
    const program = `
      const a = comms.map(({ device }, i) => arange(4, { dtype: 'int32', device }).reshape(2, 2).copy().fill(i));
      const gathered = all((comm, i) => comm.allGather(a[i]));
      const parts = all((comm, i) => comm.reduceScatter(gathered[i]));
      all((comm, i) => comm.reduceScatter(gathered[i], { out: gathered[i].slice(\`\${2 * i}:\${2 * i + 2}\`), op: 'max' }));
      const scalars = all(comm => comm.allGather(array(comm.rank, { device: comm.device }).reshape()));
      print([gathered.map(({ shape }) => shape), nested(parts), gathered.map((x, i) => x.slice(\`\${2 * i}:\${2 * i + 2}\`).toNested()), nested(scalars)]);`;
    const rows = (value: number): number[][] => [
      [value, value],
      [value, value]
    ];
    expect(await printed(program)).toEqual([
      fourTimes([8, 2]),
      [0, 4, 8, 12].map(rows),
      [0, 1, 2, 3].map(rows),
      fourTimes([0, 1, 2, 3])
    ]);
  });

  test('send and recv form a ring, in which every rank sends and receives', async () => {
    const program = `
      const a = comms.map(({ device, rank }) => full(2, rank, { device }));
      const b = comms.map(({ device }) => empty(2, { device }));
      all((comm, i) => { comm.send(a[i], { peer: (i + 1) % 4 }); return comm.recv(b[i], { peer: (i + 3) % 4 }); });
      print(nested(b));`;
    expect(await printed(program)).toEqual([
      [3, 3],
      [0, 0],
      [1, 1],
      [2, 2]
    ]);
  });

  test('several operations of a group run in order', async () => {
    const program = `
      const a = comms.map(({ device }) => ones(2, { device }));
      Communicator.group(() => { for (let round = 0; round < 3; round++) all((comm, i) => comm.allReduce(a[i], { out: a[i] })); });
      print(nested(a));`;
    expect(await printed(program)).toEqual(fourTimes([64, 64]));
  });

  test('arrays of no elements, and a communicator of one, are allowed', async () => {
    const program = `
      const none = all(({ device }, i) => comms[i].allReduce(zeros([0, 3], { device })));
      const [alone] = Communicator.initAll(['sim:2']);
      const a = arange(3, { device: 'sim:2' });
      print([none.map(({ shape }) => shape), alone.allReduce(a, { op: 'avg' }).toNested(), alone.reduce(a).toNested(), alone.broadcast(a) === a,
        alone.size]);`;
    expect(await printed(program)).toEqual([fourTimes([0, 3]), [0, 1, 2], [0, 1, 2], true, 1]);
  });
});

describe('numbers', () => {
  test('integers wrap around, and their average is truncated towards zero', async () => {
    const program = `
      const of = (dtype, values, op) => all(({ device }, i) => comms[i].allReduce(array([values[i]], { dtype, device }), { op }))[1].item(0);
      print([of('int8', [100, 100, 0, 0], 'sum'), of('uint8', [200, 100, 0, 0], 'sum'), of('int32', [-7, 0, 0, 0], 'avg'),
        of('uint64', [2n ** 63n, 2n ** 63n, 1n, 0n], 'sum'), of('int64', [-(2n ** 63n), 5n, 0n, 0n], 'min'), of('uint32', [2 ** 31, 3, 1, 1], 'prod'),
        of('uint64', [2n ** 63n, 1n, 0n, 0n], 'max')]);`;
    expect(await printed(program)).toEqual([
      -56,
      44,
      -1,
      '1n',
      '-9223372036854775808n',
      2147483648,
      '9223372036854775808n'
    ]);
  });

  test('small floats are summed as float32 and rounded once, to the nearest and ties to even', async () => {
    const program = `
      const of = (dtype, values, op = 'sum') => all(({ device }, i) => comms[i].allReduce(array([values[i]], { dtype, device }), { op }))[2].item(0);
      print([of('float16', [2048, 1, 1, 0]), of('float16', [2048, 1, 0, 0]), of('float16', [2050, 1, 0, 0]), of('float16', [65504, 15, 0, 0]), String(of('float16', [65504, 16, 0, 0])),
        of('float16', [2 ** -24, 2 ** -24, 0, 0]), of('bfloat16', [256, 1, 1, 0]), of('bfloat16', [256, 1, 0, 0]), of('bfloat16', [258, 1, 0, 0]),
        of('float8_e4m3fn', [448, 448, 0, 0]), of('float8_e4m3fn', [16, 1, 0, 0]), of('float8_e4m3fn', [18, 1, 0, 0]), of('float8_e5m2', [8, 1, 0, 0]), of('float8_e5m2', [57344, 57344, 0, 0]),
        of('float16', [1, 2, 3, 4], 'avg'), of('bfloat16', [1, -2, 3, 4], 'min')]);`;
    expect(await printed(program)).toEqual([
      2050,
      2048,
      2052,
      65504,
      'Infinity',
      2 ** -23,
      258,
      256,
      260,
      448,
      16,
      20,
      8,
      57344,
      2.5,
      -2
    ]);
  });

  test('every small float survives a reduction with itself', async () => {
    const program = `
      const kept = [];
      for (const [dtype, wide] of [['float16', 65536], ['bfloat16', 65536], ['float8_e4m3fn', 256], ['float8_e5m2', 256]]) {
        const bits = wide === 256 ? Uint8Array.from({ length: wide }, (_, i) => i) : Uint16Array.from({ length: wide }, (_, i) => i);
        const [comm] = Communicator.initAll(['sim:0']);
        const a = empty(wide, { dtype, device: 'sim:0' });
        a.storage.writeFromHost(0, bits, a.stream);
        const out = comm.allReduce(a, { op: 'max' });
        const after = new bits.constructor(wide);
        out.storage.readToHost(0, after, out.stream);
        kept.push(bits.every((word, i) => word === after[i]) || bits.filter((word, i) => word !== after[i]).length);
      }
      print(kept);`;
    // The NaNs of float16, bfloat16 and float8_e5m2 are merged into one per sign: 2 * (1023 - 1), 2 * (127 - 1) and 2 * (3 - 1) differ.
    expect(await printed(program)).toEqual([2044, 252, true, 4]);
  });
});

describe('order', () => {
  test('a call runs after the earlier work of each rank, and later work of every rank runs after the call', async () => {
    const program = `
      const streams = comms.map(({ device }) => [new Stream({ device }), new Stream({ device })]);
      const a = streams.map(([s]) => zeros(2 ** 10, { stream: s, dtype: 'uint8' }));
      const late = empty(2 ** 27, { stream: streams[3][0], dtype: 'uint8' });
      for (let round = 0; round < 4; round++) late.fill(1);
      a[3].fill(1);
      all((comm, i) => comm.allReduce(a[i], { out: a[i], stream: streams[i][1] }));
      // Rank 3 was late, so the others' streams are busy until it has come.
      const busy = streams.map(([, t]) => !t.query());
      const before = a[3].stream.query();
      streams[0][1].synchronize();
      print([busy, before, streams.map(([, t]) => t.query()), a[3].stream.query(), a[0].storage.uses().map(({ access, stream }) => [access, stream === streams[0][1]])]);`;
    expect(await printed(program)).toEqual([
      [true, true, true, true],
      false,
      [true, true, true, true],
      true,
      [['write', true]]
    ]);
  });

  test('arrays can be disposed inside the group and after it', async () => {
    const program = `
      const results = all(comm => {
        using a = ones(1000, { device: comm.device });
        return comm.allReduce(a);
      });
      print(results.map(x => x.item(999)));`;
    expect(await printed(program)).toEqual([4, 4, 4, 4]);
  });

  test('a capture refuses collectives on simulated devices', async () => {
    const program = `
      const [alone] = Communicator.initAll(['sim:1']);
      const s = new Stream({ device: 'sim:1' });
      const a = ones(2, { stream: s });
      let problem;
      s.capture(() => { problem = caught(() => alone.allReduce(a, { out: a })); });
      print([problem[0], alone.allReduce(a).toNested()]);`;
    expect(await printed(program)).toEqual(['ERR_ARGUMENT', [1, 1]]);
  });
});

describe('refusals', () => {
  test('calls that other ranks do not make, or make differently, are refused before anything is submitted', async () => {
    const program = `
      const a = comms.map(({ device }) => ones(4, { device }));
      const at = (...ranks) => make => Communicator.group(() => ranks.map(i => make(comms[i], i)));
      print([
        caught(() => comms[0].allReduce(a[0])),
        caught(() => at(0, 1, 3)((comm, i) => comm.allReduce(a[i], { out: a[i] }))),
        caught(() => all((comm, i) => i === 2 ? comm.allGather(a[i]) : comm.allReduce(a[i]))),
        caught(() => all((comm, i) => comm.allReduce(a[i].slice(i === 3 ? ':2' : ':4')))),
        caught(() => all((comm, i) => comm.allReduce(a[i], { op: i === 1 ? 'max' : 'sum' }))),
        caught(() => all((comm, i) => comm.broadcast(a[i], { root: i }))),
        caught(() => all((comm, i) => comm.allReduce(i === 1 ? ones(4, { dtype: 'float32', device: comm.device }) : a[i]))),
        caught(() => comms[0].send(a[0], { peer: 1 })),
        caught(() => comms[0].recv(a[0], { peer: 1 })),
        caught(() => Communicator.group(() => { comms[0].send(a[0], { peer: 1 }); comms[1].recv(a[1].slice(':2'), { peer: 0 }); })),
        nested(a)
      ]);`;
    const expected = [
      /rank 1, 2, 3 of 4 did not call.*group/,
      /rank 2 of 4 did not call/,
      /differ in the operation \(allReduce, allGather\)/,
      /rank 0 and rank 3 differ in the number of elements \(4, 2\)/,
      /differ in op/,
      /differ in root/,
      /differ in the dtype/,
      /rank 1 does not receive from rank 0/,
      /rank 1 does not send to rank 0/,
      /sends 4 elements, but rank 1 receives 2/
    ];
    const outcome = (await printed(program)) as [string, string][];
    for (const [index, message] of expected.entries()) {
      expect(outcome[index]?.[0]).toBe('ERR_COLLECTIVE');
      expect(outcome[index]?.[1]).toMatch(message);
    }
    expect(outcome.at(-1)).toEqual(fourTimes([1, 1, 1, 1]));
  });

  test('unsuitable arrays are refused', async () => {
    const program = `
      const [comm] = Communicator.initAll(['sim:1']);
      const on = { device: 'sim:1' };
      const a = arange(4, on).reshape(2, 2);
      const freed = ones(2, on);
      freed.dispose();
      print([
        caught(() => comm.allReduce(a.T)), caught(() => comm.allReduce(ones(2, { device: 'sim:0' }))), caught(() => comm.allReduce(freed)),
        caught(() => comm.allReduce(array([true], on))), caught(() => comm.allReduce(a.withMask(array([true, false], on)))),
        caught(() => comm.allReduce(a, { out: zeros([2, 3], on) })), caught(() => comm.allReduce(a, { out: zeros([2, 2], { ...on, dtype: 'int8' }) })),
        caught(() => comm.allReduce(a, { out: zeros([2, 2], on).asReadOnly() })), caught(() => comm.allReduce(a, { stream: new Stream({ device: 'sim:2' }) })),
        caught(() => comm.allReduce(a, { op: 'median' })), caught(() => comm.broadcast(a, { root: 1 })), caught(() => comm.send(a, { peer: -1 })),
        caught(() => comm.allReduce([1, 2])), caught(() => comm.broadcast(a.asReadOnly())),
        caught(() => comm.allReduce(a.slice('1:'), { out: arange(6, on).slice('2:4').reshape(1, 2) })),
        caught(() => comms[0].reduceScatter(ones(6, { device: 'sim:0' })))
      ].map(problem => problem?.[0] ?? null));`;
    expect(await printed(program)).toEqual([
      'ERR_SHAPE',
      'ERR_DEVICE',
      'ERR_FREED',
      'ERR_DTYPE',
      'ERR_VALUE',
      'ERR_SHAPE',
      'ERR_SHAPE',
      'ERR_READ_ONLY',
      'ERR_DEVICE',
      'ERR_ARGUMENT',
      'ERR_ARGUMENT',
      'ERR_ARGUMENT',
      'ERR_ARGUMENT',
      'ERR_READ_ONLY',
      null,
      'ERR_SHAPE'
    ]);
  });

  test('source and target that overlap without being equal are refused', async () => {
    const program = `
      const [comm] = Communicator.initAll(['sim:1']);
      const a = arange(6, { device: 'sim:1' });
      print([caught(() => comm.allReduce(a.slice(':4'), { out: a.slice('2:') })), a.toNested(),
        caught(() => comm.allReduce(a.slice(':3'), { out: a.slice('3:') })), a.toNested()]);`;
    expect(await printed(program)).toEqual([
      ['ERR_ARGUMENT', expect.stringContaining('overlap')],
      [0, 1, 2, 3, 4, 5],
      null,
      [0, 1, 2, 0, 1, 2]
    ]);
  });

  test('groups refuse asynchronous functions, pass errors on, and can be nested', async () => {
    const program = `
      const a = comms.map(({ device }) => ones(1, { device }));
      const problems = [
        caught(() => Communicator.group(async () => comms.map((comm, i) => comm.allReduce(a[i], { out: a[i] })))),
        caught(() => Communicator.group(() => { comms[0].allReduce(a[0], { out: a[0] }); throw new RangeError('mine'); }))
      ];
      const kept = nested(a);
      Communicator.group(() => { all((comm, i) => comm.allReduce(a[i], { out: a[i] })); all((comm, i) => comm.allReduce(a[i], { out: a[i] })); });
      print([problems, kept, nested(a)]);`;
    expect(await printed(program)).toEqual([
      [
        ['ERR_ARGUMENT', expect.stringContaining('synchronous function')],
        [null, 'mine']
      ],
      fourTimes([1]),
      fourTimes([16])
    ]);
  });

  test('devices that cannot be ranks together are refused', async () => {
    const program = `
      print([caught(() => Communicator.initAll([])), caught(() => Communicator.initAll(['sim:0', 'sim:0'])), caught(() => Communicator.initAll(['sim:0', 'rec:1']))]
        .map(([code]) => code));`;
    expect(await printed(program)).toEqual(['ERR_ARGUMENT', 'ERR_DEVICE', 'ERR_DEVICE']);
  });
});

describe('shrink', () => {
  test('the remaining ranks get new numbers, and reduce among themselves', async () => {
    const program = `
      const left = [comms[0], comms[2], comms[3]];
      const shrunk = await Promise.all(left.map(comm => comm.shrink({ lost: [1] })));
      const a = shrunk.map(({ device, rank }) => full(2, 10 ** rank, { dtype: 'int32', device }));
      const sums = Communicator.group(() => shrunk.map((comm, i) => comm.allReduce(a[i])));
      print([shrunk.map(({ rank, size }) => [rank, size]), nested(sums), left.map(({ freed }) => freed)]);`;
    expect(await printed(program)).toEqual([
      [
        [0, 3],
        [1, 3],
        [2, 3]
      ],
      Array(3).fill([111, 111]),
      [true, true, true]
    ]);
  });

  test('a call of a remaining rank that another one does not make is refused, as before', async () => {
    const program = `
      const shrunk = await Promise.all([comms[0], comms[1]].map(comm => comm.shrink({ lost: [2, 3] })));
      print(caught(() => shrunk[0].allReduce(zeros(2, { device: 'sim:0' }))));`;
    expect(await printed(program)).toEqual([
      'ERR_COLLECTIVE',
      expect.stringContaining('rank 1 of 2 did not call')
    ]);
  });
});

describe('the end', () => {
  test('a destroyed rank makes no calls; destroying twice and aborting afterwards do nothing', async () => {
    const program = `
      await comms[0].destroy();
      await comms[0].destroy();
      comms[0].abort();
      await comms[1].ready();
      const late = await comms[0].ready().catch(error => error.code);
      print([comms[0].freed, late, caught(() => comms[0].allReduce(ones(1, { device: 'sim:0' })))[0], String(comms[0])]);`;
    expect(await printed(program)).toEqual([
      true,
      'ERR_FREED',
      'ERR_FREED',
      'Communicator rank 0 of 4 on sim:0 (simulated), freed'
    ]);
  });

  test('an aborted rank is an error for the others', async () => {
    const program = `
      comms[2].abort();
      const error = await comms[0].ready().catch(error => error);
      const again = caught(() => all((comm, i) => i === 2 ? null : comm.allReduce(ones(1, { device: comm.device }))));
      comms[0].abort();
      print([error.name, error.code, error.statusName, error.status, again[0]]);`;
    expect(await printed(program)).toEqual([
      'CollectiveError',
      'ERR_COLLECTIVE',
      'ncclRemoteError',
      6,
      'ERR_COLLECTIVE'
    ]);
  });

  test('await using ends a communicator', async () => {
    const program = `
      let kept;
      { await using comm = Communicator.initAll(['sim:3'])[0]; kept = comm; }
      print(kept.freed);`;
    expect(await printed(program)).toBe(true);
  });
});

test('native code refuses calls that TypeScript would not make', async () => {
  const program = `
    const { native } = await import(${JSON.stringify(new URL('../../../src/native/load.ts', import.meta.url).href)});
    const { collectives } = native();
    const [device, other] = native().devices('simulated');
    const [communicator, second] = collectives.initAll([device, other]);
    const stream = native().createStream(device, { blocking: false, priority: 0 });
    const source = native().allocate(device, 16, 'device'), foreign = native().allocate(other, 16, 'device');
    const target = native().allocate(device, 16, 'device');
    const call = { kind: 0, communicator, stream, source, sourceOffset: 0, target, targetOffset: 0, count: 4, type: 7, op: 0, peer: 0 };
    const submit = change => caught(() => collectives.submit([{ ...call, ...change }]));
    const released = native().allocate(device, 16, 'device');
    released.release();
    print([submit({ count: 5 }), submit({ sourceOffset: 17 }), submit({ targetOffset: 4 }), submit({ count: Number.MAX_SAFE_INTEGER }), submit({ kind: 7 }), submit({ kind: -1 }), submit({ type: 12 }),
      submit({ op: 5 }), submit({ peer: 2 }), submit({ source: null }), submit({ target: foreign }), submit({ source: released }), submit({ communicator: {} }),
      submit({ stream: 1 }), submit({}), submit({ kind: 5, target: null, peer: 1 }), submit({ kind: 6, source: null, peer: 1 }), caught(() => collectives.submit(3)), caught(() => collectives.submit([3])),
      caught(() => collectives.initAll([device, device])), caught(() => collectives.initAll([])), caught(() => collectives.create(device, new Uint8Array(128), 0, 1)), caught(() => new communicator.constructor()),
      caught(() => collectives.open(3)), caught(() => collectives.open([3]))
    ].map(problem => problem?.[0]));`;
  const refused = (await printed(program)) as string[];
  expect(refused.slice(0, 4)).toEqual(fourTimes('ERR_BOUNDS'));
  expect(refused[11]).toBe('ERR_FREED');
  expect(refused.filter((code, index) => index > 3 && index !== 11 && code !== 'ERR_ARGUMENT')).toEqual([]);
});
