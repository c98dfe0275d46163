/** The kernel half of the timeline, without a page: its messages, their times and their rate. */

import { gunzipSync } from 'node:zlib';
import { UPDATE_PERIOD_MS } from '../../../kernel/widgets/pictures/kit/live-widget.ts';
import { StreamTimeline } from '../../../kernel/widgets/pictures/timeline/stream-timeline.ts';
import type { JsonObject } from '../../../kernel/protocol/messages.ts';
import { traceColumns, type TraceBatch } from '../../../src/pictures/timeline/schema.ts';
import { Stream, trace, zeros, type ChromeTrace, type NDArray } from '../../../src/index.ts';
import { pass, until } from '../../setup/until.ts';
import { Page, type Sent } from './page.ts';

const page = new Page();
const stream = new Stream({ device: 'sim:0' });
let widget: StreamTimeline;

beforeEach(() => {
  page.sent.length = 0;
  trace.start();
});
afterEach(() => {
  widget.close();
  trace.stop();
  trace.clear();
});

const contentOf = ({ data }: Sent): JsonObject => (data['content'] ?? {}) as JsonObject;
const custom = (kind: string): Sent[] =>
  page.sent.filter(sent => sent.id === widget.model_id && contentOf(sent)['kind'] === kind);
const pushes = (): Sent[] => custom('push');
const watch = (count: number): void => page.change(widget, { _view_count: count });

function numbersOf(content: JsonObject, buffers: readonly Uint8Array[]): number[] {
  const { count } = content['batch'] as TraceBatch;
  return [...traceColumns(Uint8Array.from(buffers[0] as Uint8Array).buffer, count).number];
}
const pushed = (): number[] =>
  pushes().flatMap(sent => numbersOf(contentOf(sent)['content'] as JsonObject, sent.buffers));

/** Kept until the end, because collecting an array adds a record. */
const kept: NDArray[] = [];
function made(): NDArray {
  const array = zeros(4, { stream });
  kept.push(array);
  return array;
}

let requests = 0;
async function ask(
  method: string,
  parameters: JsonObject = {}
): Promise<{ response: JsonObject; buffers: readonly Uint8Array[] }> {
  const id = ++requests;
  page.custom(widget, { kind: 'request', id, method, parameters });
  const isAnswer = (sent: Sent): boolean => contentOf(sent)['id'] === id;
  await until(() => custom('response').some(isAnswer));
  const sent = custom('response').find(isAnswer) as Sent;
  return { response: contentOf(sent), buffers: sent.buffers };
}

test('nothing is sampled without a view; then each record is sent once, in columns', async () => {
  const a = made();
  widget = new StreamTimeline(trace);
  expect(widget.picture).toMatchObject({ version: 1, recording: true, added: 2 });
  a.fill(1);
  await pass(4 * UPDATE_PERIOD_MS, 'nothing must be sent meanwhile');
  expect(pushes()).toEqual([]);
  watch(1);
  stream.synchronize();
  await until(() => pushed().includes(3));
  const fill = pushed().filter(number => number === 2);
  expect(fill.length).toBeLessThanOrEqual(2);
  watch(0);
  const before = pushes().length;
  a.fill(2);
  await pass(4 * UPDATE_PERIOD_MS, 'nothing must be sent meanwhile');
  expect(pushes()).toHaveLength(before);
});

test('a page can read again what it dropped: from a number on, as many as it has room for', async () => {
  const a = made();
  for (let value = 0; value < 20; value++) a.fill(value);
  widget = new StreamTimeline(trace);
  const { response, buffers } = await ask('records', { from: 3, most: 5 });
  expect(numbersOf(response['content'] as JsonObject, buffers)).toEqual([3, 4, 5, 6, 7]);
  const { response: refused } = await ask('records', { from: 3, most: -1 });
  expect(String(refused['error'])).toContain('most must be a whole number');
});

test('at most twenty messages a second are sent, however much is recorded', async () => {
  widget = new StreamTimeline(trace);
  const a = made();
  watch(1);
  const start = performance.now();
  while (performance.now() - start < 1000) {
    for (let i = 0; i < 50; i++) a.fill(i);
    await pass(2, 'records are faster than pushes may be');
  }
  const seconds = (performance.now() - start) / 1000;
  expect(pushes().length).toBeGreaterThan(2);
  expect(pushes().length).toBeLessThanOrEqual(20 * seconds + 1);
  const states = page.sent.filter(({ data }) => data['method'] === 'update');
  expect(states.length).toBeLessThanOrEqual(3 + seconds);
});

test('a page gets all records on request, in parts', async () => {
  const a = made();
  for (let i = 0; i < 9000; i++) a.fill(i);
  stream.synchronize();
  trace.stop();
  widget = new StreamTimeline(trace);
  const numbers: number[] = [];
  let [from, more] = [0, true];
  let parts = 0;
  while (more) {
    const { response, buffers } = await ask('records', { from });
    const content = response['content'] as JsonObject;
    numbers.push(...numbersOf(content, buffers));
    [from, more] = [content['next'] as number, content['more'] as boolean];
    parts += 1;
  }
  expect(parts).toBe(2);
  expect(numbers).toEqual([...trace.read().events.keys()]);
});

test('start, stop and clear are sent while a view is open, and a page can start and stop', async () => {
  widget = new StreamTimeline(trace);
  watch(1);
  const latest = (): JsonObject => (contentOf(pushes().at(-1) as Sent)['content'] ?? {}) as JsonObject;
  made();
  await until(() => pushed().includes(1));
  trace.stop();
  await until(() => latest()['recording'] === false);
  const { epoch } = latest();
  trace.clear();
  await until(() => latest()['epoch'] !== epoch);
  expect(latest()).toMatchObject({ added: 0, dropped: 0 });
  trace.start();
  made();
  await until(() => latest()['added'] === 2);
  for (const [method, recording] of [
    ['stop', false],
    ['start', true]
  ] as const) {
    await ask(method);
    expect(trace.enabled).toBe(recording);
    await until(() => latest()['recording'] === recording);
  }
});

test('details of a record, and the trace for Perfetto, are sent on request', async () => {
  const a = made();
  stream.synchronize();
  trace.stop();
  widget = new StreamTimeline(trace);
  const { response } = await ask('details', { number: 1 });
  expect(response['content']).toMatchObject({
    allocatedBytes: null,
    blocks: [{ pointer: `0x${a.storage.pointer.toString(16)}`, bytes: 32, access: 'write' }]
  });
  const { buffers } = await ask('chrome');
  const told = JSON.parse(gunzipSync(buffers[0] as Uint8Array).toString()) as ChromeTrace;
  expect(told).toEqual(trace.toChrome());
});

test('errors are sentences', async () => {
  widget = new StreamTimeline(trace);
  expect((await ask('details', { number: 99 })).response['error']).toMatch(/no longer has this record/);
  expect((await ask('records', { from: -1 })).response['error']).toMatch(
    /from must be a whole number, not -1/
  );
  expect((await ask('bogus')).response['error']).toMatch(/bogus/);
});

test('the saved state includes what was recorded without a view, once one opens', async () => {
  widget = new StreamTimeline(trace);
  made();
  expect(widget.picture.added).toBe(0);
  watch(1);
  await until(() => widget.picture.added === 2);
  expect(widget.picture.batch.count).toBe(2);
});
