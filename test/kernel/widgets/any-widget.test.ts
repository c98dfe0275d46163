import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AnyWidget, anywidget } from '../../../kernel/widgets/anywidget/any-widget.ts';
import { reply } from '../../../kernel/widgets/anywidget/commands.ts';
import { IntSlider, VBox } from '../../../kernel/widgets/controls/index.ts';
import { widgetState } from '../../../kernel/widgets/model/saved-state.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { pass, until } from '../../setup/until.ts';
import { echo, page, update, withPage } from './page.ts';

const esm = 'export default { render({ el }) { el.append("hi"); } }';

withPage();
let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

test('a module is sent with the given state', () => {
  const child = new IntSlider();
  const widget = anywidget({
    esm,
    css: 'b { color: red }',
    state: { value: 5, data: Uint8Array.of(1), child }
  });
  const [opened] = page.take(widget);
  expect(opened!.data).toMatchObject({
    state: {
      _model_module: 'stridelab',
      _model_module_version: expect.stringMatching(/^\^\d/) as unknown,
      _model_name: 'AnyModel',
      _view_module: 'stridelab',
      _view_name: 'AnyView',
      _esm: esm,
      _css: 'b { color: red }',
      _anywidget_id: expect.stringMatching(/^stridelab-\w+$/) as unknown,
      value: 5,
      child: `IPY_MODEL_${child.model_id}`
    },
    buffer_paths: [['data']]
  });
  const value: number = widget.value;
  widget.value = value + 1;
  expect(page.data(widget)).toEqual([update({ value: 6 })]);
  const seen: number[] = [];
  widget.observe('value', change => seen.push(change.new));
  page.change(widget, { value: 9 });
  expect([widget.value, seen, page.data(widget)]).toEqual([9, [9], [echo({ value: 9 })]]);
});

test("a widget in the state is sent as a reference: anywidget's form if it has a module", () => {
  const [inner, slider] = [anywidget({ esm }), new IntSlider()];
  const reference = `anywidget:${inner.model_id}`;
  const classic = `IPY_MODEL_${slider.model_id}`;
  const outer = anywidget<{ child: unknown }>({
    esm,
    state: { child: { panes: [inner, slider], none: null } }
  });
  expect(page.take(outer)[0]!.data['state']).toMatchObject({
    child: { panes: [reference, classic], none: null }
  });
  outer.child = inner;
  expect(page.data(outer)).toEqual([update({ child: reference })]);
  const box = new VBox({ children: [inner] });
  expect(page.take(box)[0]!.data['state']).toMatchObject({ children: [`IPY_MODEL_${inner.model_id}`] });
});

test('a reference from the page becomes the open widget, in both forms; others stay text', () => {
  const inner = anywidget({ esm });
  const outer = anywidget<{ child: unknown }>({ esm, state: { child: null } });
  page.take(outer);
  for (const prefix of ['anywidget:', 'IPY_MODEL_']) {
    page.change(outer, { child: [`${prefix}${inner.model_id}`, `${prefix}unknown`, prefix] });
    expect(outer.child).toEqual([expect.anything(), `${prefix}unknown`, prefix]);
    expect((outer.child as unknown[])[0]).toBe(inner);
  }
  const reference = `anywidget:${inner.model_id}`;
  page.take(outer);
  page.change(outer, { child: reference });
  expect(page.data(outer)).toEqual([echo({ child: reference })]);
  inner.close();
  expect(outer.state()['child']).toBe(reference);
});

test('saved state contains the widgets that a module uses', () => {
  const inner = anywidget({ esm });
  const outer = anywidget({ esm, state: { child: [inner] } });
  const { state } = widgetState({ widgets: [outer] });
  expect(Object.keys(state)).toEqual(expect.arrayContaining([outer.model_id, inner.model_id]));
  expect(state[outer.model_id]!.state['child']).toEqual([`anywidget:${inner.model_id}`]);
});

test('a class has its module and state as statics, and each widget its own values', () => {
  interface State {
    value: number;
    name: string;
  }
  class Counter extends AnyWidget<State> {
    static override _esm = esm;
    static override _state: State = { value: 0, name: 'none' };
    declare value: number;
    increment(): void {
      this.value += 1;
    }
  }
  const [one, two] = [new Counter({ name: 'one' }), new Counter()];
  one.increment();
  expect([one.value, one.get('name'), two.value, two.get('name')]).toEqual([1, 'one', 0, 'none']);
  expect(one.get('_anywidget_id')).toBe(two.get('_anywidget_id'));
});

test('a property named like a method is accessed with get and set; one of the protocol is refused', () => {
  const widget = anywidget({ esm, state: { send: 1 } });
  widget.set({ send: 2 });
  expect([widget.get('send'), typeof widget.send]).toEqual([2, 'function']);
  expect(() => anywidget({ esm, state: { _model_name: 'x' } })).toThrow('the protocol uses it');
});

test('properties that opted out are not echoed', () => {
  const widget = anywidget({ esm, state: { huge: '', small: '' }, no_echo: ['huge'] });
  page.take(widget);
  page.change(widget, { huge: 'h', small: 's' });
  expect([widget.huge, page.data(widget)]).toEqual(['h', [echo({ small: 's' })]]);
});

test('addresses are forwarded, files are read, and a missing one is named', () => {
  const path = join(folder, 'module.js');
  writeFileSync(path, 'export default 1');
  const address = 'https://example.org/module.js';
  expect(anywidget({ esm: address }).get('_esm')).toBe(address);
  expect(anywidget({ esm: new URL(address) }).get('_esm')).toBe(address);
  expect(anywidget({ esm: path }).get('_esm')).toBe('export default 1');
  expect(anywidget({ esm: pathToFileURL(path) }).get('_esm')).toBe('export default 1');
  expect(anywidget({ esm: 'export default {} // not.js' }).get('_esm')).toContain('not.js');
  expect(() => anywidget({ esm: join(folder, 'missing.mjs') })).toThrow(/missing\.mjs cannot be read/);
});

test('a changed file is sent again, also if another replaces it; closing ends the watch', async () => {
  const path = join(folder, 'module.js');
  const style = join(folder, 'module.css');
  writeFileSync(path, 'one');
  writeFileSync(style, 'a {}');
  const [widget, second] = [anywidget({ esm: path, css: style }), anywidget({ esm: path })];
  page.take(widget);
  const changed = async (name: '_esm' | '_css', text: string): Promise<void> => {
    await until(() => widget.get(name) === text);
  };
  await pass(20, 'the file is watched from a later turn on');
  writeFileSync(path, '');
  writeFileSync(path, 'two');
  await changed('_esm', 'two');
  await until(() => second.get('_esm') === 'two');
  second.close();
  const other = join(folder, 'other.js');
  writeFileSync(other, 'three');
  renameSync(other, path);
  await changed('_esm', 'three');
  writeFileSync(style, 'b {}');
  await changed('_css', 'b {}');
  expect(page.data(widget).map(({ state }) => state)).toEqual([
    { _esm: 'two' },
    { _esm: 'three' },
    { _css: 'b {}' }
  ]);
  expect(second.get('_esm')).toBe('two');
});

describe('commands', () => {
  const widget = () =>
    anywidget({
      esm,
      commands: {
        add: ({ a, b }: { a: number; b: number }) => a + b,
        later: async (_message, buffers) => {
          await pass(1, 'the handler takes a while');
          return reply('bytes', [Uint8Array.of(buffers[0]![0]! + 1)]);
        },
        nothing: () => undefined,
        fail: () => {
          throw new Error('cannot');
        }
      }
    });
  const kind = 'anywidget-command';

  async function ask(name: string, msg: unknown = null, buffers: Uint8Array[] = []) {
    const asked = widget();
    page.take(asked);
    page.custom(asked, { kind, id: 7, name, msg }, buffers);
    await pass(10, 'an unwanted answer would arrive meanwhile');
    return page.take(asked);
  }

  test.each([
    ['add', { a: 1, b: 2 }, { response: 3 }],
    ['nothing', null, { response: null }],
    ['fail', null, { error: 'cannot' }],
    ['missing', null, { error: 'unknown command "missing": the widget has add, later, nothing, fail' }],
    ['toString', null, { error: expect.stringContaining('unknown command "toString"') as unknown }]
  ])('%s(%j) is answered', async (name, msg, answer) => {
    const [sent] = await ask(name, msg);
    expect(sent!.data).toEqual({
      method: 'custom',
      content: { id: 7, kind: 'anywidget-command-response', ...answer }
    });
    expect(page.errors.map(String)).toEqual(name === 'fail' ? ['Error: cannot'] : []);
  });

  test('bytes are sent with a command and with its answer', async () => {
    const [sent] = await ask('later', null, [Uint8Array.of(4)]);
    expect([sent!.data['content'], sent!.buffers]).toEqual([
      { id: 7, kind: 'anywidget-command-response', response: 'bytes' },
      [Uint8Array.of(5)]
    ]);
  });

  test('other messages are not treated as commands', () => {
    const asked = widget();
    page.take(asked);
    page.custom(asked, { kind: 'other', id: 7, name: 'add' });
    expect(page.take(asked)).toEqual([]);
  });
});
