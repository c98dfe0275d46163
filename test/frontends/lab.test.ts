/** The oldest JupyterLab that works and the next one, each with the kernel registered in its own environment, and Notebook 7. */

import { DebuggerPanel } from '../notebooks/debugger-panel.ts';
import { LabSession } from '../notebooks/lab-session.ts';
import { describeFrontend } from './environment.ts';

const CELLS = [
  'import { arange, inspect } from "stridelab";\nconst weights = arange(12, { dtype: "float32" }).reshape(3, 4);\nweights',
  'inspect(weights);',
  ''
];

let session: LabSession;
let lab: LabSession['lab'];

/** The tests that hold in each of them. */
function works(name: string, options: Parameters<typeof LabSession.start>[2]): void {
  beforeAll(async () => {
    session = await LabSession.start(`frontend-${name}`, CELLS, options);
    ({ lab } = session);
  }, 180_000);
  afterAll(() => session?.[Symbol.asyncDispose](), 30_000);

  test('draws saved and live pictures, and a change reaches the live one', async () => {
    await lab.pictures().first().waitFor({ timeout: 60_000 });
    const inspector = lab.liveInspector();
    await inspector.element.waitFor({ timeout: 60_000 });
    expect(await inspector.descriptorValue('shape')).toContain('(3, 4)');
    await inspector.showTab('Values');
    await lab.run(2, 'weights.fill(7.5); 0');
    await inspector.element.locator('td', { hasText: '7.5' }).first().waitFor({ timeout: 30_000 });
  }, 180_000);

  test('the sidebar lists the array', async () => {
    await lab.command('stridelab:show-arrays');
    await lab.page
      .locator('#stridelab-arrays .stridelab-array-name', { hasText: /^weights$/ })
      .waitFor({ timeout: 30_000 });
  }, 60_000);

  test('controls send their values to the kernel', async () => {
    await lab.run(
      2,
      [
        'import { IntSlider } from "stridelab/widgets";',
        'const slider = new IntSlider({ value: 3 });',
        'slider.observe("value", ({ new: value }) => console.log(`moved to ${value}`));',
        'slider'
      ].join('\n')
    );
    const handle = lab.outputs(2).getByRole('slider');
    await handle.waitFor({ timeout: 30_000 });
    await handle.focus();
    // In command mode notebooks handle the arrow keys themselves.
    await lab.page.keyboard.press('End');
    await lab.outputs(2).getByText('moved to 100').waitFor({ timeout: 30_000 });
  }, 60_000);

  test('the stop button stops a busy cell, and the variables stay', async () => {
    await lab.interruptLoop(2);
    expect(await lab.run(2, 'weights.size')).toContain('12');
  }, 60_000);

  test('the debugger stops at a breakpoint and shows the array', async () => {
    const panel = new DebuggerPanel(lab);
    await lab.write(2, 'const half = weights.slice(":1");\nhalf.size');
    await panel.enable();
    await panel.clickGutter(2, 2);
    // Done when the cell has run, which is after the stop.
    void lab.command('notebook:run-cell');
    await panel.stoppedAt(2, 'half.size');
    await panel.variable('half', 'NDArray float32 (1, 4) on sim:0');
    await lab.command('debugger:continue');
    await lab.outputs(2).getByText('4').waitFor({ timeout: 30_000 });
  }, 120_000);
}

const hadNoErrors = (): void => expect(lab.complaints).toEqual([]);

for (const [name, version] of [
  ['lab-oldest', '4.0'],
  ['lab-next', '4.7']
] as const)
  await describeFrontend(name, `JupyterLab ${version}`, environment => {
    works(name, { environment });

    test('is this version', async () => {
      const { url, token } = session.server;
      const page = await (await fetch(`${url}/lab?token=${token}`)).text();
      expect(/"appVersion": "(\d+\.\d+)/.exec(page)?.[1]).toBe(version);
    });

    test('the launcher has a card of the kernel', async () => {
      await lab.command('launcher:create');
      await lab.page
        .locator('.jp-LauncherCard[data-category="Notebook"]', { hasText: 'TypeScript (Stridelab)' })
        .waitFor({ timeout: 30_000 });
    }, 60_000);

    test('the page had no errors', hadNoErrors);
  });

describe('Notebook 7', () => {
  works('notebook', { application: 'notebooks' });

  test('the page had no errors', hadNoErrors);
});
