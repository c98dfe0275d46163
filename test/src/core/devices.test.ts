/** Arrays of several devices. Each program runs in a separate process, with four simulated devices. */

import { printedBy } from '../../setup/repository.ts';

const library = JSON.stringify(new URL('../../../src/index.ts', import.meta.url).href);

/** Runs a program and returns the JSON that it prints. */
function printed(program: string, environment: NodeJS.ProcessEnv = {}): Promise<unknown> {
  const code = `
    import { Worker } from 'node:worker_threads';
    const lab = await import(${library});
    const { arange, array, devices, Event, NDArray, ones, Stream, zeros } = lab;
    const caught = action => { try { action(); } catch (error) { return [error.code, error.message]; } };
    const print = value => console.log(JSON.stringify(value));
    ${program}`;
  return printedBy(code, { STRIDELAB_SIM_DEVICES: '4', STRIDELAB_DEVICE: 'sim:0', ...environment });
}

test("cards of several devices show each device's memory, and how they reach each other", async () => {
  const program = `
    const { describeDevice } = await import(${JSON.stringify(new URL('../../../src/pictures/device/describe.ts', import.meta.url).href)});
    const all = devices().filter(({ simulated }) => simulated);
    const a = ones(1000, { device: 'sim:2', dtype: 'uint8' });
    const pictures = all.map(describeDevice);
    print(pictures.map(({ label, memory, peers, uuid }, at) => [label, memory.ours > 0, peers.length,
      peers.every(({ label, reach }) => (reach === 'direct') === all[at].canAccessPeer(all.find(other => other.label === label))),
      pictures.filter(other => other.uuid === uuid).length]));`;
  expect(await printed(program)).toEqual([
    ['sim:0', false, 3, true, 1],
    ['sim:1', false, 3, true, 1],
    ['sim:2', true, 3, true, 1],
    ['sim:3', false, 3, true, 1]
  ]);
});

describe('toDevice', () => {
  test('copies to another device, and returns the array itself if it is already there', async () => {
    const program = `
      const a = arange(6, { dtype: 'float32', device: 'sim:1' }).reshape(2, 3);
      const b = a.toDevice('sim:3');
      print([b.device.label, b.shape, b.toNested(), b.stream.device.label, a.toDevice('sim:1') === a, b === a,
        a.toDevice(devices().find(device => device.label === 'sim:0')).device.label]);`;
    expect(await printed(program)).toEqual([
      'sim:3',
      [2, 3],
      [
        [0, 1, 2],
        [3, 4, 5]
      ],
      'sim:3',
      true,
      false,
      'sim:0'
    ]);
  });

  test('accepts a stream for the device of the result, and returns a view for one of the same device', async () => {
    const program = `
      const s = new Stream({ device: 'sim:2' }), t = new Stream({ device: 'sim:0' });
      const a = ones(3, { device: 'sim:0' });
      const b = a.toDevice(s);
      const c = a.toDevice(t);
      print([b.stream === s, b.toNested(), c.stream === t, c !== a, c.pointer === a.pointer, a.toDevice(a.stream) === a]);`;
    expect(await printed(program)).toEqual([true, [1, 1, 1], true, true, true, true]);
  });

  test('makes strided, repeated, empty and 0-d arrays contiguous', async () => {
    const program = `
      const a = arange(12, { dtype: 'int32', device: 'sim:1' }).reshape(3, 4);
      const to = view => { const copy = view.toDevice('sim:2'); return [copy.toNested(), copy.isRowMajor, copy.readOnly]; };
      print([to(a.T), to(a.slice('::-2', '1::2')), to(array([5], { device: 'sim:1' }).broadcastTo([2, 2])),
        to(zeros([0, 3], { device: 'sim:1' })), to(a.slice(1, 2)), to(a.asReadOnly())].map(String));`;
    expect(await printed(program)).toEqual(
      [
        [
          [
            [0, 4, 8],
            [1, 5, 9],
            [2, 6, 10],
            [3, 7, 11]
          ],
          true,
          false
        ],
        [
          [
            [9, 11],
            [1, 3]
          ],
          true,
          false
        ],
        [
          [
            [5, 5],
            [5, 5]
          ],
          true,
          false
        ],
        [[], true, false],
        [6, true, false],
        [
          [
            [0, 1, 2, 3],
            [4, 5, 6, 7],
            [8, 9, 10, 11]
          ],
          true,
          false
        ]
      ].map(String)
    );
  });

  test('copies the mask too', async () => {
    const program = `
      const mask = array([true, false, true], { device: 'sim:1' });
      const a = arange(3, { device: 'sim:1' }).withMask(mask);
      const b = a.toDevice('sim:0');
      print([b.toNested(), b.mask.device.label, a.slice('::-1').toDevice('sim:2').toNested()]);`;
    expect(await printed(program)).toEqual([[0, null, 2], 'sim:0', [2, null, 0]]);
  });

  test('refuses freed arrays, unknown devices and streams of the wrong device', async () => {
    const program = `
      const a = ones(2, { device: 'sim:1' });
      a.dispose();
      const b = ones(2, { device: 'sim:1' });
      const s = new Stream({ device: 'sim:1' });
      print([caught(() => a.toDevice('sim:1'))[0], caught(() => a.toDevice('sim:2'))[0], caught(() => b.toDevice('sim:9')),
        caught(() => b.toDevice('sim:2', { stream: s }))]);`;
    expect(await printed(program)).toEqual([
      'ERR_FREED',
      'ERR_FREED',
      ['ERR_DEVICE', expect.stringContaining('available: sim:0, sim:1, sim:2, sim:3')],
      ['ERR_DEVICE', 'stream on sim:1 (simulated) for a copy to sim:2 (simulated)']
    ]);
  });
});

describe('copyFrom between devices', () => {
  test('never reads the source to the host', async () => {
    const program = `
      const a = arange(1000, { device: 'rec:1' });
      const b = zeros(1000, { device: 'rec:2' });
      const { recording } = (await import(${JSON.stringify(new URL('../../../src/native/load.ts', import.meta.url).href)})).native();
      recording.clear();
      b.copyFrom(a);
      const log = recording.log().map(line => line.slice(0, line.indexOf('(')));
      print([log, b.item(999)]);`;
    const [log, last] = (await printed(program)) as [string[], number];
    expect(log).toContain('cuMemcpyPeerAsync');
    expect(log.filter(call => call.startsWith('cuMemcpyD') || call.startsWith('cuMemcpyH'))).toEqual([]);
    expect(last).toBe(999);
  });

  test('fills strided targets from strided sources', async () => {
    const program = `
      const a = arange(12, { dtype: 'int32', device: 'sim:1' }).reshape(3, 4);
      const b = zeros([4, 6], { dtype: 'int32', device: 'sim:2' });
      b.slice(null, '::2').copyFrom(a.T);
      print([b.toNested(), caught(() => b.copyFrom(a))[0]]);`;
    expect(await printed(program)).toEqual([
      [
        [0, 0, 4, 0, 8, 0],
        [1, 0, 5, 0, 9, 0],
        [2, 0, 6, 0, 10, 0],
        [3, 0, 7, 0, 11, 0]
      ],
      'ERR_SHAPE'
    ]);
  });

  test('goes through the host between drivers', async () => {
    const program = `
      const a = arange(5, { device: 'rec:1' });
      print([a.slice('::-1').toDevice('sim:3').toNested(), arange(3, { device: 'sim:2' }).toDevice('rec:0').toNested()]);`;
    expect(await printed(program)).toEqual([
      [4, 3, 2, 1, 0],
      [0, 1, 2]
    ]);
  });

  test('keeps the order: a later write to the source waits for the copy', async () => {
    const program = `
      const s = new Stream({ device: 'rec:1' }), t = new Stream({ device: 'rec:2' });
      const a = ones(1000, { stream: s }), b = zeros(1000, { stream: t });
      const { recording } = (await import(${JSON.stringify(new URL('../../../src/native/load.ts', import.meta.url).href)})).native();
      recording.clear();
      b.copyFrom(a);
      a.fill(2);
      const waits = recording.log().filter(line => line.startsWith('cuStreamWaitEvent')).map(line => line.match(/stream (\\S+?)[,)]/)[1]);
      const name = stream => '0x' + stream.handle.toString(16);
      print([waits.map(handle => handle === name(s) ? 'source' : handle === name(t) ? 'target' : handle), b.item(0), a.item(0)]);`;
    expect(await printed(program)).toEqual([['target', 'source'], 1, 2]);
  });
});

describe('the current device is per call', () => {
  const alternate = `
    const first = arange(64, { device: 'sim:1' }), second = arange(64, { device: 'sim:2' });
    for (let round = 0; round < 50; round++) {
      first.fill(round);
      second.copyFrom(first);
      second.slice(':32').fill(-round);
      first.copyFrom(second);
    }
    const outcome = [first.item(0), first.item(63), second.item(31), second.item(32)];`;

  test('operations on arrays of two devices alternate', async () => {
    expect(await printed(`${alternate} print(outcome);`)).toEqual([-49, 49, -49, 49]);
  });

  test('on worker threads too, concurrently', async () => {
    const program = `
      const code = \`import('${library.slice(1, -1)}').then(({ arange }) => { ${alternate.replaceAll("'", '"')} require('node:worker_threads').parentPort.postMessage(outcome); });\`;
      const inside = Array.from({ length: 3 }, () => new Promise((resolve, reject) =>
        new Worker(code, { eval: true, execArgv: [] }).once('message', resolve).once('error', reject)));
      ${alternate}
      print([outcome, ...await Promise.all(inside)]);`;
    expect(await printed(program)).toEqual(Array.from({ length: 4 }, () => [-49, 49, -49, 49]));
  });

  test('memory is counted and limited by device', async () => {
    const program = `
      const a = zeros(2 ** 20, { dtype: 'uint8', device: 'sim:1' });
      const used = devices().map(device => device.totalMemory - device.memoryInfo().free);
      const problem = caught(() => zeros(2 ** 21, { dtype: 'uint8', device: 'sim:1' }));
      zeros(2 ** 21, { dtype: 'uint8', device: 'sim:2' });
      const { deviceOrdinal, context } = a.storage.pointerAttributes(a.pointer);
      print([used.slice(-4), problem[0], deviceOrdinal, context !== zeros(1, { device: 'sim:2' }).storage.pointerAttributes(zeros(1, { device: 'sim:2' }).pointer).context]);`;
    const environment = {
      STRIDELAB_SIM_MEMORY: String(2 ** 21 + 2 ** 19),
      STRIDELAB_CUDA_MEMORY_MANAGER: ''
    };
    expect(await printed(program, environment)).toEqual([
      [0, 2 ** 20, 0, 0],
      expect.stringMatching(/ERR_DRIVER/),
      1,
      true
    ]);
  });
});

describe('exchange', () => {
  test('an imported array is on the device that holds its pointer (rule 136)', async () => {
    const program = `
      const a = arange(3, { device: 'sim:2' });
      const { asCudaArray, fromDlpack } = lab;
      const imported = asCudaArray({ __cuda_array_interface__: a.__cuda_array_interface__ });
      const exchanged = fromDlpack(a);
      print([imported.device.label, imported.toDevice('sim:1').toNested(), exchanged.device.label, exchanged.pointer === a.pointer]);`;
    expect(await printed(program)).toEqual(['sim:2', [0, 1, 2], 'sim:2', true]);
  });
});

describe('streams and events of several devices', () => {
  test('rule 90: a stream waits for events of other devices, which are recorded on their own device only', async () => {
    const program = `
      const s = new Stream({ device: 'sim:1' }), t = new Stream({ device: 'sim:2' });
      const event = s.record();
      t.wait(event);
      t.wait(s);
      const own = t.record();
      own.synchronize(); event.synchronize();
      print([caught(() => t.record(event)), caught(() => own.elapsedSince(event)), t.query(),
        caught(() => t.wait(new Stream({ device: 'rec:0' })))]);`;
    expect(await printed(program)).toEqual([
      ['ERR_ARGUMENT', expect.stringContaining('create it on the stream')],
      ['ERR_ARGUMENT', expect.stringContaining('two events of one device')],
      true,
      ['ERR_ARGUMENT', expect.stringContaining('do not mix')]
    ]);
  });

  test('a capture includes streams of other devices', async () => {
    const program = `
      const s = new Stream({ device: 'sim:1' }), t = new Stream({ device: 'sim:2' });
      const a = zeros(4, { stream: s, dtype: 'int32' }), b = zeros(4, { stream: t, dtype: 'int32' });
      const graph = s.capture(() => {
        a.fill(7);
        t.wait(s);
        b.copyFrom(a);
        s.wait(t);
      });
      const before = b.item(0);
      graph.launch(s);
      print([before, b.toNested()]);`;
    expect(await printed(program)).toEqual([0, [7, 7, 7, 7]]);
  });

  test('peers are distinguished from the device itself and from devices of other drivers', async () => {
    const program = `
      const [a, b] = devices().slice(-2);
      const foreign = zeros(1, { device: 'rec:0' }).device;
      print([a.canAccessPeer(b), a.canAccessPeer(a), a.canAccessPeer(foreign), caught(() => a.native.canAccessPeer({}))[0]]);`;
    expect(await printed(program)).toEqual([true, false, false, 'ERR_ARGUMENT']);
  });
});
