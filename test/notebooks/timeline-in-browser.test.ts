/** The timeline of a trace in JupyterLab: two streams, a wait, copies; keys, themes, the exported file. */

import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import type { ChromeTrace } from '../../src/recording/trace/chrome.ts';
import { seriousFindings } from './accessibility.ts';
import { session, withSession } from './lab-session.ts';

const FLOW = `
import { array, inspect, Stream, trace, zeros } from 'stridelab';
const device = 'sim:0';
const a = new Stream({ device }), b = new Stream({ device });
const values = new Float64Array(2 ** 18);
trace.start();
const x = zeros(2 ** 18, { stream: a }), y = zeros(2 ** 18, { stream: b });
for (let step = 0; step < 6; step++)
  trace.label('step ' + step, () => {
    x.fill(step);
    const z = array(values, { stream: a });
    trace.label('mix', () => {
      y.copyFrom(z);
      y.fill(1);
    });
  });
await y.toTypedArrayAsync();
a.synchronize(), b.synchronize();
inspect(trace);`;

let timeline: Locator;

withSession('timeline', [FLOW, 'trace.stop(); trace']);
beforeAll(async () => {
  timeline = session.lab.page.locator('.stridelab-timeline').first();
  await timeline.waitFor({ timeout: 60_000 });
}, 180_000);

const stage = (): Locator => timeline.locator('.stridelab-trace-stage');
const facts = (): Locator => timeline.locator('.stridelab-trace-facts:visible');
const tab = (name: string): Promise<void> => timeline.getByRole('tab', { name }).click();

test('all records are shown, from the kernel; the static picture is marked as such', async () => {
  await timeline.getByText('recording').first().waitFor();
  expect(await timeline.locator('.stridelab-header').textContent()).toMatch(
    /\d+ records, 3 streams, .*virtual time/
  );
  expect(await timeline.locator('.stridelab-trace-legend button:visible').allTextContents()).toEqual([
    'copy to device 6',
    'copy to host 1',
    'copy on device 6',
    'fill 2',
    'kernel 12',
    'stream waits 6',
    'host waits 2',
    expect.stringMatching(/^memory \d+$/) as unknown,
    'label 12'
  ]);
  const saved = session.lab.page.locator('.stridelab-timeline').nth(1);
  await saved.getByText('snapshot').waitFor({ timeout: 30_000 });
  expect(await session.lab.errorOutputs()).toEqual([]);
}, 60_000);

test('by keyboard alone: select, move on, measure, leave', async () => {
  const { keyboard } = session.lab.page;
  await stage().focus();
  await keyboard.press('Enter');
  await facts().first().waitFor();
  // From the host's labels to the copies of the first stream.
  for (let row = 0; row < 4; row += 1) await keyboard.press('ArrowDown');
  await facts().getByText('stream #1, sim:0').waitFor();
  const first = await facts().first().textContent();
  await keyboard.press('Tab');
  await facts()
    .filter({ hasNotText: first ?? '' })
    .first()
    .waitFor();
  await facts()
    .getByText(/0x[0-9a-f]+, 2 MiB, written/)
    .first()
    .waitFor();
  for (const key of ['+', '+', 'ArrowRight', 'ArrowLeft', '-', 'End', 'Home', '0']) await keyboard.press(key);
  await keyboard.press('m');
  await facts().getByText('Overlap').waitFor();
  await session.screenshots(timeline, 'timeline-details');
  await keyboard.press('Escape');
  await keyboard.press('Escape');
  await facts().first().waitFor({ state: 'hidden' });
  await keyboard.press('Tab');
  expect(await stage().evaluate(element => element === document.activeElement)).toBe(false);
}, 60_000);

test('with the mouse: the wheel zooms at the pointer, a drag moves, a click selects', async () => {
  const { mouse, keyboard } = session.lab.page;
  const box = await stage().boundingBox();
  const [x, y] = [(box?.x ?? 0) + 320, (box?.y ?? 0) + 175];
  await mouse.move(x, y);
  await keyboard.down('Control');
  await mouse.wheel(0, -300);
  await keyboard.up('Control');
  await mouse.down();
  await mouse.move(x + 60, y, { steps: 4 });
  await mouse.up();
  expect(await facts().count()).toBe(0);
  await keyboard.down('Shift');
  await mouse.down();
  await mouse.move(x + 200, y, { steps: 4 });
  await mouse.up();
  await keyboard.up('Shift');
  await facts().getByText('All idle').waitFor();
  await stage().focus();
  await keyboard.press('Escape');
  await keyboard.press('0');
}, 60_000);

test('details of the hovered and of the selected bar are shown next to it; Escape hides them', async () => {
  const { mouse, keyboard } = session.lab.page;
  const tip = timeline.getByRole('tooltip');
  await stage().scrollIntoViewIfNeeded();
  // The first bar of the first stream, located by its position on the screen.
  const box = (await stage().boundingBox())!;
  for (let x = 150; x < box.width - 10 && !(await tip.isVisible()); x += 12)
    for (let y = 60; y < box.height - 4 && !(await tip.isVisible()); y += 9)
      await mouse.move(box.x + x, box.y + y);
  await tip.getByText(/Start .*, duration/).waitFor();
  const within = await tip.evaluate(node => {
    const [own, frame] = [node, node.closest('.stridelab-view')!].map(each => each.getBoundingClientRect());
    return own!.left >= frame!.left && own!.right <= frame!.right;
  });
  expect(within).toBe(true);
  await keyboard.press('Escape');
  await tip.waitFor({ state: 'hidden' });
  await mouse.move(box.x + 4, box.y - 4);
  await stage().focus();
  await keyboard.press('Enter');
  await tip.waitFor();
  const [name, shown] = [await tip.locator('strong').textContent(), await facts().first().textContent()];
  expect(shown).toContain(name);
  for (let row = 0; row < 4; row += 1) await keyboard.press('ArrowDown');
  await tip.getByText(/stream #1, sim:0/).waitFor();
  await session.screenshots(timeline, 'timeline-tooltip');
  await keyboard.press('ArrowLeft');
  await tip.waitFor({ state: 'hidden' });
  await keyboard.press('Escape');
  await keyboard.press('0');
}, 60_000);

test('in the overview the window is dragged, resized and moved with keys', async () => {
  const { mouse, keyboard } = session.lab.page;
  const window = timeline.getByRole('slider', { name: 'Visible part of the record' });
  await window.scrollIntoViewIfNeeded();
  const place = async (): Promise<readonly [number, number]> => {
    const { x, width } = (await window.boundingBox())!;
    return [x, width];
  };
  const middle = async (): Promise<number> => {
    const { y, height } = (await window.boundingBox())!;
    return y + height / 2;
  };
  const [left, all] = await place();
  // Drags its right end to the middle.
  await mouse.move(left + all - 3, await middle());
  await mouse.down();
  await mouse.move(left + all / 2, await middle(), { steps: 3 });
  await mouse.up();
  expect((await place())[1] / all).toBeCloseTo(0.5, 1);
  // Drags the whole range to the right.
  await mouse.move(left + all / 4, await middle());
  await mouse.down();
  await mouse.move(left + all / 2, await middle(), { steps: 3 });
  await mouse.up();
  expect(((await place())[0] - left) / all).toBeCloseTo(0.25, 1);
  await keyboard.press('Home');
  expect((await place())[0] - left).toBeLessThan(2);
  await mouse.click(left + all - 10, await middle());
  expect(((await place())[0] - left) / all).toBeCloseTo(0.5, 1);
  await keyboard.press('0');
  expect((await place())[1]).toBeCloseTo(all, 0);
  expect(await seriousFindings(timeline)).toEqual([]);
}, 60_000);

test('live, the summary by operation agrees with the saved form', async () => {
  await tab('Summary');
  const panel = timeline.getByRole('tabpanel', { name: 'Summary' });
  const row = panel.locator('tbody tr', { hasText: 'copy host to device' }).first();
  await row.waitFor();
  const cells = await row.locator('th, td').allTextContents();
  expect(cells.slice(0, 3)).toEqual(['copy host to device', 'copy to device', '6']);
  expect(await panel.getByRole('rowheader', { name: 'mix' }).count()).toBe(0);
  expect(cells.slice(3).join()).toMatch(/s,.*s,12 MiB,[\d.]+ GB\/s/);
  expect(await seriousFindings(timeline)).toEqual([]);
  await session.screenshots(timeline, 'timeline-summary');
  await tab('Timeline');
}, 60_000);

test('the picture in both themes, and the list, are accessible', async () => {
  await session.screenshots(timeline, 'timeline');
  expect(await seriousFindings(timeline)).toEqual([]);
  await tab('List');
  await timeline.getByRole('button', { name: 'copy host to device' }).first().click();
  await facts().getByText('float64 (262144,)').waitFor();
  await session.screenshots(timeline, 'timeline-list');
  expect(await seriousFindings(timeline)).toEqual([]);
  await tab('Timeline');
}, 60_000);

test('the saved file has everything that Perfetto needs', async () => {
  const download = session.lab.page.waitForEvent('download');
  await timeline.getByRole('button', { name: 'Save Chrome trace' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('trace.json');
  const { traceEvents } = JSON.parse(await readFile(await file.path(), 'utf8')) as ChromeTrace;
  const named = traceEvents.filter(({ name }) => name === 'thread_name').map(({ args }) => args?.['name']);
  expect(named).toEqual(expect.arrayContaining(['stream #1', 'stream #2', 'thread 1']));
  const slices = traceEvents.filter(({ ph }) => ph === 'X');
  expect(slices.length).toBeGreaterThan(30);
  for (const { ts, dur, pid, tid } of slices)
    expect([ts, dur, pid, tid].every(value => Number.isFinite(value))).toBe(true);
  const starts = traceEvents.filter(({ ph }) => ph === 's').map(({ id }) => id);
  expect(
    traceEvents
      .filter(({ ph }) => ph === 'f')
      .map(({ id }) => id)
      .sort()
  ).toEqual(starts.sort());
  expect(session.lab.complaints).toEqual([]);
}, 60_000);
