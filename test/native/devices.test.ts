import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

import { addonPath, errorOf, loadAgain, native, simulated } from './support.ts';

/** Runs a program that gets the addon as `native` in a process of its own and returns what it prints as JSON. */
function inProcess(program: string, environment: Record<string, string>): unknown {
  const code = `const native = require(${JSON.stringify(addonPath)}); console.log(JSON.stringify((() => {${program}})()));`;
  return JSON.parse(
    execFileSync(process.execPath, ['-e', code], { encoding: 'utf8', env: { ...process.env, ...environment } })
  );
}

describe('the addon', () => {
  test('has the version of the package', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(native.version).toBe(version);
  });

  test('gives plain errors with the fields of the failure where no factory was set', () => {
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
  test('says what it is', () => {
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

  test('has 8 GiB unless the environment says otherwise', () => {
    const program = `return native.devices('simulated')[0].totalMemory`;
    expect(inProcess(program, { STRIDELAB_SIM_MEMORY: '' })).toBe(8 * 2 ** 30);
    expect(inProcess(program, { STRIDELAB_SIM_MEMORY: '4096' })).toBe(4096);
  });

  test('names a memory size that is not one', () => {
    const program = `try { native.devices('simulated') } catch (error) { return { kind: error.kind, message: error.message } }`;
    expect(inProcess(program, { STRIDELAB_SIM_MEMORY: '8GB' })).toEqual({
      kind: 'argument',
      message: "STRIDELAB_SIM_MEMORY must be a positive number of bytes, not '8GB'"
    });
  });
});

describe('the CUDA driver', () => {
  test('is there, or the error says what was looked for', () => {
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
