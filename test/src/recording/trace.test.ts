/** Recorded operations, their labels, and their source positions. */

import { setImmediate as turn } from 'node:timers/promises';
import { emptyShared } from '../../../src/sharing/index.ts';
import {
  arange,
  ArgumentError,
  attachNotebookHost,
  DeviceError,
  empty,
  scope,
  Stream,
  trace,
  zeros,
  type TraceEvent
} from '../../../src/index.ts';
import { toDevice } from '../../../src/core/device.ts';
import { contextNumber, contextOf, resetContexts } from '../../../src/core/context.ts';
import { namesOf, ofKind, on, sim, tracesApart } from './trace-support.ts';
import { skipUnderPlugin } from '../managers/skip.ts';

tracesApart();

describe('trace', () => {
  test('is off until it is started, and after its scope', () => {
    using stream = on();
    const fill = (): void => scope(() => void zeros(4, { stream }).fill(1));
    fill();
    expect(trace.enabled).toBe(false);
    expect(trace.read().events).toEqual([]);
    expect(trace.toChrome().traceEvents.filter(({ ph }) => ph !== 'M')).toEqual([]);
    {
      using started = trace.start({ devices: ['sim:0'] });
      expect(started).toBe(trace);
      expect(trace.enabled).toBe(true);
      fill();
    }
    expect(trace.enabled).toBe(false);
    fill();
    expect(ofKind('fill')).toHaveLength(1);
    trace.stop();
    trace.clear();
    expect(trace.read().events).toEqual([]);
  });

  skipUnderPlugin('has operation, stream, array and times', async () => {
    using stream = on();
    trace.start();
    using whole = arange(6, { dtype: 'float32', stream });
    using a = whole.reshape(2, 3);
    a.fill(2);
    using b = a.copy();
    await b.toTypedArrayAsync();
    b.toTypedArray();
    stream.synchronize();
    const found = ofKind('copy-host-to-device', 'fill', 'copy-on-device', 'copy-device-to-host');
    const told = found.map(({ kind, name, stream: where, bytes, array }) => [
      kind,
      name,
      where,
      bytes,
      array?.dtype,
      array?.shape
    ]);
    const own = `stream #${stream.id}`;
    expect(told).toEqual([
      ['copy-host-to-device', 'copy host to device', own, 24, 'float32', [6]],
      ['fill', 'fill', own, 24, 'float32', [2, 3]],
      ['copy-on-device', 'copy on device', own, 24, 'float32', [2, 3]],
      ['copy-device-to-host', 'copy device to host', 'transfer stream', 24, 'float32', [2, 3]],
      ['copy-device-to-host', 'copy device to host', own, 24, 'float32', [2, 3]]
    ]);
    for (const { device, start, end, submitted, hostStart, hostEnd } of found) {
      expect(device).toBe(toDevice('sim:0'));
      expect(end).toBeGreaterThan(start as number);
      expect(start).toBeGreaterThanOrEqual(submitted as number);
      expect(hostEnd).toBeGreaterThanOrEqual(hostStart);
    }
    expect(found[2]?.blocks.map(({ access }) => access)).toEqual(['read', 'write']);
    expect(found[1]?.blocks).toEqual([{ pointer: a.storage.pointer, bytes: 24, access: 'write' }]);
  });

  test('a long range is made by a kernel, a short one copied from the host', () => {
    using stream = on();
    trace.start();
    using long = arange(5000, { dtype: 'float32', stream });
    using short = arange(8, { dtype: 'float32', stream });
    expect(ofKind('kernel', 'copy-host-to-device').map(({ name, bytes }) => [name, bytes])).toEqual([
      ['arange', long.nbytes],
      ['copy host to device', short.nbytes]
    ]);
  });

  test('a copy from page-locked memory is a copy from the host, and one into it a copy to the host', () => {
    using stream = on();
    using host = emptyShared([1 << 20], { dtype: 'uint8', stream });
    using a = empty([1 << 20], { dtype: 'uint8', stream });
    using b = empty([1 << 20], { dtype: 'uint8', stream });
    trace.start();
    a.copyFrom(host);
    b.copyFrom(a);
    host.copyFrom(b);
    stream.synchronize();
    const found = ofKind('copy-host-to-device', 'copy-device-to-host', 'copy-on-device');
    expect(found.map(({ name }) => name)).toEqual([
      'copy host to device',
      'copy on device',
      'copy device to host'
    ]);
    // With the simulated device's durations: 2 us and 25 bytes per nanosecond, or 1000.
    const [there, within, back] = found.map(({ start, end }) => (end as number) - (start as number));
    expect(there).toBeGreaterThan(2 + (1 << 20) / 25_000);
    expect(back).toBeGreaterThan(2 + (1 << 20) / 25_000);
    expect(within).toBeLessThan(10);
  });

  test('a wait for an event completes the work before it, and no other', () => {
    using first = on();
    using second = on();
    using a = empty(4, { stream: first });
    using b = empty(4, { stream: first });
    trace.start();
    a.fill(1, { stream: first });
    using mark = first.record();
    b.fill(2, { stream: first });
    second.wait(mark);
    a.fill(3, { stream: second });
    expect(ofKind('stream-wait')).toHaveLength(1);
    b.fill(4, { stream: second });
    expect(ofKind('stream-wait')).toHaveLength(2);
    a.fill(5, { stream: first });
    first.wait(second);
    b.fill(6, { stream: first });
    expect(ofKind('stream-wait')).toHaveLength(4);
    first.synchronize();
    expect([a.item(0), b.item(0)]).toEqual([5, 6]);
  });

  test('names the default streams, and the streams that a stream waits for', () => {
    using stream = on();
    trace.start({ devices: [toDevice('sim:0')] });
    using a = zeros(4, sim);
    using b = empty(4, { stream });
    b.copyFrom(a);
    stream.synchronize();
    const legacy = Stream.legacyDefault('sim:0');
    expect(ofKind('fill')[0]?.stream).toBe('legacy default stream');
    expect(ofKind('stream-wait')).toMatchObject([{ streamId: stream.id, waitsFor: legacy.id }]);
    expect(ofKind('host-wait')).toMatchObject([{ stream: `stream #${stream.id}`, start: null }]);
  });

  test('an array is given only for operations on its own block', () => {
    using stream = on();
    trace.start();
    using a = zeros(4, { dtype: 'uint8', stream });
    using b = zeros(8, { dtype: 'uint8', stream });
    a.storage.fill(0, 1, 1, 4, stream);
    stream.synchronize();
    expect(ofKind('fill').map(({ array }) => array?.shape)).toEqual([[4], [8], undefined]);
    expect(b.size).toBe(8);
  });

  test('the ring keeps the latest and counts the rest; a new start is empty', () => {
    using stream = on();
    using a = zeros(64, { dtype: 'uint8', stream });
    trace.start({ capacity: 3 });
    for (let i = 1; i <= 10; i++) {
      using view = a.slice(`:${i}`);
      view.fill(i);
    }
    stream.synchronize();
    const { events, dropped } = trace.read();
    expect(dropped).toBe(8);
    expect(events.map(({ kind, bytes, number }) => [kind, bytes, number])).toEqual([
      ['fill', 9, 8],
      ['fill', 10, 9],
      ['host-wait', 0, 10]
    ]);
    expect(events[0]?.array?.shape).toEqual([9]);
    expect(trace.toChrome().otherData['records dropped']).toBe(8);
    trace.start();
    expect(trace.read()).toEqual({ events: [], dropped: 0 });
  });

  test('captured work is one span where its graph is launched', () => {
    using stream = on();
    using a = zeros(4, { stream });
    stream.synchronize();
    trace.start();
    using graph = stream.capture(() => a.fill(1).fill(2));
    expect(ofKind('fill', 'graph')).toEqual([]);
    graph.launch(stream);
    stream.synchronize();
    expect(ofKind('fill', 'graph', 'copy-host-to-device')).toMatchObject([{ kind: 'graph', array: null }]);
  });

  test('refuses invalid options', () => {
    for (const capacity of [0, -1, 0.5, Infinity])
      expect(() => trace.start({ capacity })).toThrow(ArgumentError);
    expect(() => trace.start({ devices: ['sim:7'] })).toThrow(DeviceError);
    expect(() => trace.start({ devices: [] })).toThrow(ArgumentError);
    expect(() => trace.label(1 as unknown as string, () => 1)).toThrow(ArgumentError);
    expect(() => trace.label('x', 1 as unknown as () => number)).toThrow(ArgumentError);
    expect(trace.enabled).toBe(false);
  });
});

describe('labels', () => {
  test('nest, return the results of their functions, and are separate ranges', () => {
    using stream = on();
    using a = zeros(4, { dtype: 'uint8', stream });
    trace.start();
    const result = trace.label('outer', () => {
      a.fill(1);
      return trace.label('inner', () => a.fill(2).size);
    });
    a.fill(3);
    expect(result).toBe(4);
    expect(ofKind('fill').map(namesOf)).toEqual([['outer'], ['outer', 'inner'], []]);
    const [inner, outer] = ofKind('label') as [TraceEvent, TraceEvent];
    expect([inner.name, outer.name]).toEqual(['inner', 'outer']);
    expect(outer.hostStart).toBeLessThanOrEqual(inner.hostStart);
    expect(outer.hostEnd).toBeGreaterThanOrEqual(inner.hostEnd);
    expect(inner.device).toBeNull();
  });

  test('two calls with one text are two ranges; a function that throws ends its range', () => {
    trace.start();
    for (let i = 0; i < 2; i++) trace.label('same', () => i);
    expect(() =>
      trace.label('bad', () => {
        throw new RangeError('inside');
      })
    ).toThrow(RangeError);
    const found = ofKind('label');
    expect(found.map(({ name }) => name)).toEqual(['same', 'same', 'bad']);
    expect(new Set(found.map(({ labels }) => labels[0]?.id)).size).toBe(3);
  });

  test('follow asynchronous code, also where two run at once and one fails', async () => {
    using stream = on();
    using a = zeros(4, { dtype: 'uint8', stream });
    trace.start();
    const step = async (text: string, fail: boolean): Promise<void> => {
      a.fill(1);
      await turn();
      a.fill(2);
      if (fail) throw new RangeError(text);
    };
    const one = trace.label('one', () => step('one', false));
    const two = trace.label('two', () => step('two', true));
    a.fill(3);
    await one;
    await expect(two).rejects.toThrow(RangeError);
    expect(ofKind('fill').map(namesOf)).toEqual([['one'], ['two'], [], ['one'], ['two']]);
    expect(ofKind('label').map(({ name, labels }) => [name, labels[0]?.asynchronous])).toEqual([
      ['one', true],
      ['two', true]
    ]);
  });

  test('one that outlives its trace does not appear in the next', async () => {
    trace.start();
    const waiting = trace.label('old', () => turn());
    trace.start();
    await waiting;
    // Earlier objects may be collected in between.
    expect(trace.read().events.filter(({ kind }) => kind !== 'free')).toEqual([]);
  });

  test('run their function and nothing else while the trace is off', () => {
    expect(trace.label('off', () => 5)).toBe(5);
    expect(trace.read().events).toEqual([]);
  });
});

describe('places in the program', () => {
  test('a record names the notebook cell that submitted it', () => {
    using stream = on();
    using a = zeros(4, { dtype: 'uint8', stream });
    let cell: string | undefined = 'In [3]';
    attachNotebookHost({ display: () => undefined, inspect: () => undefined, cell: () => cell });
    trace.start();
    a.fill(1);
    cell = 'In [4]';
    a.fill(2);
    cell = undefined;
    a.fill(3);
    attachNotebookHost({ display: () => undefined, inspect: () => undefined });
    a.fill(4);
    expect(ofKind('fill').map(event => event.cell)).toEqual(['In [3]', 'In [4]', null, null]);
  });

  test('are stored by number until the ring has no record of them', () => {
    resetContexts(1);
    let cell = 'In [0]';
    attachNotebookHost({ display: () => undefined, inspect: () => undefined, cell: () => cell });
    const first = contextNumber();
    expect(contextNumber()).toBe(first);
    expect(contextOf(first)?.cell).toBe('In [0]');
    for (let i = 1; i < 3000; i++) {
      cell = `In [${i}]`;
      contextNumber();
    }
    expect(contextOf(first)).toBeUndefined();
    expect(contextOf(contextNumber())?.cell).toBe('In [2999]');
    expect(contextOf(0)).toBeUndefined();
  });
});
