import { openWidgets } from '../../../kernel/widgets/references.ts';
import { reference, references } from '../../../kernel/widgets/reference-traits.ts';
import { anything, bytes, choice, int, nullable, text, withOptions } from '../../../kernel/widgets/traits.ts';
import { Widget, type Change } from '../../../kernel/widgets/widget.ts';
import { widgetClass } from '../../../kernel/widgets/widget-class.ts';
import type { WidgetNames } from '../../../kernel/widgets/widget-spec.ts';
import { registerPageClass } from '../../../kernel/widgets/page-widgets.ts';
import { widgetState } from '../../../kernel/widgets/saved-state.ts';
import { echo, Page, update } from './page.ts';

const names = (name: string): WidgetNames => ({
  _model_module: 'dials',
  _model_module_version: '^1.0.0',
  _model_name: `${name}Model`,
  _view_module: 'dials',
  _view_module_version: '^1.0.0',
  _view_name: `${name}View`
});

interface PaintProperties {
  colour: string;
}
class Paint extends widgetClass<PaintProperties>({
  names: names('Paint'),
  traits: { colour: text('red') }
}) {}

interface DialProperties {
  value: number;
  max: number;
  mode: 'fast' | 'slow';
  label: string | null;
  picture: Uint8Array;
  secret: string;
  note: unknown;
  paint: Paint;
  parts: readonly Widget[];
  hidden: number;
}
class Dial extends widgetClass<DialProperties>(
  {
    names: names('Dial'),
    traits: {
      value: int(0),
      max: int(10),
      mode: choice(['fast', 'slow'], 'fast'),
      label: nullable(text('')),
      picture: bytes(),
      secret: withOptions(text(''), { echo: false }),
      note: anything<unknown>(null),
      paint: reference(() => Paint),
      parts: references(() => Widget),
      hidden: withOptions(int(0), { local: true })
    }
  },
  (values, changed, what) => {
    if (changed.has('max') && values.max < 0) throw new RangeError(`${what}.max must not be negative`);
    values.value = Math.min(values.value, values.max);
  }
) {}
registerPageClass('dials', 'DialModel', Dial);

let page: Page;
beforeEach(() => {
  page = new Page();
});
afterEach(() => {
  Widget.close_all();
});

const control = (): unknown => {
  page.deliver('comm_open', { comm_id: 'ctl', target_name: 'jupyter.widget.control', data: {} });
  page.deliver('comm_msg', { comm_id: 'ctl', data: { method: 'request_states' } });
  page.deliver('comm_close', { comm_id: 'ctl', data: {} });
  return page.sent.findLast(({ id }) => id === 'ctl');
};

describe('opening', () => {
  test('a model opens with all its keys, after those that it refers to', () => {
    const dial = new Dial({ value: 3, picture: Uint8Array.of(1, 2) });
    const [paint, own] = page.sent;
    expect([paint!.id, own!.id]).toEqual([dial.paint.model_id, dial.model_id]);
    expect(own).toMatchObject({
      type: 'comm_open',
      target: 'jupyter.widget',
      metadata: { version: '2.1.0' }
    });
    expect(own!.data).toEqual({
      state: {
        ...names('Dial'),
        value: 3,
        max: 10,
        mode: 'fast',
        label: null,
        secret: '',
        note: null,
        paint: `IPY_MODEL_${paint!.id}`,
        parts: []
      },
      buffer_paths: [['picture']]
    });
    expect(own!.buffers).toEqual([Uint8Array.of(1, 2)]);
  });

  test('options may be given for a widget inside', () => {
    expect(new Dial({ paint: { colour: 'blue' } }).paint.colour).toBe('blue');
    const shared = new Paint();
    expect(new Dial({ paint: shared }).paint).toBe(shared);
  });

  test.each([
    [{ value: 'x' }, "Dial.value must be a whole number, not 'x'"],
    [{ value: NaN }, 'Dial.value must be a whole number, not NaN'],
    [{ mode: 'odd' }, "Dial.mode must be one of 'fast', 'slow', not 'odd'"],
    [{ label: 5 }, 'Dial.label must be text, not 5'],
    [{ picture: 'no' }, 'Dial.picture must be bytes'],
    [{ parts: [1] }, 'Dial.parts[0] must be a Widget, not 1'],
    [{ paint: new Date(0) }, 'Dial.paint must be a Paint'],
    [{ max: -1 }, 'Dial.max must not be negative'],
    [{ valu: 1 }, 'Dial has no property "valu"; it has value, max'],
    [{ constructor: 1 }, 'Dial has no property "constructor"']
  ])('%j is refused with a sentence, and leaves nothing open', (options, sentence) => {
    const before = openWidgets.size;
    expect(() => new Dial(options as never)).toThrow(sentence);
    expect(openWidgets.size).toBe(before);
  });
});

describe('updates', () => {
  test('changes of one tick leave as one update, with the last values', async () => {
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

  test('what does not change, or is kept in the kernel, is not sent', () => {
    const dial = new Dial({ value: 2 });
    page.take(dial);
    dial.value = 2;
    dial.hidden = 7;
    dial.note = null;
    expect([page.data(dial), dial.hidden]).toEqual([[], 7]);
  });

  test('a refused change leaves all as it was', () => {
    const dial = new Dial({ value: 2 });
    page.take(dial);
    expect(() => dial.set({ value: 9, mode: 'odd' as never })).toThrow('Dial.mode');
    expect(() => dial.set({ value: 9, max: -1 })).toThrow('Dial.max');
    expect([dial.value, dial.max, page.data(dial)]).toEqual([2, 10, []]);
  });

  test('hold_sync keeps updates back until it is disposed, also twice', async () => {
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

  test('nested bytes travel beside the state: keys are removed, list entries are null', () => {
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

  test('widgets in a value travel as references, in both directions', () => {
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
  test('a change is echoed, taken over and observed; it is not sent back', () => {
    const dial = new Dial();
    const changes: unknown[] = [];
    dial.observe('value', change => changes.push([change.old, change.new, change.owner === dial]));
    page.take(dial);
    page.change(dial, { value: 6 });
    expect([dial.value, changes]).toEqual([6, [[0, 6, true]]]);
    expect(page.data(dial)).toEqual([echo({ value: 6 })]);
  });

  test('a value that is adjusted or refused is corrected in the page', () => {
    const dial = new Dial();
    page.take(dial);
    page.change(dial, { value: 60 });
    expect(page.data(dial)).toEqual([echo({ value: 60 }), update({ value: 10 })]);
    page.change(dial, { mode: 'odd', value: 3 });
    expect(page.data(dial)).toEqual([echo({ mode: 'odd', value: 3 }), update({ mode: 'fast', value: 10 })]);
    expect(String(page.errors)).toContain("Dial.mode must be one of 'fast', 'slow', not 'odd'");
  });

  test('what follows from a change in the page is sent to it', () => {
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

  test('bytes arrive where their paths lead, and are echoed', () => {
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
  ])('a path that leads nowhere is refused: %j', data => {
    const dial = new Dial();
    expect(() => page.tell(dial, data, [Uint8Array.of(1)])).toThrow('does not lead into the state');
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

  test('request_state is answered with everything', () => {
    const dial = new Dial();
    page.take(dial);
    page.tell(dial, { method: 'request_state' });
    expect(page.data(dial)).toMatchObject([{ method: 'update', state: { ...names('Dial'), value: 0 } }]);
  });

  test('custom messages reach their handlers, with an event also under its name', () => {
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

  test('a custom message goes out after the changes before it', () => {
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
  test('those that fail are reported, and the others still run', async () => {
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

  test("an error is the statement's where a cell made the change", () => {
    const dial = new Dial();
    dial.observe('value', () => {
      throw new Error('mine');
    });
    expect(() => (dial.value = 3)).toThrow('mine');
    expect([dial.value, page.errors]).toEqual([3, []]);
  });

  test('they can be taken away, also while they run, and are not added twice', () => {
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

  test('several properties set together are all there when the first handler runs', () => {
    const dial = new Dial();
    const seen: unknown[] = [];
    dial.observe('value', () => seen.push([dial.value, dial.max]));
    dial.set({ value: 15, max: 20 });
    expect(seen).toEqual([[15, 20]]);
  });

  test('changes are iterated: those of a busy loop as one, and closing ends it', async () => {
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

  test('every event is iterated; leaving the loop stops listening', async () => {
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

describe('the end of a widget', () => {
  test('closing ends it with what was made for it, and not with what was given to it', () => {
    const shared = new Paint();
    const [one, two] = [new Dial(), new Dial({ paint: shared })];
    let closed = 0;
    one.on('close', () => (closed += 1));
    one.close();
    one.close();
    two.close();
    expect([one.closed, one.paint.closed, shared.closed, closed]).toEqual([true, true, false, 1]);
    expect(page.take(one).filter(({ type }) => type === 'comm_close')).toHaveLength(1);
    expect([...openWidgets.keys()]).toEqual([shared.model_id]);
  });

  test('the page may close it; nothing is sent afterwards', () => {
    const dial = new Dial();
    page.deliver('comm_close', { comm_id: dial.model_id, data: {} });
    page.take(dial);
    dial.value = 4;
    dial.send({});
    expect([dial.closed, page.data(dial), dial.value]).toEqual([true, [], 4]);
  });

  test('`using` closes it at the end of the block', () => {
    let kept: Dial;
    {
      using dial = new Dial();
      kept = dial;
    }
    expect(kept.closed).toBe(true);
  });

  test('a widget made for a property is closed when another takes its place', () => {
    const dial = new Dial();
    const first = dial.paint;
    dial.set({ paint: { colour: 'green' } });
    expect([first.closed, dial.paint.colour]).toEqual([true, 'green']);
  });
});

describe('pages that come later', () => {
  test('the control comm tells the states of all, with paths from the id on', () => {
    const dial = new Dial({ picture: Uint8Array.of(7) });
    const { paint } = dial;
    expect(control()).toMatchObject({
      data: {
        method: 'update_states',
        states: {
          [paint.model_id]: { model_name: 'PaintModel', state: { colour: 'red' } },
          [dial.model_id]: {
            model_name: 'DialModel',
            model_module: 'dials',
            model_module_version: '^1.0.0',
            state: { value: 0, paint: `IPY_MODEL_${paint.model_id}` }
          }
        },
        buffer_paths: [[dial.model_id, 'state', 'picture']]
      },
      buffers: [Uint8Array.of(7)]
    });
    dial.close();
    expect(control()).toMatchObject({ data: { states: {}, buffer_paths: [] } });
  });

  test('a page opens a widget of a known class, of an unknown one, and nothing without a version', () => {
    const open = (id: string, state: Record<string, unknown>, metadata = { version: '2.1.0' }): void =>
      page.deliver(
        'comm_open',
        { comm_id: id, target_name: 'jupyter.widget', data: { state, buffer_paths: [] } },
        [],
        metadata
      );
    open('known', { ...names('Dial'), value: 3 });
    open('unknown', { ...names('Other'), speed: 2 });
    open('unversioned', { ...names('Dial') }, {} as never);
    expect(openWidgets.get('known')).toMatchObject({ value: 3, model_id: 'known' });
    const other = openWidgets.get('unknown') as Widget<Record<string, unknown>>;
    expect(other.get('speed')).toBe(2);
    page.change(other, { speed: 5 });
    expect(other.get('speed')).toBe(5);
    expect(openWidgets.has('unversioned')).toBe(false);
    expect(page.sent.filter(({ type }) => type === 'comm_close').map(({ id }) => id)).toEqual([
      'unversioned'
    ]);
  });

  test('a comm that is open is not opened again', () => {
    const dial = new Dial({ value: 3 });
    const data = { state: names('Other'), buffer_paths: [] };
    page.deliver('comm_open', { comm_id: dial.model_id, target_name: 'jupyter.widget', data }, [], {
      version: '2.1.0'
    });
    expect(openWidgets.get(dial.model_id)).toBe(dial);
  });
});

test('states are saved as notebooks and static pages want them', () => {
  const paint = new Paint();
  const dial = new Dial({ value: 3, paint, picture: Uint8Array.of(1, 2), parts: [new Paint()] });
  const alone = new Dial();
  const saved = widgetState({ widgets: [dial], drop_defaults: true });
  expect(Object.keys(saved.state).sort()).toEqual(
    [dial.model_id, paint.model_id, dial.parts[0]!.model_id].sort()
  );
  expect(saved).toMatchObject({ version_major: 2, version_minor: 0 });
  expect(saved.state[dial.model_id]).toEqual({
    model_name: 'DialModel',
    model_module: 'dials',
    model_module_version: '^1.0.0',
    state: {
      ...names('Dial'),
      value: 3,
      paint: `IPY_MODEL_${paint.model_id}`,
      parts: [`IPY_MODEL_${dial.parts[0]!.model_id}`]
    },
    buffers: [{ encoding: 'base64', path: ['picture'], data: 'AQI=' }]
  });
  dial.paint.colour = 'blue';
  expect(widgetState({ widgets: [paint], drop_defaults: true }).state[paint.model_id]!.state).toEqual({
    ...names('Paint'),
    colour: 'blue'
  });
  expect(widgetState().state[alone.model_id]!.state).toHaveProperty('max', 10);
});

test('a widget is shown by its view, by text and by HTML; a closed one by text alone', () => {
  const show = (dial: Dial): unknown => dial[Symbol.for('Jupyter.display') as never as keyof Dial];
  const dial = new Dial({ label: '<b>' });
  expect(typeof show(dial)).toBe('function');
  const bundle = (show(dial) as () => Record<string, unknown>).call(dial);
  expect(bundle).toEqual({
    'application/vnd.jupyter.widget-view+json': {
      version_major: 2,
      version_minor: 0,
      model_id: dial.model_id
    },
    'text/plain': "Dial { value: 0, label: '<b>' }",
    'text/html': "<pre>Dial { value: 0, label: '&lt;b&gt;' }</pre>"
  });
  dial.close();
  expect(Object.keys((show(dial) as () => object).call(dial))).toEqual(['text/plain', 'text/html']);
});

test('types: a change knows its property', () => {
  const dial = new Dial();
  const seen: Change<DialProperties, 'mode'>[] = [];
  dial.observe('mode', change => {
    const mode: 'fast' | 'slow' = change.new;
    seen.push(change);
    return mode;
  });
  dial.mode = 'SLOW' as 'slow';
  expect(seen[0]?.new).toBe('slow');
});
