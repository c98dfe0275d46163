import { runInThisContext } from 'node:vm';
import { jest } from '@jest/globals';
import { ArrayInspector } from '../../../kernel/widgets/pictures/array/array-inspector.ts';
import { ArrayStatistics } from '../../../kernel/widgets/pictures/array/array-statistics.ts';
import type { JsonObject } from '../../../kernel/protocol/messages.ts';
import { codeOf } from '../../../labextension/src/views/array/panel/array-code.ts';
import { arange, array, asCudaArray, NDArray, Stream, zeros } from '../../../src/index.ts';
import { collectGarbage } from '../../../src/native/load.ts';
import { native } from '../../../src/native/load.ts';
import { pass, until } from '../../setup/until.ts';
import { Page, type Sent } from './page.ts';

const sim = { device: 'sim:0' } as const;
let page: Page;
let inspector: ArrayInspector;
let lastId = 0;

async function look(at: NDArray): Promise<void> {
  await at.synchronizeAsync();
  inspector = new ArrayInspector(at);
  page.change(inspector, { _view_count: 1 });
  page.take(inspector);
}

async function request(method: string, parameters: JsonObject = {}): Promise<JsonObject> {
  const id = ++lastId;
  page.custom(inspector, { kind: 'request', id, method, parameters });
  const isAnswer = ({ data }: Sent): boolean => (data['content'] as JsonObject | undefined)?.['id'] === id;
  for (;;) {
    const found = page.sent.find(isAnswer);
    if (found !== undefined) return found.data['content'] as JsonObject;
    await pass(1, 'the answer comes in a later turn');
  }
}

async function content(method: string, parameters: JsonObject = {}): Promise<JsonObject> {
  const { content: told, error } = await request(method, parameters);
  if (error !== undefined) throw new Error(error as string);
  return told as JsonObject;
}

/** Waits until a picture that satisfies the condition was sent. */
const pictureSent = (is: (picture: ArrayInspector['picture']) => boolean): Promise<void> =>
  until(() =>
    page.sent.some(({ data }) => {
      const state = data['state'] as { picture?: ArrayInspector['picture'] } | undefined;
      return state?.picture !== undefined && is(state.picture);
    })
  );

/** The first picture that satisfies the condition. */
async function pictureWhere(
  is: (picture: ArrayInspector['picture']) => boolean
): Promise<ArrayInspector['picture']> {
  await until(() => is(inspector.picture));
  return inspector.picture;
}

beforeEach(() => (page = new Page()));
afterEach(() => {
  inspector.close();
  expect(page.errors).toEqual([]);
});

test('the first picture has the statistics of an idle array, in less than 64 KiB', async () => {
  using a = arange(5000, { ...sim, dtype: 'float32' }).reshape(50, 100);
  await look(a);
  expect(inspector.picture.statistics).toMatchObject({ state: 'measured', minimum: '0', maximum: '4999' });
  expect(JSON.stringify(inspector.picture).length).toBeLessThan(65_536);
});

test('pages of values and bytes, and a histogram, are sent on request', async () => {
  using a = arange(600, { ...sim, dtype: 'int32' }).reshape(2, 30, 10);
  await look(a);
  expect(await content('values', { leading: [1], row: 20, column: 0, rows: 16, columns: 4 })).toMatchObject({
    ...{ leading: [1], row: 16, column: 0, height: 30, width: 10, stream: 'legacy default stream' },
    // The bytes between the rows are included.
    copiedBytes: (13 * 10 + 4) * 4
  });
  expect(await content('bytes', { index: [0, 0, 3], rows: 1, columns: 16 })).toMatchObject({
    cells: [['00', '00', '00', '00', '01', '00', '00', '00', '02', '00', '00', '00', '03', '00', '00', '00']],
    cursor: [0, 12]
  });
  expect(await content('histogram', { low: 100, high: 163 })).toMatchObject({
    below: 100,
    above: 436,
    width: 1
  });
});

test.each([
  ['values', { index: [9, 9], rows: 1, columns: 1 }, 'There is no element [9, 9]'],
  ['values', { index: 'all', rows: 'x' }, undefined],
  ['bytes', { index: [0.5, 0] }, 'There is no element'],
  ['histogram', { low: 2, high: 1 }, 'the lower one first'],
  ['histogram', { low: 'a' }, 'the lower one first'],
  // A page's conversion of text that is not a number.
  ['histogram', { low: null, high: 3 }, 'the lower one first'],
  ['values', { index: [null, null], rows: 1, columns: 1 }, 'There is no element'],
  ['toString', {}, 'has no request named toString']
])('%s with %j is answered with a sentence', async (method, parameters, sentence) => {
  using a = zeros([3, 3], sim);
  await look(a);
  const { error } = await request(method, parameters);
  if (sentence === undefined) expect(error).toBeUndefined();
  else expect(error).toContain(sentence);
});

test('pending work is reported, and waited for on request', async () => {
  using stream = new Stream(sim);
  using a = zeros(8, { stream });
  await look(a);
  // Held until a host waits for it.
  native().simulated.setSchedule('hazard');
  try {
    a.fill(60);
    expect(await content('values', { rows: 1, columns: 8 })).toEqual({ waits: [stream.toString()] });
    const { cells } = await content('values', { rows: 1, columns: 8, wait: true });
    expect(cells).toEqual([Array.from({ length: 8 }, () => '60')]);
  } finally {
    native().simulated.setSchedule('eager');
  }
});

test('a write makes statistics stale, then new ones are measured automatically and cause no further ones', async () => {
  using a = zeros(100, sim);
  await look(a);
  let uses = 0;
  a.onUse(() => uses++);
  a.fill(3);
  await pictureSent(
    ({ statistics }) => statistics.state === 'measured' && statistics.stale && statistics.maximum === '0'
  );
  await pictureWhere(({ statistics }) => statistics.state === 'measured' && !statistics.stale);
  expect(inspector.picture.statistics).toMatchObject({ maximum: '3', stale: false });
  page.take(inspector);
  await pass(700, 'nothing must be sent meanwhile');
  expect(page.take(inspector).filter(({ data }) => data['method'] === 'update')).toEqual([]);
  expect(uses).toBe(1);
});

test('statistics that cannot be measured are tried once for each use, not repeatedly', async () => {
  using a = zeros(100, sim);
  await look(a);
  let refused = 0;
  const { allocate } = NDArray;
  const spy = jest.spyOn(NDArray, 'allocate').mockImplementation((...parameters) => {
    if (refused < 0) return allocate.apply(NDArray, parameters);
    refused++;
    throw new Error('no room');
  });
  try {
    a.fill(3);
    await pictureWhere(({ statistics }) => statistics.state === 'missing');
    expect(inspector.picture.statistics).toMatchObject({ reason: 'Not measured: no room', measurable: true });
    await pass(1200, 'it must not be measured again meanwhile');
    expect(refused).toBe(1);
    refused = -1;
    a.fill(4);
    await pictureWhere(({ statistics }) => statistics.state === 'measured' && statistics.maximum === '4');
  } finally {
    spy.mockRestore();
  }
});

test('a large array is measured after a click', async () => {
  using a = zeros(2 ** 18 + 8, { ...sim, dtype: 'uint8' });
  await look(a);
  expect(inspector.picture.statistics).toMatchObject({ state: 'missing', measurable: true });
  expect(await request('measure')).not.toHaveProperty('error');
  expect(inspector.picture.statistics).toMatchObject({ state: 'measured', maximum: '0' });
});

test('nothing is measured while no view is open', async () => {
  using a = zeros(10, sim);
  await look(a);
  page.change(inspector, { _view_count: 0 });
  a.fill(2);
  await pass(100, 'nothing must be sent meanwhile');
  expect(inspector.picture.statistics).toMatchObject({ maximum: '0' });
  page.change(inspector, { _view_count: 1 });
  await pictureWhere(({ statistics }) => statistics.state === 'measured' && statistics.maximum === '2');
});

test('without a view it processes one more use, not all, and shows the latest to the next view', async () => {
  const a = zeros(10, sim);
  await look(a);
  page.change(inspector, { _view_count: 0 });
  const listening = jest.spyOn(a.storage, 'onUse');
  const noted = jest.spyOn(ArrayStatistics.prototype, 'noteUse');
  for (let turn = 0; turn < 5; turn++) a.fill(turn);
  expect([noted.mock.calls.length, listening.mock.calls.length]).toEqual([1, 0]);
  const { streams } = inspector.picture;
  page.change(inspector, { _view_count: 1 });
  expect(inspector.picture.streams).not.toEqual(streams);
  expect(listening).toHaveBeenCalledTimes(1);
  a.fill(7);
  expect(noted).toHaveBeenCalledTimes(2);
  // Requests in between do not hide that uses were missed.
  page.change(inspector, { _view_count: 0 });
  a.fill(8);
  await request('refresh');
  a.dispose();
  page.change(inspector, { _view_count: 1 });
  expect(inspector.picture.lifetime).toBe('freed');
  jest.restoreAllMocks();
});

test('freed memory is reported by the picture and by every answer', async () => {
  const a = array([1, 2], sim);
  await look(a);
  a.dispose();
  for (const method of ['values', 'bytes', 'histogram'])
    expect((await request(method)).error).toContain('The memory was freed');
  expect(inspector.picture.lifetime).toBe('freed');
  expect(await request('measure')).not.toHaveProperty('error');
});

test('a view without other references is shown while its memory is alive', async () => {
  using base = arange(10, sim);
  let lost: WeakRef<NDArray> | undefined;
  await (async () => {
    const view = base.slice('::2');
    lost = new WeakRef(view);
    await look(view);
  })();
  // Weak references are cleared between turns.
  while (lost?.deref() !== undefined) {
    await pass(1, 'weak references are cleared between turns');
    collectGarbage();
  }
  expect(await content('values', { rows: 1, columns: 8 })).toMatchObject({
    cells: [['0', '2', '4', '6', '8']]
  });
  base.fill(7);
  await base.synchronizeAsync();
  expect(await content('values', { rows: 1, columns: 8 })).toMatchObject({
    cells: [['7', '7', '7', '7', '7']]
  });
  expect(inspector.picture.lifetime).toBe('live');
});

describe('names', () => {
  test('an inspector shows the expression that reaches its array, and updates it when a cell changes it', async () => {
    using w = zeros([2, 3], sim);
    page.variables = { other: 1, w, alias: w };
    await look(w);
    expect(inspector.picture.names).toEqual(['w', 'alias']);
    page.variables = { layers: [{ weight: w }] };
    for (const listener of page.cellEnd) listener();
    await pictureSent(({ names }) => names?.[0] === 'layers[0].weight');
    page.variables = {};
    for (const listener of page.cellEnd) listener();
    await pictureSent(({ names }) => names?.length === 0);
    inspector.close();
    expect(page.cellEnd.size).toBe(0);
  });

  test('no getter of the notebook runs for it', async () => {
    using w = zeros([2, 3], sim);
    const trap = {
      get array(): never {
        throw new Error('looked at');
      }
    };
    page.variables = { trap, proxy: new Proxy({}, { get: () => trap.array }) };
    await look(w);
    expect(inspector.picture.names).toEqual([]);
  });

  test('the code for an unnamed array creates one over the same memory', async () => {
    using w = arange(12, { ...sim, dtype: 'float32' }).reshape(3, 4);
    using view = w.slice(null, '::-2');
    await look(view);
    const code = codeOf(inspector.picture)!;
    const body = code.setup.slice(code.setup.indexOf('const'));
    const make = runInThisContext(`asCudaArray => { ${body} return ${code.expression}; }`) as (
      from: typeof asCudaArray
    ) => NDArray;
    using again = make(asCudaArray);
    expect(again.toNested()).toEqual(view.toNested());
    expect(again.strides).toEqual(view.strides);
    again.fill(7);
    expect(w.item(0, 1)).toBe(7);
  });
});
