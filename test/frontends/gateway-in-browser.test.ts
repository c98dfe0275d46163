/** JupyterLab with a kernel at another server: pictures, widgets with binary values in both directions, stop button, restart. */

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator } from 'playwright-core';
import { startGatewayServers, type GatewayServers } from '../notebooks/gateway-servers.ts';
import { LabPage } from '../notebooks/lab-page.ts';
import { launchBrowser } from '../notebooks/launch-browser.ts';
import { writeNotebook } from '../notebooks/notebook-files.ts';
import { root } from '../setup/repository.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const CELLS = [
  `import { arange, inspect } from 'stridelab';
import { anywidget } from 'stridelab/widgets';
inspect(arange(12, { dtype: 'float32' }).reshape(3, 4));`,
  `const bytes = anywidget({
  esm: \`export default {
    render({ model, el }) {
      const button = document.createElement('button');
      button.className = 'bytes';
      const show = () => { button.textContent = String(new Uint8Array(model.get('value').buffer)); };
      button.onclick = () => {
        model.set('value', new DataView(new Uint8Array([128, 1]).buffer));
        model.save_changes();
      };
      model.on('change:value', show);
      show();
      el.append(button);
    }
  };\`,
  state: { value: new Uint8Array([0, 255, 7]) }
});
bytes.observe('value', ({ new: value }) => console.log('heard ' + value.length + ' bytes'));
bytes`,
  ''
];

let servers: GatewayServers;
let browser: Browser;
let lab: LabPage;
beforeAll(async () => {
  const folder = temporaryFolder();
  writeNotebook('gateway', 'gateway.ipynb', CELLS);
  copyFileSync(join(root, 'build', 'gateway', 'gateway.ipynb'), join(folder, 'gateway.ipynb'));
  [servers, browser] = await Promise.all([startGatewayServers(folder), launchBrowser()]);
  lab = await LabPage.open(browser, servers.page, 'gateway.ipynb');
  await lab.hideSidebar();
  await lab.command('notebook:run-all-cells');
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await servers?.stop();
}, 60_000);

const printed = (text: string): Locator =>
  lab.page.locator('.jp-OutputArea-output pre', { hasText: text }).first();

test('a live picture reads values on demand', async () => {
  const inspector = lab.liveInspector().element;
  await inspector.waitFor({ timeout: 60_000 });
  await inspector.getByRole('tab', { name: 'Values' }).click();
  await inspector.getByText('rows 0–2 of 3').waitFor({ timeout: 30_000 });
  expect(await lab.errorOutputs()).toEqual([]);
}, 120_000);

test('binary values go to the page and back', async () => {
  const button = lab.page.locator('button.bytes');
  await button.getByText('0,255,7').waitFor({ timeout: 60_000 });
  await button.click();
  await printed('heard 2 bytes').waitFor({ timeout: 30_000 });
  expect(await lab.run(2, 'String(bytes.value)')).toContain('128,1');
}, 120_000);

test('the stop button interrupts a busy loop, the variables stay, and a restart forgets them', async () => {
  await lab.interruptLoop(2);
  expect(await lab.run(2, 'String(bytes.value)')).toContain('128,1');
  await lab.pressToolbar('notebook:restart-kernel');
  await lab.accept();
  await lab.kernelIs('idle');
  expect(await lab.run(2, 'typeof bytes')).toContain('undefined');
  expect(lab.complaints).toEqual([]);
}, 120_000);
