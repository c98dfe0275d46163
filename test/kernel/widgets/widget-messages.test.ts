/** Messages between a widget and its page: changes, messages and events. */

import { echo, page, update, withPage } from './page.ts';
import { Dial, names, Paint } from './dial.ts';

withPage();

describe('updates', () => {
  test('changes of one tick are sent as one update, with the last values', async () => {
    const dial = new Dial();
    page.take(dial);
    dial.value = 4;
    dial.label = 'a';
    dial.value = 5;
    expect(page.sent.filter(({ id }) => id === dial.model_id)).toEqual([]);
    await Promise.resolve();
    expect(page.data(dial)).toEqual([update({ value: 5, label: 'a' })]);
  });

  test('a loop that never yields shows its progress', () => {
    const dial = new Dial({ max: 1e9 });
    page.take(dial);
    const end = performance.now() + 200;
    for (let count = 1; performance.now() < end; count += 1) dial.value = count;
    expect(page.sent.filter(({ id }) => id === dial.model_id).length).toBeGreaterThan(1);
  });

  test('unchanged values, and those kept in the kernel, are not sent', () => {
    const dial = new Dial({ value: 2 });
    page.take(dial);
    dial.value = 2;
    dial.hidden = 7;
    dial.note = null;
    expect([page.data(dial), dial.hidden]).toEqual([[], 7]);
  });

  test('a refused change leaves everything unchanged', () => {
    const dial = new Dial({ value: 2 });
    page.take(dial);
    expect(() => dial.set({ value: 9, mode: 'odd' as never })).toThrow('Dial.mode');
    expect(() => dial.set({ value: 9, max: -1 })).toThrow('Dial.max');
    expect([dial.value, dial.max, page.data(dial)]).toEqual([2, 10, []]);
  });

  test('hold_sync delays updates until it is disposed, also when nested', async () => {
    const dial = new Dial();
    page.take(dial);
    const held = dial.hold_sync();
    dial.value = 1;
    await Promise.resolve();
    dial.value = 2;
    expect(page.data(dial)).toEqual([]);
    held[Symbol.dispose]();
    held[Symbol.dispose]();
    expect(page.data(dial)).toEqual([update({ value: 2 })]);
  });

  test('nested bytes are sent beside the state: keys are removed, list entries are null', () => {
    const dial = new Dial();
    page.take(dial);
    const whole = new Uint8Array([9, 1, 2, 9]);
    dial.note = {
      a: [1, whole.subarray(1, 3), [new DataView(whole.buffer, 3)]],
      b: { c: Buffer.from([5]), d: whole.buffer },
      e: new Float32Array([1])
    };
    const [sent] = page.take(dial);
    expect(sent!.data).toEqual({
      method: 'update',
      state: { note: { a: [1, null, [null]], b: {} } },
      buffer_paths: [
        ['note', 'a', 1],
        ['note', 'a', 2, 0],
        ['note', 'b', 'c'],
        ['note', 'b', 'd'],
        ['note', 'e']
      ]
    });
    expect(sent!.buffers.map(buffer => [...buffer])).toEqual([
      [1, 2],
      [9],
      [5],
      [9, 1, 2, 9],
      [0, 0, 128, 63]
    ]);
  });

  test('widgets in a value are sent as references, in both directions', () => {
    const paint = new Paint();
    const dial = new Dial({ note: { deep: [paint] } });
    const id = `IPY_MODEL_${paint.model_id}`;
    expect(page.take(dial)[0]!.data['state']).toMatchObject({ note: { deep: [id] } });
    page.change(dial, { note: [{ back: id }, 'IPY_MODEL_unknown'] });
    expect(dial.note).toEqual([{ back: paint }, 'IPY_MODEL_unknown']);
    expect(page.data(dial)).toEqual([echo({ note: [{ back: id }, 'IPY_MODEL_unknown'] })]);
  });
});

describe('messages of the page', () => {
  test('a change is echoed, applied and observed; it is not sent back', () => {
    const dial = new Dial();
    const changes: unknown[] = [];
    dial.observe('value', change => changes.push([change.old, change.new, change.owner === dial]));
    page.take(dial);
    page.change(dial, { value: 6 });
    expect([dial.value, changes]).toEqual([6, [[0, 6, true]]]);
    expect(page.data(dial)).toEqual([echo({ value: 6 })]);
  });

  test('an adjusted or refused value is corrected in the page', () => {
    const dial = new Dial();
    page.take(dial);
    page.change(dial, { value: 60 });
    expect(page.data(dial)).toEqual([echo({ value: 60 }), update({ value: 10 })]);
    page.change(dial, { mode: 'odd', value: 3 });
    expect(page.data(dial)).toEqual([echo({ mode: 'odd', value: 3 }), update({ mode: 'fast', value: 10 })]);
    expect(String(page.errors)).toContain("Dial.mode must be one of 'fast', 'slow', not 'odd'");
  });

  test('consequences of a change in the page are sent to it', () => {
    const dial = new Dial({ value: 8 });
    page.take(dial);
    page.change(dial, { max: 5 });
    expect(page.data(dial)).toEqual([echo({ max: 5 }), update({ value: 5 })]);
  });

  test('keys that opted out are not echoed; unknown and local ones are ignored', () => {
    const dial = new Dial();
    page.take(dial);
    page.change(dial, { secret: 's', unknown: 1, hidden: 5, __proto__: 4 });
    expect([dial.secret, dial.hidden, page.data(dial)]).toEqual(['s', 0, []]);
  });

  test('bytes are stored at their paths, and are echoed', () => {
    const dial = new Dial();
    page.take(dial);
    page.tell(
      dial,
      {
        method: 'update',
        state: { note: { list: [null] } },
        buffer_paths: [['picture'], ['note', 'list', 0]]
      },
      [Uint8Array.of(1), Uint8Array.of(2)]
    );
    expect([dial.picture, dial.note]).toEqual([Uint8Array.of(1), { list: [Uint8Array.of(2)] }]);
    expect(page.take(dial)[0]).toMatchObject({ buffers: [Uint8Array.of(2), Uint8Array.of(1)] });
  });

  test.each([
    [{ method: 'update', state: {}, buffer_paths: [['nowhere', 'at all']] }],
    [{ method: 'update', state: { note: {} }, buffer_paths: [['note', '__proto__', 'polluted']] }],
    [{ method: 'update', state: {}, buffer_paths: [[]] }]
  ])('an invalid path is refused: %j', data => {
    const dial = new Dial();
    expect(() => page.tell(dial, data, [Uint8Array.of(1)])).toThrow('does not exist in the state');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test.each([
    [{}],
    [{ method: 'update' }],
    [{ method: 'update', state: [1] }],
    [{ method: 'custom' }],
    [{ method: 5 }]
  ])('malformed data is ignored: %j', data => {
    const dial = new Dial();
    page.take(dial);
    page.tell(dial, data);
    expect(page.data(dial)).toEqual([]);
  });

  test('request_state is answered with the complete state', () => {
    const dial = new Dial();
    page.take(dial);
    page.tell(dial, { method: 'request_state' });
    expect(page.data(dial)).toMatchObject([{ method: 'update', state: { ...names('Dial'), value: 0 } }]);
  });

  test('custom messages reach their handlers, and those with an event also its handlers', () => {
    const dial = new Dial();
    const seen: unknown[] = [];
    dial.on('msg', (content, buffers) => seen.push(['msg', content, buffers.length]));
    dial.on('click', content => seen.push(['click', content]));
    dial.on('close', () => seen.push('close'));
    page.custom(dial, { event: 'click', x: 1 }, [Uint8Array.of(1)]);
    page.custom(dial, { event: 'close' });
    expect(seen).toEqual([
      ['msg', { event: 'click', x: 1 }, 1],
      ['click', { event: 'click', x: 1 }],
      ['msg', { event: 'close' }, 0]
    ]);
  });

  test('a custom message is sent after earlier changes', () => {
    const dial = new Dial();
    page.take(dial);
    dial.value = 1;
    dial.send({ hello: 1 }, [Uint8Array.of(4)]);
    expect(page.take(dial).map(({ data, buffers }) => [data['method'], buffers.length])).toEqual([
      ['update', 0],
      ['custom', 1]
    ]);
  });
});

describe('handlers', () => {
  test('that fail are reported, and the others still run', async () => {
    const dial = new Dial();
    const seen: number[] = [];
    dial.observe('value', () => {
      throw new Error('first');
    });
    dial.observe('value', () => Promise.reject(new Error('second')));
    dial.observe('value', change => seen.push(change.new));
    page.change(dial, { value: 1 });
    await Promise.resolve();
    expect([page.errors.map(error => (error as Error).message), seen]).toEqual([['first', 'second'], [1]]);
  });

  test('an error is thrown by the statement if a cell made the change', () => {
    const dial = new Dial();
    dial.observe('value', () => {
      throw new Error('mine');
    });
    expect(() => (dial.value = 3)).toThrow('mine');
    expect([dial.value, page.errors]).toEqual([3, []]);
  });

  test('can be removed, also while they run, and are not added twice', () => {
    const dial = new Dial();
    let calls = 0;
    const handler = (): void => {
      calls += 1;
      dial.unobserve('value', handler);
    };
    dial.observe(['value', 'max'], handler);
    dial.observe('value', handler);
    dial.value = 1;
    dial.value = 2;
    dial.max = 20;
    expect(calls).toBe(2);
    const watched = dial.observe('value', handler);
    watched[Symbol.dispose]();
    dial.value = 3;
    expect(calls).toBe(2);
  });

  test('properties that are set together are all set when the first handler runs', () => {
    const dial = new Dial();
    const seen: unknown[] = [];
    dial.observe('value', () => seen.push([dial.value, dial.max]));
    dial.set({ value: 15, max: 20 });
    expect(seen).toEqual([[15, 20]]);
  });

  test('changes are iterated: those of a busy loop as one, and closing ends the iteration', async () => {
    const dial = new Dial();
    const seen: [number, number][] = [];
    const loop = (async () => {
      for await (const change of dial.changes('value')) seen.push([change.old, change.new]);
    })();
    page.change(dial, { value: 1 });
    page.change(dial, { value: 2 });
    page.change(dial, { value: 3 });
    await new Promise(setImmediate);
    page.change(dial, { value: 4 });
    await new Promise(setImmediate);
    dial.close();
    await loop;
    expect(seen).toEqual([
      [0, 1],
      [1, 3],
      [3, 4]
    ]);
    for await (const _ of dial.changes('value')) throw new Error('a closed widget has no changes');
  });

  test('every event is iterated; leaving the loop removes the listener', async () => {
    const dial = new Dial();
    const events = dial.events('click');
    for (const x of [1, 2, 3]) page.custom(dial, { event: 'click', x });
    const seen: unknown[] = [];
    for await (const { x } of events) {
      seen.push(x);
      if (x === 2) break;
    }
    page.custom(dial, { event: 'click', x: 4 });
    expect([seen, await events.next()]).toEqual([[1, 2], { done: true, value: undefined }]);
  });
});
