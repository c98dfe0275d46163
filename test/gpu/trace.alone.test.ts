/** Traces on a real GPU: device times that agree with events, overlapping streams, nothing recorded in captures. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { empty, Event, Stream, trace, zeros, type TraceEvent } from 'stridelab';

import { emptyShared } from 'stridelab/sharing';

import { device, LARGE, on } from './device.ts';

const ofKind = (...kinds: string[]): TraceEvent[] =>
  trace.read().events.filter(event => kinds.includes(event.kind));

function took({ start, end }: TraceEvent): number {
  assert.ok(start !== null && end !== null, 'the work is done and timed');
  return end - start;
}

/** Microseconds by which the two clocks may differ, even on a busy machine. */
const CLOCK_ERROR = 200;

/** Bytes whose copy on a GPU takes longer than the call that submits it. */
const SLOW = device.simulated ? LARGE : 2 ** 30;

test('times of copies agree with events recorded around them', () => {
  using stream = new Stream(on);
  using source = zeros(SLOW, { dtype: 'uint8', stream });
  using target = empty(SLOW, { dtype: 'uint8', stream });
  target.copyFrom(source);
  stream.synchronize();
  using _on = trace.start({ devices: [device] });
  const before = stream.record(new Event({ device, timing: true }));
  for (let i = 0; i < 10; i++) target.copyFrom(source);
  const after = stream.record(new Event({ device, timing: true }));
  stream.synchronize();
  const whole = after.elapsedSince(before) * 1000;
  const copies = ofKind('copy-on-device');
  assert.equal(copies.length, 10);
  const sum = copies.reduce((total, copy) => total + took(copy), 0);
  assert.ok(
    sum <= whole + 1 && sum > whole * (device.simulated ? 0.3 : 0.5),
    `${sum} us in copies of ${whole} us`
  );
  for (const [index, copy] of copies.entries()) {
    assert.equal(copy.bytes, SLOW);
    assert.deepEqual(copy.array, { dtype: 'uint8', shape: [SLOW] });
    const previous = copies[index - 1];
    if (previous !== undefined) assert.ok((copy.start ?? 0) >= (previous.end ?? Infinity) - 0.01);
  }
});

test('host and device clocks agree: work starts after its submission and ends before the host has waited for it', () => {
  using stream = new Stream(on);
  using array = empty(LARGE, { dtype: 'uint8', stream });
  using _on = trace.start({ devices: [device] });
  for (let i = 0; i < 20; i++) {
    array.fill(i);
    stream.synchronize();
  }
  const fills = ofKind('fill');
  const waits = ofKind('host-wait');
  assert.equal(fills.length, 20);
  assert.equal(waits.length, 20);
  for (const [index, fill] of fills.entries()) {
    assert.ok((fill.start ?? 0) >= (fill.submitted ?? Infinity) - CLOCK_ERROR, 'starts after its submission');
    const seen = waits[index]?.hostEnd ?? 0;
    if (!device.simulated)
      assert.ok((fill.end ?? Infinity) <= seen + CLOCK_ERROR, 'ends before the host knows');
  }
});

test('copies from the host on one stream overlap fills on another; the wait between them is visible', async () => {
  using first = new Stream(on);
  using second = new Stream(on);
  // Page-locked memory: a copy engine reads it, beside the kernels that fill.
  using host = emptyShared([SLOW >> 2], { ...on, dtype: 'uint8' });
  using a = zeros(SLOW >> 2, { dtype: 'uint8', stream: first });
  using b = zeros(SLOW >> 2, { dtype: 'uint8', stream: second });
  using c = zeros(SLOW, { dtype: 'uint8', stream: second });
  first.synchronize();
  second.synchronize();
  using _on = trace.start({ devices: [device] });
  trace.label('both', () => {
    for (let i = 0; i < 8; i++) a.copyFrom(host);
    for (let i = 0; i < 8; i++) c.fill(3);
    b.copyFrom(a);
  });
  await Promise.all([first.synchronizeAsync(), second.synchronizeAsync()]);
  const copies = ofKind('copy-host-to-device');
  assert.equal(copies.length, 8);
  const ends = copies.map(({ end }) => end ?? Infinity);
  const wait = ofKind('stream-wait').find(
    ({ streamId, waitsFor }) => streamId === second.id && waitsFor === first.id
  );
  assert.ok(wait !== undefined, 'the second stream waits for the first');
  assert.ok((wait.end ?? 0) >= Math.max(...ends) - 1, 'the wait lasts until the copies are done');
  const [last] = ofKind('copy-on-device');
  assert.equal(last?.streamId, second.id);
  assert.ok((last.start ?? 0) >= (wait.end ?? Infinity) - 0.01);
  assert.deepEqual(
    last.labels.map(({ text }) => text),
    ['both']
  );
  const starts = ofKind('fill').map(({ start }) => start ?? Infinity);
  // In virtual time such copies take less time than the calls that submit them.
  if (!device.simulated) assert.ok(Math.min(...starts) < Math.max(...ends), 'the streams work at one time');
});

test('captured work runs but is not recorded; each launch is one span', () => {
  using stream = new Stream(on);
  using side = new Stream(on);
  using a = zeros(LARGE, { dtype: 'uint8', stream });
  using b = zeros(LARGE, { dtype: 'uint8', stream: side });
  stream.synchronize();
  side.synchronize();
  using _on = trace.start();
  using graph = stream.capture(() => {
    side.wait(stream);
    a.fill(1);
    b.fill(2, { stream: side });
    stream.wait(side);
  });
  assert.equal(ofKind('fill', 'stream-wait').length, 0);
  for (let i = 0; i < 3; i++) graph.launch(stream);
  stream.synchronize();
  const launches = ofKind('graph');
  assert.equal(launches.length, 3);
  for (const launch of launches) assert.ok(took(launch) > 0);
  assert.equal(b.item(LARGE - 1), 2);
});

test('asynchronous copies to the host are on the transfer stream, and destroyed streams keep their times', async () => {
  const stream = new Stream(on);
  const array = zeros(LARGE, { dtype: 'uint8', stream });
  using _on = trace.start({ devices: [device] });
  array.fill(5);
  const bytes = await array.toTypedArrayAsync();
  assert.equal(bytes[LARGE - 1], 5);
  array.fill(6);
  stream.dispose();
  array.dispose();
  device.synchronize();
  const [copy] = ofKind('copy-device-to-host');
  assert.equal(copy?.stream, 'transfer stream');
  assert.ok(took(copy) > 0);
  for (const fill of ofKind('fill')) assert.ok(took(fill) > 0);
});

test('a small ring with much pending work drops the oldest records and keeps the order', () => {
  using stream = new Stream(on);
  using array = empty(LARGE, { dtype: 'uint8', stream });
  using _on = trace.start({ capacity: 100, devices: [device] });
  for (let i = 0; i < 2000; i++) array.slice(`:${i + 1}`).fill(1);
  stream.synchronize();
  const { events, dropped } = trace.read();
  assert.equal(dropped, 2001 - 100);
  const fills = events.filter(({ kind }) => kind === 'fill');
  assert.equal(fills.length, 99);
  assert.deepEqual(
    fills.map(({ bytes }) => bytes),
    Array.from({ length: 99 }, (_, index) => 1902 + index)
  );
  for (const [index, fill] of fills.entries())
    if (index > 0) assert.ok((fill.start ?? 0) >= (fills[index - 1]?.end ?? Infinity) - 0.01);
});

test('the export has arrows forward in time from each submission, and rows for the streams', () => {
  using stream = new Stream(on);
  using array = empty(LARGE, { dtype: 'uint8', stream });
  using _on = trace.start({ devices: [device] });
  for (let i = 0; i < 50; i++) array.fill(i);
  stream.synchronize();
  const { traceEvents } = trace.toChrome();
  const ends = (ph: string): Map<number | undefined, number> =>
    new Map(traceEvents.filter(event => event.ph === ph).map(({ id, ts }) => [id, ts ?? NaN]));
  const [from, to] = [ends('s'), ends('f')];
  assert.equal(from.size, 50);
  assert.equal(to.size, 50);
  for (const [id, ts] of from) assert.ok((to.get(id) ?? -1) >= ts);
  assert.ok(
    traceEvents.some(({ name, args }) => name === 'thread_name' && args?.['name'] === `stream #${stream.id}`)
  );
});
