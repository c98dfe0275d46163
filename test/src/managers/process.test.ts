/** Behaviour of a whole process: import, threads, collection. */

import { printedBy } from '../../setup/repository.ts';

const library = JSON.stringify(new URL('../../setup/whole-library.ts', import.meta.url).href);
const plugin = JSON.stringify(new URL('../../../src/memory/managers/best-fit-pool.ts', import.meta.url).href);

/** Runs a program and returns the JSON that it prints. */
function printed(program: string, environment: NodeJS.ProcessEnv = {}): Promise<unknown> {
  return printedBy(program, { STRIDELAB_CUDA_MEMORY_MANAGER: '', ...environment });
}

test.each([
  ['the library first', [library, plugin]],
  ['the plugin first', [plugin, library]]
])('rules 204, 205: importing and registering load neither driver nor addon (%s)', async (_name, order) => {
  const program = `
    const loaded = () => process.report.getReport().sharedObjects.some(name => name.includes('stridelab.node'));
    for (const module of [${order.join(', ')}]) await import(module);
    const { setMemoryManager, currentManager, zeros } = await import(${library});
    const { BestFitPoolMemoryManager } = await import(${plugin});
    setMemoryManager(BestFitPoolMemoryManager);
    const before = loaded();
    using a = zeros(4, { device: 'sim:0' });
    console.log(JSON.stringify([before, loaded(), currentManager('sim:0').constructor.name]));`;
  expect(await printed(program)).toEqual([false, true, 'BestFitPoolMemoryManager']);
});

test('rule 222: the variable selects a shipped manager by its module, for arrays', async () => {
  const program = `
    const { currentManager, zeros, setMemoryManager, DefaultCUDAMemoryManager } = await import(${library});
    setMemoryManager(DefaultCUDAMemoryManager);
    using a = zeros(1000, { device: 'sim:0' });
    const { used } = currentManager('sim:0').statistics();
    console.log(JSON.stringify([currentManager('sim:0').constructor.name, used]));`;
  const value = await printed(program, {
    STRIDELAB_CUDA_MEMORY_MANAGER: './src/memory/managers/best-fit-pool.ts',
    NODE_NO_WARNINGS: '1'
  });
  expect(value).toEqual(['BestFitPoolMemoryManager', 8192]);
});

test('rule 223: each worker has its own registration and instances, called on its own thread', async () => {
  const program = `
    import { Worker } from 'node:worker_threads';
    const { currentManager, setMemoryManager, BestFitPoolMemoryManager, zeros } = await import(${library});
    setMemoryManager(BestFitPoolMemoryManager);
    using a = zeros(1000, { device: 'sim:0' });
    const code = \`
      import(${library.replaceAll('"', "'")}).then(({ currentManager, zeros }) => {
        const b = zeros(1000, { device: 'sim:0' });
        require('node:worker_threads').parentPort.postMessage(currentManager('sim:0').constructor.name);
        b.dispose();
      });\`;
    const worker = new Worker(code, { eval: true, execArgv: [] });
    const inside = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    await worker.terminate();
    console.log(JSON.stringify([inside, currentManager('sim:0').constructor.name, currentManager('sim:0').statistics().used]));`;
  expect(await printed(program)).toEqual(['DefaultCUDAMemoryManager', 'BestFitPoolMemoryManager', 8192]);
});

test('rules 211, 212: unreachable memory is freed when it is collected, and a buffer keeps its memory alive', async () => {
  const program = `
    import { setFlagsFromString } from 'node:v8';
    import { runInNewContext } from 'node:vm';
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc');
    const settle = async () => { for (let i = 0; i < 5; i++) { gc(); await new Promise(resolve => setTimeout(resolve, 5)); } };
    const { currentManager, devices, memalloc, memhostalloc } = await import(${library});
    const device = devices().find(device => device.simulated);
    const on = { device };
    const { pending } = currentManager(device);
    (() => void memalloc(4096, on))();
    (() => void memhostalloc(100, { ...on, mapped: true }))();
    await settle();
    const forgotten = currentManager(device).pending;
    let buffer = (() => memhostalloc(64, on).buffer)();
    await settle();
    const kept = currentManager(device).pending.count;
    new Uint8Array(buffer).fill(7);
    buffer = undefined;
    await settle();
    console.log(JSON.stringify([pending.count, forgotten.count, forgotten.bytes, kept, currentManager(device).pending.count]));`;
  expect(await printed(program)).toEqual([0, 2, 4196, 2, 3]);
});

test('rule 104: a process that still holds memory of every kind exits silently', async () => {
  const program = `
    const { memalloc, memhostalloc, zeros, usingMemoryManager, BestFitPoolMemoryManager, AsyncPoolMemoryManager } = await import(${library});
    const on = { device: 'sim:0' };
    globalThis.kept = [memalloc(64, on), memhostalloc(64, on).buffer, zeros(10, on)];
    usingMemoryManager(BestFitPoolMemoryManager);
    globalThis.kept.push(zeros(10, on));
    zeros(10, on).dispose();
    usingMemoryManager(AsyncPoolMemoryManager);
    globalThis.kept.push(zeros(10, on));
    console.log(JSON.stringify('held'));`;
  expect(await printed(program)).toBe('held');
});
