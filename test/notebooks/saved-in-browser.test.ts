/** The contents of a notebook file after Ctrl+S, and its display without the kernel that wrote it. */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Locator } from 'playwright-core';
import { root } from '../setup/repository.ts';
import { until } from '../setup/until.ts';
import { session, withSession } from './lab-session.ts';

const CELLS = [
  `import { asCudaArray, devices, exchanges, inspect, memoryLog, Stream, trace, zeros } from 'stridelab';
const device = devices().find(({ simulated }) => simulated)!;
const stream = new Stream({ device });
const w = zeros([2, 3], { device, stream });
trace.start(), memoryLog.start(), exchanges.start();
inspect(w)`,
  'inspect(stream)',
  'inspect(device)',
  'inspect(trace)',
  'inspect(memoryLog)',
  'inspect(exchanges)',
  `import { anywidget, IntSlider, Text, VBox } from 'stridelab/widgets';
const slider = new IntSlider({ description: 'speed', _dom_classes: ['speed'] });
const name = new Text({ value: 'Ada', _dom_classes: ['name'] });
const module = anywidget({
  esm: "export default { render({ model, el }) { el.className = 'any'; el.textContent = 'count ' + model.get('value'); } }",
  state: { value: 40 }
});
new VBox([slider, name, module])`,
  ''
];
const [ARRAY, STREAM, DEVICE, TRACE, MEMORY, EXCHANGES, CONTROLS, LAST] =
  CELLS.keys() as Iterable<number> as [number, number, number, number, number, number, number, number];

interface Saved {
  readonly cells: readonly { readonly outputs: readonly { readonly data?: Record<string, unknown> }[] }[];
  readonly metadata: Record<string, unknown>;
}

const path = join(root, 'build', 'saved', 'saved.ipynb');
const file = (): Saved => JSON.parse(readFileSync(path, 'utf8')) as Saved;
/** In a saved file, text is a list of lines. */
const saved = (cell: number): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(file().cells[cell]!.outputs[0]!.data!).map(([type, data]) => [
      type,
      Array.isArray(data) ? data.join('') : data
    ])
  );
const picture = (cell: number): Record<string, unknown> =>
  (saved(cell)['application/vnd.stridelab.picture+json'] as { picture: Record<string, unknown> }).picture;
const view = (cell: number): Locator => session.lab.cell(cell).locator('.stridelab-view');
const isDirty = (): Promise<boolean> =>
  session.lab.page.evaluate(
    () =>
      (
        window as unknown as {
          jupyterapp: { shell: { currentWidget: { context: { model: { dirty: boolean } } } } };
        }
      ).jupyterapp.shell.currentWidget.context.model.dirty
  );

/** Saves like a user, with the keyboard, again if JupyterLab is still busy with an earlier save. Resolves when the file is written. */
async function save(): Promise<void> {
  const { page } = session.lab;
  const saves = (): Promise<number> => page.evaluate(() => (window as unknown as { saves: number }).saves);
  const before = await saves();
  await until(async () => {
    await page.keyboard.press('Control+S');
    const isSaved = async (): Promise<boolean> => (await saves()) > before;
    // No save within a second: JupyterLab was busy, so the key is pressed again.
    await until(isSaved, 1).catch(() => undefined);
    return isSaved();
  }, 30);
}

/** Starts to count saves on the current page. */
async function countSaves(): Promise<void> {
  await session.lab.page.evaluate(() => {
    const page = window as unknown as {
      saves: number;
      jupyterapp: {
        shell: {
          currentWidget: {
            context: { saveState: { connect(slot: (context: unknown, state: string) => void): void } };
          };
        };
      };
    };
    page.saves = 0;
    page.jupyterapp.shell.currentWidget.context.saveState.connect((_context, state) => {
      if (state === 'completed') page.saves++;
    });
  });
}

withSession('saved', CELLS);
beforeAll(async () => {
  await countSaves();
}, 180_000);

test('a save contains the last state of the live pictures: picture, table and text', async () => {
  const { lab } = session;
  for (const cell of [ARRAY, STREAM, DEVICE, TRACE, MEMORY, EXCHANGES]) await view(cell).waitFor();
  await save();
  expect(saved(ARRAY)['text/plain']).toContain('0  0  0');
  const before = { device: picture(DEVICE), stream: picture(STREAM) };
  await lab.run(
    LAST,
    `w.fill(5);
const more = zeros(1 << 20, { device, stream });
asCudaArray({ get __cuda_array_interface__() { return w.__cuda_array_interface__; } });
await stream.synchronizeAsync();`
  );
  await view(ARRAY)
    .locator('.stridelab-preview td, .stridelab-statistics', { hasText: '5' })
    .first()
    .waitFor();
  await view(EXCHANGES).locator('strong', { hasText: '1' }).first().waitFor();
  await until(isDirty);
  await save();
  expect(saved(ARRAY)['text/plain']).toContain('5  5  5');
  expect(saved(ARRAY)['text/html']).toContain('5');
  expect(
    (saved(ARRAY)['application/vnd.stridelab.array+json'] as { preview: { rows: string[][] } }).preview
      .rows[0]
  ).toEqual(['5', '5', '5']);
  expect(picture(EXCHANGES)['total']).toBe(1);
  expect(saved(EXCHANGES)['text/plain']).toMatch(/1 exchange recorded/);
  await until(async () => {
    if (await isDirty()) await save();
    return (
      JSON.stringify(picture(DEVICE)) !== JSON.stringify(before.device) &&
      JSON.stringify(picture(STREAM)) !== JSON.stringify(before.stream) &&
      Number(picture(TRACE)['added']) > 0 &&
      /MiB|KiB/.test(saved(MEMORY)['text/plain'] as string) &&
      /fill/.test(saved(TRACE)['text/plain'] as string)
    );
  });
  expect(lab.complaints).toEqual([]);
}, 120_000);

const widgets = (): Record<string, { model_name: string; state: Record<string, unknown> }> =>
  (file().metadata['widgets'] as Record<string, { state: ReturnType<typeof widgets> }>)[
    'application/vnd.jupyter.widget-state+json'
  ]!.state;

test('controls are saved in their present state, and nothing of an earlier run is left', async () => {
  const { lab } = session;
  await lab.page.locator('.speed .noUi-handle').waitFor();
  await lab.command('notebook:run-cell');
  await lab.run(CONTROLS, (await lab.cell(CONTROLS).locator('.cm-content').innerText()).trim());
  await lab.page.locator('.speed .noUi-handle').focus();
  for (let turn = 0; turn < 3; turn++) await lab.page.keyboard.press('ArrowRight');
  await lab.page.locator('.speed .widget-readout', { hasText: /^3$/ }).waitFor();
  await until(isDirty);
  await save();
  const states = Object.values(widgets());
  expect(states.filter(({ model_name }) => model_name === 'IntSliderModel')).toHaveLength(1);
  expect(states.find(({ model_name }) => model_name === 'IntSliderModel')!.state['value']).toBe(3);
  // The output contains the static form of each picture.
  expect(states.map(({ model_name }) => model_name)).not.toContain('ArrayInspectorModel');
});

test('opened again without its kernel, the notebook shows pictures and controls in their saved state', async () => {
  const { lab } = session;
  await lab.page.evaluate(() =>
    (
      window as unknown as {
        jupyterapp: { shell: { currentWidget: { sessionContext: { shutdown(): Promise<void> } } } };
      }
    ).jupyterapp.shell.currentWidget.sessionContext.shutdown()
  );
  await save();
  expect(
    Object.values(widgets()).find(({ model_name }) => model_name === 'IntSliderModel')!.state['value']
  ).toBe(3);
  await lab.page.reload();
  await lab.page.locator('.speed .widget-readout', { hasText: /^3$/ }).waitFor({ timeout: 60_000 });
  expect(await lab.page.locator('.name input').inputValue()).toBe('Ada');
  await lab.page.locator('.any', { hasText: 'count 40' }).waitFor();
  await view(ARRAY).locator('.stridelab-lifetime', { hasText: 'snapshot' }).waitFor();
  expect(await lab.page.locator('.jp-Notebook').innerText()).not.toMatch(/model not found/);
  expect(lab.complaints).toEqual([]);
}, 120_000);

test('nbconvert finds the states, and shows the table of a picture', async () => {
  const { stdout } = await promisify(execFile)(
    join(root, '.venv', 'bin', 'jupyter'),
    ['nbconvert', '--to', 'html', '--stdout', path],
    { maxBuffer: 1 << 26 }
  );
  expect(stdout).toMatch(/<script type="application\/vnd.jupyter.widget-state\+json">[^<]*IntSliderModel/);
  expect(stdout).toContain('float64 (2, 3) on sim:0');
}, 60_000);
