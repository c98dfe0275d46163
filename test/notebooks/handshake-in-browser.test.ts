/** The handshake diagram in JupyterLab: recorded exchanges, lessons, the keyboard, and a run without synchronization. */

import type { Locator } from 'playwright-core';
import { seriousFindings } from './accessibility.ts';
import { session, withSession } from './lab-session.ts';

const CELLS = [
  `import { asCudaArray, exchanges, fromDlpack, inspect, Stream, zeros } from 'stridelab';
import { HandshakeDiagram } from 'stridelab/widgets';
const producer = new Stream(), consumer = new Stream();
exchanges.start();
const weights = zeros([64, 64], { dtype: 'float32', stream: producer });
const library = { get __cuda_array_interface__() { return weights.__cuda_array_interface__; } };
const view = asCudaArray(library, { stream: consumer });
view.fill(1);
const tensor = fromDlpack(weights, { stream: consumer });
tensor.fill(2);
const unordered = asCudaArray(library, { stream: consumer, sync: false });
inspect(exchanges);`,
  `new HandshakeDiagram()`,
  `new HandshakeDiagram({ protocol: 'dlpack', consumerStream: 'per-thread' })`,
  `new HandshakeDiagram({ sync: false })`
];

describe('the handshake diagram in JupyterLab', () => {
  let diagrams: Locator;

  withSession('handshake', CELLS);
  beforeAll(async () => {
    diagrams = session.lab.page.locator('.stridelab-handshake');
    await diagrams.nth(3).waitFor({ timeout: 60_000 });
  }, 180_000);

  const sentence = (diagram: Locator): Promise<string | null> =>
    diagram.locator('.stridelab-sentence').textContent();
  const tab = (diagram: Locator, name: string): Promise<void> => diagram.getByRole('tab', { name }).click();

  test('every cell ran, without errors on the page', async () => {
    expect(await session.lab.errorOutputs()).toEqual([]);
    expect(session.lab.complaints).toEqual([]);
  });

  test('shows the recorded exchanges, with the names of the variables', async () => {
    const recorded = diagrams.first();
    const exchange = recorded.getByLabel(/^Exchange/);
    const titles = await exchange.locator('option').allTextContents();
    expect(titles[0]).toMatch(/^#3 CAI: library → unordered, In \[1\]$/);
    expect(titles[1]).toMatch(/^#2 DLPack: weights → tensor/);
    expect(titles[2]).toMatch(/^#1 CAI: library → view/);
    expect(await recorded.locator('.stridelab-header').textContent()).toContain('recording');
    await exchange.selectOption('1');
    await tab(recorded, 'Steps');
    await recorded.locator('[role=tabpanel]:not([hidden]) tbody tr').first().waitFor();
    const rows = await recorded.locator('[role=tabpanel]:not([hidden]) tbody tr').allTextContents();
    expect(rows.join('\n')).toMatch(/__cuda_array_interface__[^]*waits for the event[^]*submits a write/);
    await tab(recorded, 'Chart');
    await session.screenshots(recorded, 'handshake-recorded');
  }, 60_000);

  test('can be stepped through with the keyboard alone', async () => {
    const lesson = diagrams.nth(1);
    const { keyboard } = session.lab.page;
    await lesson.getByRole('slider').focus();
    await keyboard.press('Home');
    expect(await sentence(lesson)).toContain('1 of 11');
    await keyboard.press('ArrowRight');
    await keyboard.press('ArrowDown');
    expect(await sentence(lesson)).toContain('3 of 11');
    expect(await lesson.getByRole('slider').evaluate(slider => slider === document.activeElement)).toBe(true);
    await keyboard.press('End');
    expect(await sentence(lesson)).toContain('11 of 11');
    await keyboard.press('Escape');
    expect(await sentence(lesson)).toContain('11 steps');
    await keyboard.press('Tab');
    expect(await session.lab.page.evaluate(() => document.activeElement?.textContent)).toBe('Next ▶');
    await keyboard.press('Enter');
    expect(await sentence(lesson)).toContain('1 of 11');
    await keyboard.press('Escape');
  }, 60_000);

  test('screenshots of both protocols are saved', async () => {
    const lesson = diagrams.nth(1);
    await session.screenshots(lesson, 'handshake-cai');
    const dlpack = diagrams.nth(2);
    const next = dlpack.getByRole('button', { name: 'Next' });
    for (let step = 0; step < 6; step++) await next.click();
    await session.screenshots(dlpack, 'handshake-dlpack');
    await tab(dlpack, 'Stream argument');
    await dlpack.locator('[role=tabpanel]:not([hidden]) tbody tr').first().waitFor();
    await session.screenshots(dlpack, 'handshake-streams');
    const here = dlpack.locator('[role=tabpanel]:not([hidden]) [aria-current]');
    expect(await here.textContent()).toContain('2 ← here');
    await tab(dlpack, 'Chart');
  }, 60_000);

  test('a skipped wait marks the hazard, and really gives wrong data', async () => {
    const hazard = diagrams.nth(3);
    expect(await hazard.locator('.stridelab-chart .hazard').count()).toBe(1);
    await session.screenshots(hazard, 'handshake-hazard');
    await tab(hazard, 'Run without synchronization');
    await hazard.getByRole('button', { name: 'Run', exact: true }).click();
    const verdict = hazard.locator('.stridelab-result strong');
    await verdict.waitFor({ timeout: 30_000 });
    expect(await verdict.textContent()).toContain('4096 of 4096 elements are wrong');
    expect(await hazard.locator('.stridelab-result pre').textContent()).toContain(
      'read after write, not ordered'
    );
    await session.screenshots(hazard, 'handshake-run');
    // These two are always ordered, and so is the result.
    await hazard.getByLabel(/^Producer stream/).selectOption('legacy');
    await hazard.getByLabel(/^Consumer stream/).selectOption('per-thread');
    await hazard.getByRole('button', { name: 'Run', exact: true }).click();
    await verdict.waitFor({ timeout: 30_000 });
    expect(await verdict.textContent()).toContain('All elements are right');
  }, 90_000);

  test('has no serious finding of axe-core in any tab', async () => {
    for (const name of ['Chart', 'Steps', 'Stream argument', 'Run without synchronization']) {
      await tab(diagrams.first(), name);
      await tab(diagrams.nth(3), name);
      expect(await seriousFindings(diagrams.first())).toEqual([]);
      expect(await seriousFindings(diagrams.nth(3))).toEqual([]);
    }
  }, 60_000);
});
