/** Behaviour of a whole process: its exit, and missing or old drivers. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { run } from '../setup/repository.ts';
import { addonPath } from './support.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

/** Runs code in a separate Node process with `native` and the simulated `device`. */
function inProcess(code: string, environment: NodeJS.ProcessEnv = {}) {
  const start = `const native = require(${JSON.stringify(addonPath)});`;
  return run(process.execPath, ['-e', `${start}\n${code}`], environment);
}

const WORK = `
  const [device] = native.devices('simulated');
  const on = native.createStream(device, { blocking: false, priority: 0 });
  globalThis.kept = Array.from({ length: 20 }, (_, index) => {
    const pointer = native.raw.memAlloc(device, 1 << 20);
    const storage = native.adopt(device, pointer, 1 << 20, 'device', () => native.raw.memFree(device, pointer));
    storage.writeFromHost(0, new Uint8Array(1 << 20), on);
    if (index % 2 === 0) storage.release();
    return storage;
  });
  native.allocate(device, 1 << 20, 'device').fill(0, 1, 0, 8, on);
  native.createEvent(device, true);
  on.beginCapture();
  native.allocate(device, 1 << 20, 'device').fill(0, 1, 0, 8, on);
  globalThis.graph = on.endCapture();
  graph.launch(on);
  kept[1].readToHostAsync(0, new Uint8Array(1 << 20), on);
`;

describe('the end of a process', () => {
  test('rules 104, 172: does not crash while work is pending', async () => {
    expect(await inProcess(WORK)).toMatchObject({ status: 0, output: '' });
  });

  test('rules 104, 172: can be requested at any moment, also from a worker', async () => {
    expect(await inProcess(`${WORK} process.exit(7);`)).toMatchObject({ status: 7, output: '' });
    const worker = `const native = require(${JSON.stringify(addonPath)}); ${WORK} process.exit(3);`;
    const code = `
      const { Worker } = require('node:worker_threads');
      new Worker(${JSON.stringify(worker)}, { eval: true }).on('exit', code => process.exit(code));
      ${WORK}`;
    expect(await inProcess(code)).toMatchObject({ status: 3, output: '' });
  });

  test('rules 103, 172: is clean after several workers have come and gone', async () => {
    const worker = `const native = require(${JSON.stringify(addonPath)}); ${WORK}`;
    const code = `
      const { Worker } = require('node:worker_threads');
      const start = () => new Promise(resolve => new Worker(${JSON.stringify(worker)}, { eval: true }).on('exit', resolve));
      const rounds = async () => { for (let round = 0; round < 3; round++) await Promise.all([start(), start()]); };
      rounds().then(() => {
        const [device] = native.devices('simulated');
        device.synchronize();
        const { free, total } = device.memoryInfo();
        console.log(total - free);
      });`;
    expect(await inProcess(code)).toMatchObject({ status: 0, output: '0\n' });
  });

  test('rule 167: releases that wait for the event loop do not keep the process alive', async () => {
    const code = `
      const [device] = native.devices('simulated');
      const on = native.createStream(device, { blocking: false, priority: 0 });
      const storage = native.adopt(device, native.raw.memAlloc(device, 1 << 20), 1 << 20, 'device', () => console.log('released'));
      storage.writeFromHost(0, new Uint8Array(1 << 20), on);
      setImmediate(() => storage.release());
      setTimeout(() => {}, 20);`;
    expect(await inProcess(code)).toMatchObject({ status: 0, output: 'released\n' });
  });
});

describe('the collector', () => {
  test('can run while JavaScript catches errors of native code', async () => {
    const code = `
      const native = require(${JSON.stringify(addonPath)});
      const [device] = native.devices('simulated');
      for (let round = 0; round < 2000; round++) {
        native.createEvent(device, false);
        for (let times = 0; times < 50; times++) try { native.setErrorFactory(1); } catch {}
      }
      console.log('all caught');`;
    expect(await run(process.execPath, ['--max-semi-space-size=1', '-e', code])).toMatchObject({
      status: 0,
      output: 'all caught\n'
    });
  });

  test('can run while an uncaught error is handled', async () => {
    const code = `
      require('node:v8').setFlagsFromString('--expose-gc');
      const collect = require('node:vm').runInNewContext('gc');
      const [device] = native.devices('simulated');
      const waiting = setInterval(() => {}, 1000);
      process.on('uncaughtException', error => {
        collect();
        console.log('uncaught: ' + error.message);
        clearInterval(waiting);
      });
      native.channels.watch(() => {
        native.createEvent(device, false);
        throw new Error('expected');
      });
      const name = 'stridelab-uncaught-' + process.pid;
      native.channels.listen(name);
      native.channels.connect(name);`;
    expect(await inProcess(code)).toMatchObject({ status: 0, output: 'uncaught: expected\n' });
  });
});

describe('the CUDA driver', () => {
  const folder = temporaryFolder();

  const tell = `try { native.devices('cuda'); } catch (error) { console.log(error.kind + ': ' + error.message + ' ' + error.tried); }`;

  async function library(name: string, code: string): Promise<string> {
    const [source, file] = [join(folder, `${name}.c`), join(folder, `${name}.so`)];
    writeFileSync(source, code);
    const built = await run(process.env['CC'] ?? 'cc', ['-shared', '-fPIC', '-o', file, source]);
    expect(built).toMatchObject({ status: 0, output: '' });
    return file;
  }

  test('rule 204: that is absent is a typed error which lists the tried paths, and only when it is needed', async () => {
    const missing = join(folder, 'missing.so');
    const { output } = await inProcess(tell, { STRIDELAB_LIBCUDA: missing });
    expect(output).toMatch(/^unavailable: /);
    expect(output).toContain(missing);
    expect(await inProcess(`native.devices('simulated')`, { STRIDELAB_LIBCUDA: missing })).toMatchObject({
      status: 0,
      output: ''
    });
  });

  test('that is too old is a typed error with the found and the required version', async () => {
    const file = await library('old', 'int cuDriverGetVersion(int *version) { *version = 10020; return 0; }');
    const { output } = await inProcess(tell, { STRIDELAB_LIBCUDA: file });
    expect(output).toMatch(/^unavailable: .*is version 10\.2, and stridelab needs 11\.4 or newer/);
  });

  test('that is not a driver is a typed error', async () => {
    const file = await library('other', 'int unrelated(void) { return 0; }');
    const { output } = await inProcess(tell, { STRIDELAB_LIBCUDA: file });
    expect(output).toMatch(/^unavailable: .*is not a CUDA driver: it has no function cuDriverGetVersion/);
  });
});
