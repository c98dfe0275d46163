/** The sidebar's kernel half, with arrays of the simulated device and a page that only stores messages. */

import { runInNewContext } from 'node:vm';
import { jest } from '@jest/globals';
import { registerArraysTarget } from '../../../kernel/widgets/pictures/arrays/target.ts';
import { walkArrays } from '../../../kernel/widgets/pictures/kit/walk.ts';
import { comms } from '../../../kernel/widgets/model/comm-manager.ts';
import {
  ARRAYS_TARGET,
  type ArrayEntry,
  type ArraysChange,
  type StreamEntry
} from '../../../src/pictures/arrays/schema.ts';
import { PICTURE_MIME_TYPE } from '../../../src/pictures/kit/live-messages.ts';
import { emptyShared } from '../../../src/sharing/index.ts';
import { fromCudaArrayInterface, fromDlpack, Stream, zeros, type NDArray } from '../../../src/index.ts';
import { native } from '../../../src/native/load.ts';
import { collectGarbage } from '../../../src/native/load.ts';
import { pass, until } from '../../setup/until.ts';
import { Page } from './page.ts';

const page = new Page();
registerArraysTarget(comms());

/** The panel of one page: the entries that it would list. */
class Panel {
  readonly id: string;
  readonly changes: ArraysChange[] = [];
  readonly entries = new Map<number, ArrayEntry>();
  streams: readonly StreamEntry[] = [];
  #read = 0;
  #lastRequest = 0;

  constructor(id: string) {
    this.id = id;
    page.deliver('comm_open', { comm_id: id, target_name: ARRAYS_TARGET, data: {} });
  }

  async request(method: string, parameters: object = {}): Promise<Record<string, unknown>> {
    this.#lastRequest += 1;
    const id = this.#lastRequest;
    page.deliver('comm_msg', { comm_id: this.id, data: { kind: 'request', id, method, parameters } });
    const isAnswer = ({ data }: { data: Record<string, unknown> }): boolean =>
      data['kind'] === 'response' && data['id'] === id;
    await until(() => page.sent.some(sent => sent.id === this.id && isAnswer(sent)));
    const { content, error } = page.sent.find(sent => sent.id === this.id && isAnswer(sent))!.data;
    if (error !== undefined) throw new Error(error as string);
    return content as Record<string, unknown>;
  }

  async watch(visible = true): Promise<void> {
    await this.request('watch', { visible });
    if (visible) await this.until(() => this.changes.some(({ complete }) => complete));
  }

  /** Applies the changes sent since the last call. */
  read(): void {
    const told = page.sent.filter(({ id, data }) => id === this.id && data['kind'] === 'push');
    for (const { data } of told.slice(this.#read)) {
      const change = data['content'] as ArraysChange;
      this.changes.push(change);
      if (change.first) this.entries.clear();
      for (const entry of change.set) this.entries.set(entry.id, entry);
      for (const id of change.gone) this.entries.delete(id);
      this.streams = change.streams ?? this.streams;
    }
    this.#read = told.length;
  }

  until(test: () => boolean): Promise<void> {
    return until(() => {
      this.read();
      return test();
    });
  }

  named(name: string): ArrayEntry {
    const found = [...this.entries.values()].find(({ names }) => names.includes(name));
    if (found === undefined) throw new Error(`no array named ${name}`);
    return found;
  }

  close(): void {
    page.deliver('comm_close', { comm_id: this.id, data: {} });
  }
}

let panel: Panel;
let panels = 0;

function endCell(): void {
  for (const listener of page.cellEnd) listener();
}

beforeEach(() => {
  panels += 1;
  panel = new Panel(`panel-${panels}`);
});
afterEach(() => {
  panel.close();
  page.variables = {};
  page.sent.length = 0;
});

describe('what is found', () => {
  function names(variables: Record<string, unknown>): string[] {
    const report = { truncated: false };
    return [...walkArrays(Object.entries(variables), report)].flatMap(found =>
      found === null ? [] : [found.name]
    );
  }

  test('variables, and arrays inside arrays, objects, instances, maps and sets, each by the code that leads to it', () => {
    using x = zeros([2]);
    class Model {
      readonly w = x;
    }
    const variables = {
      x,
      xs: [1, x],
      model: { w: x, 'a b': x },
      made: new Model(),
      cache: new Map<unknown, unknown>([
        ['k', x],
        [3, x],
        [{}, x]
      ]),
      set: new Set([x]),
      deep: { list: [{ y: x }] }
    };
    expect(names(variables)).toEqual([
      'x',
      'xs[1]',
      'model.w',
      'model["a b"]',
      'made.w',
      'cache.get("k")',
      'cache.get(3)',
      'cache.values().toArray()[2]',
      'set.values().toArray()[0]',
      'deep.list[0].y'
    ]);
    for (const name of names(variables)) expect(runInNewContext(name, variables)).toBe(x);
  });

  test('nothing of the notebook runs: getters, proxies, iterators, prototypes that are proxies', () => {
    using x = zeros([2]);
    const fail = (): never => {
      throw new Error('ran');
    };
    const traps = new Proxy({}, new Proxy({}, { get: fail }));
    const list: unknown[] = [x];
    Object.defineProperty(list, 1, { get: fail, enumerable: true });
    list[Symbol.iterator] = fail;
    const map = new Map([['k', x]]);
    map.entries = map[Symbol.iterator] = fail;
    const variables = {
      lazy: Object.defineProperty({ y: x }, 'z', { get: fail, enumerable: true }),
      traps,
      nested: { traps },
      list,
      map,
      odd: Object.create(traps) as unknown,
      asked: { [Symbol.toPrimitive]: fail, toJSON: fail, then: 1 }
    };
    expect(names(variables)).toEqual(['lazy.y', 'list[0]', 'map.get("k")']);
  });

  test('circles end, and so does depth', () => {
    using x = zeros([1]);
    const circle: Record<string, unknown> = { x };
    circle['self'] = circle;
    let deep: unknown = x;
    for (let i = 0; i < 10; i += 1) deep = { deep };
    expect(names({ circle, deep })).toEqual(['circle.x']);
  });

  test('a list that is too long is looked at in part, and that is said', () => {
    const report = { truncated: false };
    using last = zeros([1]);
    const long: unknown[] = new Array(30_000).fill(0);
    long.push(last);
    expect([...walkArrays([['long', long]], report)].filter(found => found !== null)).toEqual([]);
    expect(report.truncated).toBe(true);
  });
});

describe('what is told', () => {
  test('each array once, with its names, its block and where it lies', async () => {
    using x = zeros([4, 4]);
    x.synchronize();
    using part = x.slice('1:3');
    using other = zeros([8], { dtype: 'int16' });
    page.variables = { x, again: x, part, model: { other } };
    await panel.watch();
    expect(panel.entries.size).toBe(3);
    expect(panel.named('x')).toMatchObject({
      names: ['x', 'again'],
      dtype: 'float64',
      shape: [4, 4],
      device: x.device.label,
      bytes: 128,
      state: 'idle',
      readOnly: false,
      origin: null,
      memory: 'device'
    });
    expect(panel.named('part').block).toBe(panel.named('x').block);
    expect(panel.named('part').blockBytes).toBe(128);
    expect(panel.named('model.other').block).not.toBe(panel.named('x').block);
    expect(panel.changes[0]).toMatchObject({ first: true, version: 1, truncated: false });
    const device = panel.changes[0]?.devices?.[0];
    expect(device?.label).toBe(x.device.label);
    expect(device?.total).toBeGreaterThanOrEqual(device?.free ?? NaN);
  });

  test('an array that came back over the interface is one block with the one it shows (rule 91)', async () => {
    using x = zeros([16]);
    using back = fromCudaArrayInterface({ ...x.slice('4:8').__cuda_array_interface__ }, { owner: x });
    page.variables = { x, back };
    await panel.watch();
    expect(panel.named('back').block).toBe(panel.named('x').block);
    expect(panel.named('back').origin).toBe('NDArray');
  });

  test('whose memory it is: by the class of its owner, whose own code is left alone', async () => {
    const fail = (): never => {
      throw new Error('ran');
    };
    class Frame {}
    const sealing = Object.create(null, { constructor: { get: fail } }) as object;
    using x = zeros([16]);
    const over = (owner: object): NDArray =>
      fromCudaArrayInterface({ ...x.__cuda_array_interface__ }, { owner });
    using unnamed = fromCudaArrayInterface({ ...x.__cuda_array_interface__ });
    using trapped = over(new Proxy(x, { get: fail, getPrototypeOf: fail, getOwnPropertyDescriptor: fail }));
    using sealed = over(Object.create(sealing) as object);
    using framed = over(new Frame());
    using shareable = emptyShared([4]);
    using lent = fromDlpack(x.__dlpack__());
    page.variables = { unnamed, trapped, sealed, framed, shareable, lent };
    await panel.watch();
    const origins = Object.keys(page.variables).map(name => panel.named(name).origin);
    expect(origins).toEqual(['elsewhere', 'elsewhere', 'elsewhere', 'Frame', null, null]);
  });

  test('0-d, empty, reversed, read-only and freed arrays', async () => {
    using scalar = zeros([]);
    using empty = zeros([0, 3]);
    using reversed = zeros([3]).slice('::-1');
    using locked = zeros([3]).asReadOnly();
    const freed = zeros([3]);
    freed.dispose();
    page.variables = { scalar, empty, reversed, locked, freed };
    await panel.watch();
    expect(panel.named('scalar')).toMatchObject({ shape: [], bytes: 8 });
    expect(panel.named('empty')).toMatchObject({ shape: [0, 3], bytes: 0 });
    expect(panel.named('reversed')).toMatchObject({ shape: [3] });
    expect(panel.named('locked').readOnly).toBe(true);
    expect(panel.named('freed')).toMatchObject({ state: 'freed', block: 0 });
  });

  test('changes only, after a cell: what is new, renamed or gone', async () => {
    using a = zeros([1]);
    using b = zeros([2]);
    using c = zeros([3]);
    for (const array of [a, b, c]) array.synchronize();
    page.variables = { a, b };
    await panel.watch();
    const before = panel.changes.length;
    const [idOfA, idOfB] = [panel.named('a').id, panel.named('b').id];
    page.variables = { b, alias: b, c };
    endCell();
    await panel.until(() => panel.changes.length > before);
    const change = panel.changes[before]!;
    expect(change.gone).toEqual([idOfA]);
    expect(change.set.map(({ names }) => names)).toEqual([['b', 'alias'], ['c']]);
    expect(change.set[0]?.id).toBe(idOfB);
    expect(change.first).toBe(false);
    endCell();
    await pass(150, 'nothing must be told meanwhile');
    panel.read();
    expect(panel.changes.slice(before + 1)).toEqual([]);
  });

  test('that work is pending on a stream, that it is done, and that the array is freed, without a cell', async () => {
    const stream = new Stream({ device: 'sim:0' });
    const x = zeros([4], { stream });
    stream.synchronize();
    page.variables = { x };
    await panel.watch();
    expect(panel.named('x').state).toBe('idle');
    const { id } = stream;
    expect(panel.streams).toContainEqual({ id, label: `stream #${id}`, device: 'sim:0', state: 'idle' });
    // Held until a host waits for it.
    native().simulated.setSchedule('hazard');
    try {
      x.fill(1);
      await panel.until(() => panel.named('x').state === 'busy');
      expect(panel.streams).toContainEqual(expect.objectContaining({ id, state: 'busy' }));
      stream.synchronize();
    } finally {
      native().simulated.setSchedule('eager');
    }
    await panel.until(() => panel.named('x').state === 'idle');
    expect(panel.streams).toContainEqual(expect.objectContaining({ id, state: 'idle' }));
    x.dispose();
    await panel.until(() => panel.named('x').state === 'freed');
    stream.dispose();
  });

  test('at most twenty times a second, however often an array is used', async () => {
    using x = zeros([4]);
    page.variables = { x };
    await panel.watch();
    const before = panel.changes.length;
    const began = performance.now();
    for (let i = 0; i < 200; i += 1) {
      x.fill(i % 2);
      page.variables = { x, [`y${i}`]: x };
      endCell();
      await pass(2, 'cells end faster than looks may follow');
    }
    panel.read();
    const seconds = (performance.now() - began) / 1000;
    expect(panel.changes.length - before).toBeLessThanOrEqual(seconds * 20 + 1);
    expect(panel.changes.length - before).toBeGreaterThan(1);
  });

  test('10,000 arrays come in parts, the last of which says so', async () => {
    const base = zeros([10_000]);
    // Its end would be a change too.
    base.synchronize();
    const xs = Array.from({ length: 10_000 }, (_, i) => base.slice(`${i}:${i + 1}`));
    page.variables = { xs };
    await panel.watch();
    expect(panel.entries.size).toBe(10_000);
    expect(panel.changes.length).toBe(10);
    expect(panel.changes.map(({ complete }) => complete)).toEqual([
      ...new Array<boolean>(9).fill(false),
      true
    ]);
    expect(new Set([...panel.entries.values()].map(({ block }) => block)).size).toBe(1);
    for (const x of xs) x.dispose();
    base.dispose();
  });
});

describe('a panel that is not seen', () => {
  test('is told nothing, and arrays are not listened to', async () => {
    using x = zeros([4]);
    page.variables = { x };
    await panel.watch();
    expect(page.cellEnd.size).toBe(1);
    await panel.watch(false);
    panel.read();
    const before = panel.changes.length;
    expect(page.cellEnd.size).toBe(0);
    x.fill(1);
    page.variables = {};
    await pass(150, 'nothing must be told meanwhile');
    panel.read();
    expect(panel.changes.length).toBe(before);
  });

  test('is told everything anew when it is seen again', async () => {
    using x = zeros([4]);
    page.variables = { x };
    await panel.watch();
    await panel.watch(false);
    panel.changes.length = 0;
    await panel.watch();
    expect(panel.changes[0]?.first).toBe(true);
    expect(panel.named('x').shape).toEqual([4]);
  });

  test('ends with its comm', async () => {
    await panel.watch();
    panel.close();
    expect(page.cellEnd.size).toBe(0);
  });

  test('may still ask what the arrays hold, memory that several see counted once', async () => {
    using x = zeros([256]);
    using view = x.slice('::2');
    page.variables = { x, view, list: [x] };
    expect(await panel.request('summary')).toEqual({ arrays: 2, bytes: 2048 });
  });
});

describe('what it does', () => {
  test('frees arrays, and names the views that keep the memory', async () => {
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

  test('frees everything of a notebook', async () => {
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

  test('says why a device or a stream cannot be shown or waited for now', async () => {
    const stream = new Stream();
    using x = zeros([4], { stream });
    x.synchronize();
    page.variables = { x };
    await panel.watch();
    await expect(panel.request('inspect', { stream: 4711 })).rejects.toThrow('No array uses this stream');
    await expect(panel.request('synchronize', { device: 'cuda:99' })).rejects.toThrow("no device 'cuda:99'");
    stream.native.beginCapture();
    await expect(panel.request('synchronize', { stream: stream.id })).rejects.toThrow(
      'captured into a graph'
    );
    stream.native.endCapture();
    stream.dispose();
    await expect(panel.request('synchronize', { stream: stream.id })).rejects.toThrow('was destroyed');
    expect(await panel.request('synchronize', { device: x.device.label })).toHaveProperty('microseconds');
  });

  test('says in a sentence what it cannot do', async () => {
    await panel.watch();
    await expect(panel.request('inspect', { id: 77 })).rejects.toThrow('No variable holds this array');
    await expect(panel.request('free', { ids: ['x'] })).rejects.toThrow('No variable holds this array');
    await expect(panel.request('bogus')).rejects.toThrow('no request named bogus');
    page.deliver('comm_msg', { comm_id: panel.id, data: { kind: 'request', id: 'x' } });
    page.deliver('comm_msg', { comm_id: panel.id, data: {} });
    expect(await panel.request('summary')).toEqual({ arrays: 0, bytes: 0 });
  });
});

test('arrays are held weakly: a page that lists them keeps none alive', async () => {
  await panel.watch();
  const make = (): WeakRef<NDArray> => {
    const x = zeros([4]);
    page.variables = { x };
    return new WeakRef(x);
  };
  const held = make();
  endCell();
  await panel.until(() => panel.entries.size === 1);
  page.variables = {};
  endCell();
  await panel.until(() => panel.entries.size === 0);
  await until(() => {
    collectGarbage();
    return held.deref() === undefined;
  });
});

test('under the hazard schedule looking lets no held work run: a missing wait shows as without a sidebar', async () => {
  using stream = new Stream({ device: 'sim:0' });
  using other = new Stream({ device: 'sim:0' });
  using x = zeros([4], { stream });
  stream.synchronize();
  page.variables = { x };
  native().simulated.setSchedule('hazard');
  try {
    await panel.watch();
    x.fill(7);
    for (let look = 0; look < 6; look++) {
      await panel.request('refresh');
      await pass(60, 'the panel looks again after a while');
    }
    await panel.until(() => panel.named('x').state === 'busy');
    using view = fromCudaArrayInterface({ ...x.__cuda_array_interface__, stream: null }, { stream: other });
    expect([...view.toTypedArray()]).toEqual([0, 0, 0, 0]);
  } finally {
    native().simulated.setSchedule('eager');
  }
});
