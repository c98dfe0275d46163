/** Breakpoints in kernels and helpers of the user's files. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kernel, withKernel } from './one-kernel.ts';
import { WITHOUT_TYPES } from './client.ts';
import { DebugClient, places } from './debug-client.ts';

let debug: DebugClient;
let path: string;
withKernel('tcp', WITHOUT_TYPES);
beforeAll(async () => {
  debug = new DebugClient(kernel);
  path = join(kernel.folder, 'waves.ts');
  writeFileSync(path, FILE);
  await debug.attach();
});

const FILE = `import { cuda, type DeviceArray, type f32 } from 'stridelab';

export function raised(v: f32) {
  const more = v + 1;
  return more;
}
export const raise = cuda.kernel((x: DeviceArray<f32>) => {
  const i = cuda.grid(1);
  x[i] = raised(x[i]);
});`;

const CODE = `import { array, cuda, type DeviceArray, type f32 } from 'stridelab';
import { raise, raised } from './waves.ts';
const own = cuda.kernel((x: DeviceArray<f32>) => {
  x[0] = raised(x[0]);
});
const x = array(new Float32Array([1, 2]));
raise.launch({ grid: 1, block: 2, debug: { thread: 1 } }, x);
own.launch({ grid: 1, block: 1 }, x);
String(x.toTypedArray())`;

const setInFile = (...breakpoints: object[]): Promise<object> =>
  debug.ask('setBreakpoints', { source: { path }, breakpoints });

test('a kernel stops in its file, also in the first run, and its stack names the file', async () => {
  await setInFile({ line: 9 });
  const id = kernel.startExecution(CODE);
  const frames = await debug.stopped();
  expect(places(frames)).toEqual(['raise:9', expect.stringMatching(/^Cell \[\d+\]:7$/)]);
  expect(frames[0]!.source).toEqual({ name: 'waves.ts', path });
  expect(await debug.step('stepIn')).toBe('raised:4');
  expect(await debug.evaluate('v', (await debug.frames())[0]!.id)).toBe('2');
  expect(await debug.step('stepOut')).toBe('raise:9');
  await debug.continue();
  expect((await kernel.finish(id)).result).toBe("'3,3'");
});

test('a helper of a file stops in kernels of the file and of cells; a breakpoint is set while it is stopped', async () => {
  await setInFile({ line: 5, condition: 'more === 3' });
  const id = kernel.startExecution(CODE);
  expect(places(await debug.stopped()).slice(0, 2)).toEqual(['raised:5', 'raise:9']);
  await setInFile({ line: 4 });
  await debug.continue();
  expect(places(await debug.stopped()).slice(0, 2)).toEqual(['raised:4', 'own:4']);
  await setInFile();
  await debug.continue();
  expect((await kernel.finish(id)).result).toBe("'3,3'");
});
