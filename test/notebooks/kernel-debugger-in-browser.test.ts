import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DebuggerPanel } from './debugger-panel.ts';
import { lab, withSession } from './lab-session.ts';
import { saveScreenshot } from './screenshot.ts';
import { root } from '../setup/repository.ts';

const cells = [
  `import { arange, cuda, f32, i32, zeros, type DeviceArray } from 'stridelab';
function mirrored(t: i32, length: i32): i32 {
  const last = length - 1;
  return last - t;
}`,
  `const reversed = cuda.kernel((x: Readonly<DeviceArray<f32>>, out: DeviceArray<f32>) => {
  const tile = cuda.shared(f32, 64);
  const t = cuda.threadIdx.x;
  tile[t] = x[cuda.grid(1)] * 2;
  if (t === 63) {
    tile[t] += 0.5;
  }
  cuda.syncThreads();
  const from = mirrored(t, 64);
  out[cuda.grid(1)] = tile[from];
});`,
  `const x = arange(256, { dtype: 'float32' });
const out = zeros(256, { dtype: 'float32' });
reversed.launch({ grid: 4, block: 64, debug: { block: 1, thread: 3 } }, x, out);
out.toTypedArray().slice(64, 68)`,
  ''
];
const [HELPER, KERNEL, LAUNCH, LAST] = [0, 1, 2, 3] as const;

describe("JupyterLab's debugger in a kernel", () => {
  let panel: DebuggerPanel;

  withSession('debugged-kernel', cells, { run: false });
  beforeAll(() => {
    panel = new DebuggerPanel(lab);
    // Cells are checked as in a folder without settings.
    writeFileSync(join(root, 'build', 'debugged-kernel', 'tsconfig.json'), '{}');
  }, 180_000);

  test('a click next to a line of the kernel stops the thread that the launch names', async () => {
    await panel.enable();
    await panel.clickGutter(KERNEL, 4);
    // Done when the cells have run, which is after the stop.
    void lab.command('notebook:run-all-cells');
    await panel.stoppedAt(KERNEL, 'tile[t] = x');
    expect(await panel.frames()).toEqual(['reversed', 'Cell [3]']);
    await panel.variable('thread', '3 of block 1');
    await panel.variable('waiting', 'no thread');
    await panel.variable('t', '3');
    await panel.variable('x', 'Float32Array(256) [0, 1, 2');
    await panel.variable('tile', 'Float32Array(64) [NaN, NaN');
  }, 180_000);

  test('steps go over a barrier, into a helper of another cell and out', async () => {
    await lab.command('debugger:next');
    await panel.stoppedAt(KERNEL, 'if (t === 63)');
    await lab.command('debugger:next');
    await panel.stoppedAt(KERNEL, 'syncThreads');
    await lab.command('debugger:next');
    await panel.stoppedAt(KERNEL, 'const from');
    await panel.variable('tile', 'Float32Array(64) [128, 130, 132');
    await saveScreenshot(lab.page, 'debugger-kernel');
    await lab.command('debugger:stepIn');
    await panel.stoppedAt(HELPER, 'const last');
    expect(await panel.frames()).toEqual(['mirrored', 'reversed', 'Cell [3]']);
    await panel.variable('length', '64');
    await saveScreenshot(lab.page, 'debugger-kernel-helper');
    await lab.command('debugger:stepOut');
    await panel.stoppedAt(KERNEL, 'const from');
    await lab.command('debugger:next');
    await panel.stoppedAt(KERNEL, 'out[cuda');
    await panel.variable('from', '60');
  }, 120_000);

  test('it continues to the end, with the right results', async () => {
    await lab.command('debugger:continue');
    await lab
      .outputs(LAUNCH)
      .getByText('Float32Array(4) [ 254.5, 252, 250, 248 ]')
      .waitFor({ timeout: 20_000 });
  }, 60_000);

  test('a thread that others wait for shows them', async () => {
    await panel.clearGutter(KERNEL, 4);
    await panel.clickGutter(KERNEL, 6);
    await lab.start(LAST, 'reversed.launch({ grid: 4, block: 64 }, x, out);\nout.toTypedArray().slice(0, 3)');
    await panel.stoppedAt(KERNEL, 'tile[t] += 0.5');
    await panel.variable('thread', '63 of block 0');
    await panel.variable('waiting', '63 in line 8: syncThreads');
    await saveScreenshot(lab.page, 'debugger-kernel-waiting');
    await lab.command('debugger:continue');
    await lab.outputs(LAST).getByText('Float32Array(3) [ 126.5, 124, 122 ]').waitFor({ timeout: 20_000 });
    expect(lab.complaints).toEqual([]);
  }, 60_000);
});
