/** Interrupts of kernels in TypeScript on simulated devices. */

import { WITHOUT_TYPES } from './client.ts';
import { kernel, last, withKernel } from './one-kernel.ts';

withKernel('tcp', WITHOUT_TYPES);
beforeAll(async () => {
  await last(
    "import { cuda, i32, inspect, zeros, type DeviceArray } from 'stridelab';",
    `const kept = zeros(1, { dtype: 'int32' });
     const count = cuda.kernel((x: DeviceArray<i32>) => { cuda.atomicAdd(x, 0, 1); });
     const endless = cuda.kernel((x: DeviceArray<i32>) => { while (true) cuda.atomicAdd(x, 0, 1); });
     const long = cuda.kernel((x: DeviceArray<i32>, rounds: i32) => {
       for (let k = 0; k < rounds; k++) cuda.atomicAdd(x, 0, 1);
     });`
  );
});

/** A fast answer, with time for a busy machine. */
const FAST_MS = 5_000;

/** Starts a cell that prints `started`, interrupts it then, and returns how it ended. */
async function interrupted(cell: string): Promise<string> {
  const id = kernel.startExecution(cell);
  await kernel.published(({ type, content, parentId }) => {
    return type === 'stream' && parentId === id && String(content['text']).includes('started');
  });
  const start = performance.now();
  await kernel.request('interrupt_request', {}, 'control');
  const { reply } = await kernel.finish(id);
  expect(performance.now() - start).toBeLessThan(FAST_MS);
  expect(reply['status']).toBe('error');
  return String(reply['ename']);
}

test.each([
  [
    'a long kernel that the cell waits for',
    'long.launch({ grid: 1000, block: 256 }, kept, 100_000_000); kept.item();'
  ],
  ['a kernel that never ends', 'endless.launch({ grid: 1, block: 32 }, kept); kept.item();'],
  ['a kernel that never ends, at the end of the cell', 'endless.launch({ grid: 1, block: 32 }, kept);'],
  ['the check of a kernel that never ends', 'endless.check({ grid: 1, block: 32 }, kept);'],
  ['the picture of a kernel that never ends', 'inspect(endless, { grid: 1, block: 32 }, kept);'],
  ['a long loop of launches', 'for (;;) count.launch({ grid: 1, block: 1 }, kept);'],
  [
    'a long loop of launches that are waited for',
    'for (;;) { count.launch({ grid: 4, block: 64 }, kept); kept.item(); }'
  ]
])(
  '%s',
  async (_, code) => {
    expect(await interrupted(`console.log('started');\n${code}`)).toBe('Interrupted');
    const next = 'kept.fill(0); count.launch({ grid: 2, block: 3 }, kept); Number(kept.item())';
    expect(await last(next)).toBe('6');
  },
  20_000
);
