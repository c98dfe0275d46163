import { DebuggerPanel } from './debugger-panel.ts';
import { lab, withSession } from './lab-session.ts';
import { saveScreenshot } from './screenshot.ts';

const cells = [
  "import { arange } from 'stridelab';\nconst grid = arange(12, { dtype: 'float32', device: 'sim:0' }).reshape(3, 4);",
  'function area(width: number, height: number): number {\n  const result = width * height;\n  return result;\n}\nconst size = area(6, 7);\nsize + grid.shape[0]!'
];

describe("JupyterLab's debugger", () => {
  let panel: DebuggerPanel;

  withSession('debugged', cells, { run: false });
  beforeAll(() => {
    panel = new DebuggerPanel(lab);
  }, 180_000);

  test('a click next to a line stops the cell there, with its stack and its variables', async () => {
    await panel.enable();
    await panel.clickGutter(1, 2);
    // Done when the cells have run, which is after the stop.
    void lab.command('notebook:run-all-cells');
    await panel.stoppedAt(1, 'const result');
    expect(await panel.frames()).toEqual(['area', 'Cell [2]']);
    await panel.variable('width', '6');
    await panel.showScope('Cell');
    await panel.variable('grid', 'NDArray float32 (3, 4) on sim:0');
    await panel.showScope('Local');
    await panel.variable('height', '7');
    await saveScreenshot(lab.page, 'debugger-stopped');
  }, 120_000);

  test('steps and continues to the end; the variables stay in the panel', async () => {
    await lab.command('debugger:next');
    await panel.stoppedAt(1, 'return result');
    await panel.variable('result', '42');
    await lab.command('debugger:continue');
    await lab.page.locator('.jp-OutputArea-executeResult', { hasText: '45' }).waitFor({ timeout: 20_000 });
    await panel.variable('size', '42');
    await panel.variable('grid', 'NDArray float32 (3, 4) on sim:0');
  }, 60_000);

  test('stops repeatedly, also if it continues immediately, without an error on the page', async () => {
    for (let round = 0; round < 6; round += 1) {
      void lab.command('notebook:run-all-cells');
      await panel.stoppedAt(1, 'const result');
      await lab.command('debugger:continue');
      await lab.page.locator('.jp-DebuggerEditor-highlight').waitFor({ state: 'detached', timeout: 20_000 });
    }
    expect(lab.complaints).toEqual([]);
  }, 120_000);

  test('an array of the panel opens as its picture', async () => {
    const row = await panel.variable('grid', 'NDArray');
    await row.hover();
    await row.locator('.jp-DebuggerVariables-renderVariable').click();
    const picture = lab.page.locator(
      '.jp-VariableRendererPanel svg, .jp-VariableRendererPanel .stridelab-array'
    );
    await picture.first().waitFor({ timeout: 20_000 });
    await saveScreenshot(lab.page, 'debugger-array');
    expect(lab.complaints).toEqual([]);
  }, 60_000);
});
