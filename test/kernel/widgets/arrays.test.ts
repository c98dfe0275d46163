/** The sidebar's kernel half, with arrays of the simulated device and a page that only stores messages. */

import { runInNewContext } from 'node:vm';
import { walkArrays } from '../../../kernel/widgets/pictures/kit/walk.ts';
import { emptyShared } from '../../../src/sharing/index.ts';
import { fromCudaArrayInterface, fromDlpack, Stream, zeros, type NDArray } from '../../../src/index.ts';
import { native } from '../../../src/native/load.ts';
import { collectGarbage } from '../../../src/native/load.ts';
import { pass, until } from '../../setup/until.ts';
import { endCell, inPanel, page, panel } from './arrays-panel.ts';

inPanel();

describe('arrays that are found', () => {
  function names(variables: Record<string, unknown>): string[] {
    const report = { truncated: false };
    return [...walkArrays(Object.entries(variables), report)].flatMap(found =>
      found === null ? [] : [found.name]
    );
  }

  test('variables, and arrays inside arrays, objects, instances, maps and sets, each with the expression that reaches it', () => {
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

  test('no notebook code runs: getters, proxies, iterators, prototypes that are proxies', () => {
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

  test('cycles and deep nesting end', () => {
    using x = zeros([1]);
    const circle: Record<string, unknown> = { x };
    circle['self'] = circle;
    let deep: unknown = x;
    for (let i = 0; i < 10; i += 1) deep = { deep };
    expect(names({ circle, deep })).toEqual(['circle.x']);
  });

  test('a list that is too long is searched in part, and that is reported', () => {
    const report = { truncated: false };
    using last = zeros([1]);
    const long: unknown[] = new Array(30_000).fill(0);
    long.push(last);
    expect([...walkArrays([['long', long]], report)].filter(found => found !== null)).toEqual([]);
    expect(report.truncated).toBe(true);
  });
});

describe('changes that are sent', () => {
  test('each array once, with its names, its block and its device', async () => {
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

  test('an array imported back over the interface shares the block of its source (rule 91)', async () => {
    using x = zeros([16]);
    using back = fromCudaArrayInterface({ ...x.slice('4:8').__cuda_array_interface__ }, { owner: x });
    page.variables = { x, back };
    await panel.watch();
    expect(panel.named('back').block).toBe(panel.named('x').block);
    expect(panel.named('back').origin).toBe('NDArray');
  });

  test('the origin is the class of the owner, whose code does not run', async () => {
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

  test('0-d, empty, reversed, read-only and freed arrays are described', async () => {
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

  test('only changes are sent after a cell: new, renamed and removed arrays', async () => {
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
    expect(change.removed).toEqual([idOfA]);
    expect(change.set.map(({ names }) => names)).toEqual([['b', 'alias'], ['c']]);
    expect(change.set[0]?.id).toBe(idOfB);
    expect(change.first).toBe(false);
    endCell();
    await pass(150, 'nothing must be sent meanwhile');
    panel.read();
    expect(panel.changes.slice(before + 1)).toEqual([]);
  });

  test('pending work on a stream, its end, and a freed array are sent without a cell', async () => {
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

  test('at most twenty changes a second are sent, however often an array is used', async () => {
    using x = zeros([4]);
    page.variables = { x };
    await panel.watch();
    const before = panel.changes.length;
    const began = performance.now();
    for (let i = 0; i < 200; i += 1) {
      x.fill(i % 2);
      page.variables = { x, [`y${i}`]: x };
      endCell();
      await pass(2, 'cells end faster than updates may be sent');
    }
    panel.read();
    const seconds = (performance.now() - began) / 1000;
    expect(panel.changes.length - before).toBeLessThanOrEqual(seconds * 20 + 1);
    expect(panel.changes.length - before).toBeGreaterThan(1);
  });

  test('10,000 arrays are sent in parts, the last of which is marked', async () => {
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

describe('a hidden panel', () => {
  test('gets no changes, and arrays are not observed', async () => {
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
    await pass(150, 'nothing must be sent meanwhile');
    panel.read();
    expect(panel.changes.length).toBe(before);
  });

  test('gets everything again when it is shown again', async () => {
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

  test('can still request the sum of the arrays, with shared memory counted once', async () => {
    using x = zeros([256]);
    using view = x.slice('::2');
    page.variables = { x, view, list: [x] };
    expect(await panel.request('summary')).toEqual({ arrays: 2, bytes: 2048 });
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

test('under the hazard schedule the panel lets no held work run: a missing wait shows the same as without a sidebar', async () => {
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
      await pass(60, 'the panel inspects the arrays again after a while');
    }
    await panel.until(() => panel.named('x').state === 'busy');
    using view = fromCudaArrayInterface({ ...x.__cuda_array_interface__, stream: null }, { stream: other });
    expect([...view.toTypedArray()]).toEqual([0, 0, 0, 0]);
  } finally {
    native().simulated.setSchedule('eager');
  }
});
