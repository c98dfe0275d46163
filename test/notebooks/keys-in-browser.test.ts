/** Keys in a picture: it handles those that it uses, and JupyterLab receives all others. */

import type { ElementHandle, Locator } from 'playwright-core';
import { session, withSession } from './lab-session.ts';

const CELLS = [
  `import { asCudaArray, devices, exchanges, inspect, memoryLog, Stream, trace, zeros } from 'stridelab';
import { HandshakeDiagram } from 'stridelab/widgets';
const device = devices().find(({ simulated }) => simulated)!;
const stream = new Stream({ device });
trace.start(), memoryLog.start(), exchanges.start();
const w = zeros([4, 5], { device, stream });
w.fill(2);
asCudaArray({ get __cuda_array_interface__() { return w.__cuda_array_interface__; } });
inspect(w)`,
  'inspect(stream)',
  'inspect(device)',
  'inspect(trace)',
  'inspect(memoryLog)',
  'inspect(exchanges)',
  'new HandshakeDiagram()'
];
const PICTURES = ['array', 'stream', 'device', 'trace', 'memory', 'exchanges', 'lesson'];
const SHORTCUTS = [
  ['Control+S', 'docmanager:save'],
  ['Control+Shift+C', 'apputils:activate-command-palette'],
  ['Alt+Shift+A', 'stridelab:show-arrays']
] as const;
const FOCUSABLE = 'button, input, select, summary, a[href], [tabindex]:not([tabindex="-1"])';

interface Recorded {
  readonly jupyterapp: {
    readonly commands: {
      readonly commandExecuted: { connect(slot: (from: unknown, ran: { id: string }) => void): void };
    };
  };
  ran: string[];
}

const view = (cell: number): Locator => session.lab.cell(cell).locator('.stridelab-view');

withSession('keys', CELLS);
beforeAll(async () => {
  await session.lab.page.evaluate(() => {
    const page = window as unknown as Recorded;
    page.ran = [];
    page.jupyterapp.commands.commandExecuted.connect((_commands, { id }) => void page.ran.push(id));
  });
  for (const cell of CELLS.keys()) await view(cell).waitFor({ timeout: 30_000 });
}, 180_000);

/** The JupyterLab commands that a key press on the focused element ran. */
async function ranBy(key: string): Promise<string[]> {
  const { page } = session.lab;
  await page.evaluate(() => void ((window as unknown as Recorded).ran = []));
  await page.keyboard.press(key);
  return page.evaluate(() => (window as unknown as Recorded).ran);
}

/** Waits until a key press runs a command, which may take a moment. */
async function leadsTo(key: string, command: string): Promise<void> {
  const focused = await session.lab.page.evaluate(() => document.activeElement!.outerHTML.slice(0, 200));
  const ran = await ranBy(key);
  if (ran.includes(command)) return;
  await session.lab.page
    .waitForFunction(id => (window as unknown as Recorded).ran.includes(id), command, { timeout: 5_000 })
    .catch(() => {
      throw new Error(`${key} does not lead to ${command} from ${focused}`);
    });
}

/** Visible focusable elements, one of each kind. */
async function stops(picture: Locator): Promise<ElementHandle<HTMLElement>[]> {
  const chosen = await picture.evaluateHandle((root, focusable) => {
    const kinds = new Map<string, HTMLElement>();
    for (const stop of root.querySelectorAll<HTMLElement>(focusable)) {
      const kind = `${stop.tagName} ${stop.getAttribute('role')} ${stop.className} ${stop.getAttribute('type')}`;
      const { width, height } = stop.getBoundingClientRect();
      const isVisible = stop.checkVisibility({ visibilityProperty: true }) && width > 0 && height > 0;
      if (isVisible && !kinds.has(kind)) kinds.set(kind, stop);
    }
    return [...kinds.values()];
  }, FOCUSABLE);
  return [...(await chosen.getProperties()).values()] as ElementHandle<HTMLElement>[];
}

describe.each(PICTURES.map((name, cell) => [name, cell] as const))('%s', (_name, cell) => {
  test('after a click, and from each kind of control, JupyterLab has its shortcuts', async () => {
    await view(cell).click({ position: { x: 4, y: 4 } });
    await leadsTo('Control+S', 'docmanager:save');
    for (const control of await stops(view(cell)))
      for (const [key, command] of SHORTCUTS) {
        await control.focus();
        await leadsTo(key, command);
        // Closes whatever the command opened.
        if (command.startsWith('apputils')) await session.lab.page.keyboard.press('Escape');
        if (command.startsWith('stridelab')) await session.lab.hideSidebar();
      }
  }, 120_000);

  test('keys that it uses have no other effect: on cells, editors or by deletion', async () => {
    for (const control of await stops(view(cell))) {
      const kind = await control.evaluate(node =>
        node.matches('input:not([type=checkbox], [type=range], [type=radio])') ? 'text' : node.tagName
      );
      const keys =
        kind === 'text'
          ? ['d', 'd', 'ArrowDown', 'Enter', 'Backspace', 'Control+A', 'Home']
          : kind === 'SELECT'
            ? ['ArrowDown', 'ArrowUp', 'Home']
            : kind === 'INPUT' || kind === 'SUMMARY'
              ? [' ', ' ']
              : [];
      for (const key of keys) {
        await control.focus();
        expect([kind, key, (await ranBy(key)).filter(id => id.startsWith('notebook:'))]).toEqual([
          kind,
          key,
          []
        ]);
      }
    }
    expect(await session.lab.page.locator('.jp-CodeCell').count()).toBe(CELLS.length);
  }, 120_000);
});

test('arrows switch tabs, Enter and space press a button, and other keys reach JupyterLab', async () => {
  const tabs = view(0).getByRole('tab');
  await tabs.first().focus();
  for (const key of ['ArrowRight', 'ArrowLeft', 'End', 'Home']) expect(await ranBy(key)).toEqual([]);
  expect(await tabs.first().getAttribute('aria-selected')).toBe('true');
  await leadsTo('k', 'notebook:move-cursor-up');
  const refresh = view(0).getByRole('button', { name: 'Refresh' });
  await refresh.focus();
  for (const key of ['Enter', ' ']) expect(await ranBy(key)).toEqual([]);
  await leadsTo('ArrowDown', 'notebook:move-cursor-down');
  // In the grid of values, arrow keys move the cursor, and Ctrl and Shift combinations apply to the cell.
  await view(0).getByRole('tab', { name: 'Values' }).click();
  const element = view(0).locator('[role=tabpanel]:visible table [tabindex="0"]').first();
  await element.waitFor();
  await element.focus();
  for (const key of ['ArrowDown', 'ArrowRight', 'Control+End']) expect(await ranBy(key)).toEqual([]);
  expect(session.lab.complaints).toEqual([]);
}, 60_000);
