import type { AnyModel } from '../../../labextension/src/models/any-widget.ts';
import { INVOKE_TIMEOUT } from '../../../labextension/src/anywidget/invoke.ts';
import { open as openWidget, ourNames, settled, told, useModules } from '../setup/module-page.ts';
import { RecordingComm, TestManager } from '../setup/widget-manager.ts';

useModules();
const open = (state: Record<string, unknown>, manager?: TestManager) => openWidget<AnyModel>(state, manager);

const counter = `
  function render({ model, el }) {
    const button = document.createElement('button');
    const show = () => { button.textContent = 'count is ' + model.get('value'); };
    button.addEventListener('click', () => { model.set('value', model.get('value') + 1); model.save_changes(); });
    model.on('change:value', show);
    show();
    el.append(button);
    return () => tell('view cleaned');
  }
  export default {
    initialize({ model }) { tell('initialized with ' + model.get('value')); return () => tell('model cleaned'); },
    render
  };`;

test('a module is initialized once and rendered in every view', async () => {
  const { model, comm, show } = await open({ _esm: counter, value: 1 });
  const [one, two] = [await show(), await show()];
  expect(told).toEqual(['initialized with 1']);
  expect(document.body.textContent).toBe('count is 1count is 1');
  one.el.querySelector('button')?.click();
  expect([model.get('value'), two.el.textContent]).toEqual([2, 'count is 2']);
  expect(comm.sent).toEqual([{ method: 'update', state: { value: 2 }, buffer_paths: [] }]);
  // The page sends no second change before the kernel has replied to the first.
  await comm.receive({ method: 'update', state: { value: 9 }, buffer_paths: [] });
  expect(two.el.textContent).toBe('count is 9');
});

test('the module is informed of the end of a view and of the model, and its listeners are removed', async () => {
  const { model, comm, show } = await open({ _esm: counter, value: 1 });
  const view = await show();
  view.remove();
  await settled();
  expect(told).toEqual(['initialized with 1', 'view cleaned']);
  model.set('value', 5);
  expect(view.el.textContent).toBe('count is 1');
  comm.closeFromKernel();
  await settled();
  expect(told.at(-1)).toBe('model cleaned');
});

test.each([
  [
    'a function that gives the widget',
    'export default () => ({ render({ el }) { el.textContent = "made"; } })'
  ],
  ['a promise of it', 'export default async () => ({ render({ el }) { el.textContent = "made"; } })'],
  ['a render of its own, the older form', 'export function render({ el }) { el.textContent = "made"; }']
])('the module may export %s', async (_, esm) => {
  const { show } = await open({ _esm: esm });
  expect((await show()).el.textContent).toBe('made');
});

test.each([
  ['syntax', 'export default {', 'SyntaxError'],
  ['nothing exported', 'const render = 1;', 'has no default export'],
  ['a failing initialize', 'export default { initialize() { throw new Error("no start"); } }', 'no start'],
  ['a failing render', 'export default { async render() { throw new TypeError("no view"); } }', 'no view']
])('%s is shown in place of the view, and the next version replaces it', async (_, esm, sentence) => {
  const { comm, show } = await open({ _esm: esm });
  const view = await show();
  const box = view.el.querySelector('[role="alert"]');
  expect(box?.textContent).toContain(sentence);
  await comm.receive({
    method: 'update',
    state: { _esm: 'export default { render({ el }) { el.append("healed"); } }' },
    buffer_paths: []
  });
  await settled();
  expect(view.el.textContent).toBe('healed');
});

test('a changed module replaces the old one in every view, and the state stays', async () => {
  const { model, comm, show } = await open({ _esm: counter, value: 3 });
  const view = await show();
  const changed = counter.replaceAll('count is', 'now');
  await comm.receive({ method: 'update', state: { _esm: changed }, buffer_paths: [] });
  await settled();
  expect([view.el.textContent, view.el.children.length]).toEqual(['now 3', 1]);
  expect(told).toEqual(['initialized with 3', 'view cleaned', 'model cleaned', 'initialized with 3']);
  model.set('value', 4);
  expect(view.el.textContent).toBe('now 4');
});

test('a style sheet is added once per id, follows its changes, and is removed with its last user', async () => {
  const [one, two] = [
    await open({ _esm: counter, _css: 'a { color: red }', _anywidget_id: 'shared' }),
    await open({ _esm: counter, _css: 'a { color: red }', _anywidget_id: 'shared' })
  ];
  expect(document.head.querySelectorAll('style')).toHaveLength(1);
  await one.comm.receive({ method: 'update', state: { _css: 'a { color: blue }' }, buffer_paths: [] });
  expect(document.head.textContent).toContain('blue');
  one.comm.closeFromKernel();
  await settled();
  expect(document.head.querySelectorAll('style')).toHaveLength(1);
  two.comm.closeFromKernel();
  await settled();
  expect(document.head.querySelectorAll('style')).toHaveLength(0);
  await open({ _esm: counter, _css: 'https://example.org/a.css' });
  expect(document.head.querySelector('link')?.href).toBe('https://example.org/a.css');
});

test('bytes are sent unchanged, and of a view only its part of the buffer', async () => {
  const { model, comm } = await open({ _esm: counter, data: null });
  const whole = new Uint8Array([9, 1, 2, 9]);
  model.set('data', { list: [1, whole.subarray(1, 3)], text: 'a' });
  model.save_changes();
  expect(comm.sent).toEqual([
    {
      method: 'update',
      state: { data: { list: [1, null], text: 'a' } },
      buffer_paths: [['data', 'list', 1]]
    }
  ]);
  expect(comm.buffers[0]!.map(buffer => [...new Uint8Array(buffer as ArrayBuffer)])).toEqual([[1, 2]]);
});

const talker = `export default {
  initialize({ model, experimental }) {
    model.on('msg:custom', (content, buffers) => tell('msg ' + JSON.stringify(content) + ' ' + buffers.length));
    model.send({ hello: 1 }, undefined, [new Uint8Array([9, 1, 9]).subarray(1, 2)]);
    globalThis.call = (...parameters) => experimental.invoke(...parameters);
  }
};`;

test('custom messages are sent both ways, also one that arrives before the module', async () => {
  const manager = new TestManager();
  const comm = new RecordingComm('early');
  await manager.new_model({ ...ourNames, comm, model_id: 'early' }, { _esm: talker });
  await comm.receive({ method: 'custom', content: { early: true } }, [new DataView(new ArrayBuffer(1))]);
  await settled();
  expect(told).toEqual(['msg {"early":true} 1']);
  expect(comm.sent).toEqual([{ method: 'custom', content: { hello: 1 } }]);
  expect([...new Uint8Array(comm.buffers[0]![0] as ArrayBuffer)]).toEqual([1]);
});

describe('commands of the kernel', () => {
  const call = (...parameters: unknown[]): Promise<[unknown, unknown[]]> =>
    (globalThis as unknown as { call: typeof call }).call(...parameters);

  async function calling(...parameters: unknown[]) {
    const { comm } = await open({ _esm: talker });
    const answer = call(...parameters);
    answer.catch(() => undefined);
    const asked = comm.sent.at(-1)!['content'] as Record<string, unknown>;
    return { comm, answer, asked };
  }

  test('are sent with an id, and return the answer with that id', async () => {
    const { comm, answer, asked } = await calling('add', { a: 1 });
    expect(asked).toEqual({ id: asked['id'], kind: 'anywidget-command', name: 'add', msg: { a: 1 } });
    const kind = 'anywidget-command-response';
    await comm.receive({ method: 'custom', content: { kind, id: 'another', response: 0 } });
    await comm.receive({ method: 'custom', content: { kind, id: asked['id'], response: 3 } }, [
      new DataView(new ArrayBuffer(2))
    ]);
    const [response, buffers] = await answer;
    expect([response, buffers.length]).toEqual([3, 1]);
  });

  test("fail with the kernel's error message, or by a signal", async () => {
    const { comm, answer, asked } = await calling('add');
    await comm.receive({ method: 'custom', content: { id: asked['id'], error: 'cannot add' } });
    await expect(answer).rejects.toThrow('cannot add');
    const controller = new AbortController();
    const given = await calling('add', null, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(given.answer).rejects.toThrow('enough');
    await expect(call('add', null, { signal: controller.signal })).rejects.toThrow('enough');
    expect(INVOKE_TIMEOUT).toBe(3000);
  });
});
