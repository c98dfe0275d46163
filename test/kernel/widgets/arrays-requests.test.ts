/** Requests of the sidebar to the kernel: freeing, inspecting and waiting. */

import { jest } from '@jest/globals';
import { PICTURE_MIME_TYPE } from '../../../src/pictures/kit/live-messages.ts';
import { Stream, zeros } from '../../../src/index.ts';
import { inPanel, page, panel } from './arrays-panel.ts';

inPanel();

test('frees arrays, and names the views that keep the memory alive', async () => {
  const x = zeros([256]);
  const view = x.slice('::2');
  page.variables = { x, view };
  await panel.watch();
  expect(await panel.request('free', { ids: [panel.named('x').id] })).toEqual({
    freed: 1,
    bytes: 0,
    remaining: ['view']
  });
  expect([x.freed, view.freed]).toEqual([true, false]);
  expect(await panel.request('free', { ids: [panel.named('view').id] })).toEqual({
    freed: 1,
    bytes: 2048,
    remaining: []
  });
  await panel.until(() => panel.named('view').state === 'freed');
});

test('frees all arrays of a notebook', async () => {
  const x = zeros([256]);
  page.variables = { x, list: [x.slice('1:')] };
  expect(await panel.request('free')).toEqual({ freed: 2, bytes: 2048, remaining: [] });
  expect(x.freed).toBe(true);
});

test('inspects: the bundle names a widget that closes with its last view', async () => {
  using x = zeros([4]);
  page.variables = { x };
  await panel.watch();
  const { bundle } = await panel.request('inspect', { id: panel.named('x').id });
  const view = (bundle as Record<string, unknown>)['application/vnd.jupyter.widget-view+json'];
  const { model_id: id } = view as { model_id: string };
  expect(page.sent.some(sent => sent.type === 'comm_open' && sent.id === id)).toBe(true);
  const count = (views: number): void =>
    page.deliver('comm_msg', {
      comm_id: id,
      data: { method: 'update', state: { _view_count: views }, buffer_paths: [] }
    });
  const isClosed = (): boolean => page.sent.some(sent => sent.type === 'comm_close' && sent.id === id);
  jest.useFakeTimers();
  try {
    count(1);
    // A reloaded page has no view; another page that has one reports it.
    count(0);
    jest.advanceTimersByTime(500);
    count(1);
    jest.advanceTimersByTime(2000);
    expect(isClosed()).toBe(false);
    count(0);
    jest.advanceTimersByTime(2000);
    expect(isClosed()).toBe(true);
  } finally {
    jest.useRealTimers();
  }
});

test('inspects devices and streams, and waits for them', async () => {
  using stream = new Stream();
  using x = zeros([4], { stream });
  page.variables = { x };
  await panel.watch();
  for (const [place, view] of [
    [{ device: x.device.label }, 'DeviceCard'],
    [{ stream: stream.id }, 'StreamPill']
  ] as const) {
    const { bundle } = await panel.request('inspect', place);
    const { [PICTURE_MIME_TYPE]: picture } = bundle as Record<string, { readonly view: string }>;
    expect(picture?.view).toBe(view);
    x.fill(1);
    const { microseconds } = await panel.request('synchronize', place);
    expect(microseconds).toBeGreaterThanOrEqual(0);
    expect(stream.native.completed).toBe(stream.native.sequence);
  }
});

test('reports why a device or a stream cannot be shown or waited for now', async () => {
  const stream = new Stream();
  using x = zeros([4], { stream });
  x.synchronize();
  page.variables = { x };
  await panel.watch();
  await expect(panel.request('inspect', { stream: 4711 })).rejects.toThrow('No array uses this stream');
  await expect(panel.request('synchronize', { device: 'cuda:99' })).rejects.toThrow("no device 'cuda:99'");
  stream.native.beginCapture();
  await expect(panel.request('synchronize', { stream: stream.id })).rejects.toThrow('captured into a graph');
  stream.native.endCapture();
  stream.dispose();
  await expect(panel.request('synchronize', { stream: stream.id })).rejects.toThrow('was destroyed');
  expect(await panel.request('synchronize', { device: x.device.label })).toHaveProperty('microseconds');
});

test('refuses invalid requests with a sentence', async () => {
  await panel.watch();
  await expect(panel.request('inspect', { id: 77 })).rejects.toThrow('No variable holds this array');
  await expect(panel.request('free', { ids: ['x'] })).rejects.toThrow('No variable holds this array');
  await expect(panel.request('bogus')).rejects.toThrow('no request named bogus');
  page.deliver('comm_msg', { comm_id: panel.id, data: { kind: 'request', id: 'x' } });
  page.deliver('comm_msg', { comm_id: panel.id, data: {} });
  expect(await panel.request('summary')).toEqual({ arrays: 0, bytes: 0 });
});
