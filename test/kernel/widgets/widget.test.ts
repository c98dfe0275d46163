/** The life of a widget: opening, closing, pages that load later, saved state and display. */

import { openWidgets } from '../../../kernel/widgets/model/references.ts';
import type { Widget } from '../../../kernel/widgets/model/widget.ts';
import { type Change } from '../../../kernel/widgets/model/widget.ts';
import { widgetState } from '../../../kernel/widgets/model/saved-state.ts';
import { Dial, names, Paint, type DialProperties } from './dial.ts';
import { page, withPage } from './page.ts';

withPage();

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

  test('options can be given for a nested widget', () => {
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

describe('the end of a widget', () => {
  test('closing ends it and what was created for it, and not what was given to it', () => {
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

  test('the page can close it; nothing is sent afterwards', () => {
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

  test('a widget created for a property is closed when another replaces it', () => {
    const dial = new Dial();
    const first = dial.paint;
    dial.set({ paint: { colour: 'green' } });
    expect([first.closed, dial.paint.colour]).toEqual([true, 'green']);
  });
});

describe('pages that connect later', () => {
  test('the control comm sends all states, with paths from the id on', () => {
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

  test('an open comm is not opened again', () => {
    const dial = new Dial({ value: 3 });
    const data = { state: names('Other'), buffer_paths: [] };
    page.deliver('comm_open', { comm_id: dial.model_id, target_name: 'jupyter.widget', data }, [], {
      version: '2.1.0'
    });
    expect(openWidgets.get(dial.model_id)).toBe(dial);
  });
});

test('states are saved in the format of notebooks and static pages', () => {
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

test('a widget is shown by its view, as text and as HTML; a closed one as text only', () => {
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

test('types: a change has the type of its property', () => {
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
