import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

import { addonPath, block, errorOf, loadAgain, native, settle, simulated } from './support.ts';

/** Runs a program with the addon as `native` in its own process, and returns the JSON that it prints. */
function inProcess(program: string, environment: Record<string, string>): unknown {
  const code = `const native = require(${JSON.stringify(addonPath)}); console.log(JSON.stringify((() => {${program}})()));`;
  return JSON.parse(
    execFileSync(process.execPath, ['-e', code], {
      encoding: 'utf8',
      env: { ...process.env, ...environment }
    })
  );
}

describe('the addon', () => {
  test('has the version of the package', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(native.version).toBe(version);
  });

  test('throws plain errors with the fields of the failure if no factory was set', () => {
    const other = loadAgain();
    let caught: unknown;
    try {
      other.devices('quantum' as 'cuda');
    } catch (error) {
      caught = error;
    }
    expect(caught).toMatchObject({ name: 'TypeError', kind: 'argument' });
  });

  test('refuses a factory that is not a function', () => {
    expect(errorOf(() => native.setErrorFactory(3 as never)).kind).toBe('argument');
  });
});

describe('the simulated device', () => {
  test('describes itself', () => {
    const device = simulated();
    expect(device.kind).toBe('simulated');
    expect(device.ordinal).toBe(0);
    expect(device.name).toBe('Stridelab simulated device');
    expect(device.uuid).toMatch(/^SIM-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect([...device.computeCapability]).toEqual([0, 0]);
    expect(device.pciBusId).toBe('0000:00:00.0');
    expect(device.driverVersion).toBe(1000);
    expect(device.memoryInfo().total).toBe(device.totalMemory);
  });

  test('is the same object on every call', () => {
    expect(native.devices('simulated')[0]).toBe(simulated());
    expect(simulated().legacyStream().device).toBe(simulated());
  });

  test('has 8 GiB unless the environment sets another size', () => {
    const program = `return native.devices('simulated')[0].totalMemory`;
    expect(inProcess(program, { STRIDELAB_SIM_MEMORY: '' })).toBe(8 * 2 ** 30);
    expect(inProcess(program, { STRIDELAB_SIM_MEMORY: '4096' })).toBe(4096);
  });

  test('refuses an invalid memory size by name', () => {
    const program = `try { native.devices('simulated') } catch (error) { return { kind: error.kind, message: error.message } }`;
    expect(inProcess(program, { STRIDELAB_SIM_MEMORY: '8GB' })).toEqual({
      kind: 'argument',
      message: "STRIDELAB_SIM_MEMORY must be a positive number of bytes, not '8GB'"
    });
  });
});

describe('several simulated devices', () => {
  const four = { STRIDELAB_SIM_DEVICES: '4' };

  test('are as many as the environment sets, each with its own name', () => {
    const program = `return native.devices('simulated').concat(native.devices('recording'))
      .map(({ ordinal, uuid, pciBusId, totalMemory }) => [ordinal, uuid, pciBusId, totalMemory])`;
    const found = inProcess(program, four) as [number, string, string, number][];
    expect(found.map(([ordinal]) => ordinal)).toEqual([0, 1, 2, 3, 0, 1, 2, 3]);
    expect(new Set(found.map(([, uuid]) => uuid)).size).toBe(8);
    expect(found.map(([, , id]) => id).slice(0, 2)).toEqual(['0000:00:00.0', '0000:01:00.0']);
    expect(new Set(found.map(([, , id]) => id)).size).toBe(8);
  });

  test.each(['0', '17', '-1', 'two', '1.5'])('a count of %s is refused by name', count => {
    const program = `try { native.devices('simulated') } catch (error) { return error.message }`;
    expect(inProcess(program, { STRIDELAB_SIM_DEVICES: count })).toBe(
      `STRIDELAB_SIM_DEVICES must be a number from 1 to 16, not '${count}'`
    );
  });

  test('each call runs in the context of its own object, whichever was current, and restores that one', () => {
    const program = `
      const devices = native.devices('recording');
      const out = [];
      for (const outer of [devices[0], devices[3], undefined]) {
        if (outer) native.recording.pushContext(outer);
        const streams = devices.map(device => native.createStream(device, { blocking: false, priority: 0 }));
        const blocks = devices.map(device => native.allocate(device, 256, 'device'));
        blocks.forEach((block, i) => block.fill(0, 1, i + 1, 256, streams[i]));
        for (let i = 1; i < 4; i++) blocks[i].copyFrom(0, blocks[i - 1], 0, 64, streams[i % 2 ? i : i - 1]);
        const host = new Uint8Array(256);
        blocks[3].readToHost(0, host, streams[3]);
        out.push([host[0], host[64], blocks.map(block => devices[0].pointerAttributes(block.pointer).deviceOrdinal)]);
        devices.forEach(device => device.synchronize());
        blocks.forEach(block => block.release());
        streams.forEach(stream => stream.destroy());
        if (outer) out.push(native.recording.popContext());
      }
      return out;`;
    const result = [1, 4, [0, 1, 2, 3]];
    expect(inProcess(program, four)).toEqual([result, 0, result, 3, result]);
  });

  test('peer access is enabled once for each pair, and copies name both contexts', () => {
    const program = `
      const [a, b] = native.devices('recording');
      const s = native.createStream(b, { blocking: false, priority: 0 });
      const [x, y] = [native.allocate(a, 64, 'device'), native.allocate(b, 64, 'device')];
      native.recording.clear();
      for (let i = 0; i < 3; i++) y.copyFrom(0, x, 0, 64, s);
      return native.recording.log().map(line => line.split('(')[0]);`;
    expect(inProcess(program, four)).toEqual([
      'cuCtxEnablePeerAccess',
      'cuCtxEnablePeerAccess',
      'cuMemcpyPeerAsync',
      'cuMemcpyPeerAsync',
      'cuMemcpyPeerAsync'
    ]);
  });

  test('if the limit of peers is reached the copy is made all the same, other failures are thrown', () => {
    const program = `
      const [a, b, c] = native.devices('recording');
      const s = native.createStream(b, { blocking: false, priority: 0 });
      const [x, y, z] = [a, b, c].map(device => native.allocate(device, 64, 'device'));
      x.fill(0, 1, 9, 64, native.createStream(a, { blocking: false, priority: 0 }));
      native.recording.fail('cuCtxEnablePeerAccess', 711, 2);
      y.copyFrom(0, x, 0, 64, s);
      const host = new Uint8Array(64);
      y.readToHost(0, host, s);
      native.recording.fail('cuCtxEnablePeerAccess', 1, 1);
      let message = '';
      try { z.copyFrom(0, x, 0, 64, s) } catch (error) { message = error.message }
      return [host[63], message];`;
    expect(inProcess(program, four)).toEqual([9, expect.stringContaining('cuCtxEnablePeerAccess failed')]);
  });

  test('host memory belongs to no device: it is copied to and from any of them', () => {
    const program = `
      const [a, b] = native.devices('simulated');
      const s = native.createStream(b, { blocking: false, priority: 0 });
      const host = new Uint8Array(64);
      const out = [];
      for (const kind of ['pinned', 'managed']) {
        const outside = native.allocate(a, 64, kind);
        const inside = native.allocate(b, 64, 'device');
        inside.fill(0, 1, 5, 64, s);
        outside.copyFrom(0, inside, 0, 64, s);
        inside.fill(0, 1, 0, 64, s);
        inside.copyFrom(0, outside, 0, 64, native.createStream(a, { blocking: false, priority: 0 }));
        inside.readToHost(0, host, s);
        out.push(host[63]);
      }
      return out;`;
    expect(inProcess(program, four)).toEqual([5, 5]);
  });

  test('work of one device on memory of another is refused until access is enabled', () => {
    const program = `
      const [a, b] = native.devices('recording');
      const block = native.allocate(a, 64, 'device');
      const s = native.createStream(b, { blocking: false, priority: 0 });
      const attempt = () => { try { block.fill(0, 1, 1, 64, s); return 'done' } catch (error) { return error.statusName } };
      const out = [attempt()];
      native.allocate(b, 64, 'device').copyFrom(0, block, 0, 64, s);
      return [...out, attempt()];`;
    expect(inProcess(program, four)).toEqual(['CUDA_ERROR_INVALID_VALUE', 'done']);
  });

  test('the legacy streams are separate: one waits only for the blocking streams of its own device', () => {
    const program = `
      const [a, b] = native.devices('simulated');
      const block = native.allocate(b, 2 ** 24, 'device');
      block.fill(0, 1, 1, 2 ** 24, native.createStream(b, { blocking: true, priority: 0 }));
      const busy = [a.legacyStream().query(), b.legacyStream().query()];
      a.synchronize();
      busy.push(b.legacyStream().query());
      b.synchronize();
      busy.push(b.legacyStream().query());
      return busy;`;
    expect(inProcess(program, four)).toEqual([true, false, false, true]);
  });
});

describe('the CUDA driver', () => {
  test('is found, or the error lists the paths that were tried', () => {
    let found = 0;
    try {
      found = native.devices('cuda').length;
    } catch (error) {
      const { info } = error as { info: { kind: string; message: string; tried: string[] } };
      expect(info.kind).toBe('unavailable');
      expect(info.tried).toContain('libcuda.so.1');
      expect(info.message).toMatch(/libcuda/);
      return;
    }
    expect(found).toBeGreaterThan(0);
  });
});

test('a device returns attributes by number, and null for those unknown to its driver', () => {
  expect(simulated().attribute(75)).toBe(0);
  expect(simulated().attribute(16)).toBeNull();
});

test('a device counts the bytes of blocks that are referenced', () => {
  settle();
  const before = simulated().liveBytes;
  const held = block(4096);
  expect(simulated().liveBytes - before).toBe(4096);
  held.release();
  settle();
  expect(simulated().liveBytes).toBe(before);
});
