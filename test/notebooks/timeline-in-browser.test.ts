/** The timeline of a trace in JupyterLab: two streams, a wait, copies; keys, themes, the exported file. */

import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import type { ChromeTrace } from '../../src/trace/chrome.ts';
import { seriousFindings } from './accessibility.ts';
import { LabSession } from './lab-session.ts';

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

let session: LabSession;
let timeline: Locator;

beforeAll(async () => {
  session = await LabSession.start('timeline', [FLOW, 'trace.stop(); trace']);
  timeline = session.lab.page.locator('.stridelab-timeline').first();
  await timeline.waitFor({ timeout: 60_000 });
}, 180_000);
afterAll(() => session?.[Symbol.asyncDispose](), 30_000);

const stage = (): Locator => timeline.locator('.stridelab-trace-stage');
const facts = (): Locator => timeline.locator('.stridelab-trace-facts:visible');
const tab = (name: string): Promise<void> => timeline.getByRole('tab', { name }).click();

test('all that was recorded is here, from the kernel; the static picture tells that it is one', async () => {
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

test('by keys alone: choose, go on, measure, leave', async () => {
  const { keyboard } = session.lab.page;
  await stage().focus();
  await keyboard.press('Enter');
  await facts().first().waitFor();
  // From the labels of the host to the copies of the first stream.
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
  await facts().getByText('Two or more at once').waitFor();
  await session.screenshots(timeline, 'timeline-details');
  await keyboard.press('Escape');
  await keyboard.press('Escape');
  await facts().first().waitFor({ state: 'hidden' });
  await keyboard.press('Tab');
  expect(await stage().evaluate(element => element === document.activeElement)).toBe(false);
}, 60_000);

test('by hand: the wheel zooms under the pointer, a drag moves, a click chooses', async () => {
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
  await facts().getByText('None busy').waitFor();
  await stage().focus();
  await keyboard.press('Escape');
  await keyboard.press('0');
}, 60_000);

test('a picture in both themes, and the list', async () => {
  await session.screenshots(timeline, 'timeline');
  expect(await seriousFindings(timeline)).toEqual([]);
  await tab('List');
  await timeline.getByRole('button', { name: 'copy host to device' }).first().click();
  await facts().getByText('float64 (262144,)').waitFor();
  await session.screenshots(timeline, 'timeline-list');
  expect(await seriousFindings(timeline)).toEqual([]);
  await tab('Timeline');
}, 60_000);

test('the saved file has what Perfetto needs', async () => {
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
