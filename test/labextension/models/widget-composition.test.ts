/** anywidget's RFC 0001: signals, exports and widgets that use others. The same modules run in anywidget's own frontend. */

import { until } from '../../setup/until.ts';
import { anywidgetPage } from '../setup/anywidget-frontend.ts';
import { open as openWidget, settled, told, useModules } from '../setup/module-page.ts';
import { TestManager } from '../setup/widget-manager.ts';

useModules();

/** Exports a function, and shows its state. */
const child = (label = 'inner') => `export default {
  initialize({ model, signal }) {
    signal.addEventListener('abort', () => tell('${label} model ended'));
    return { double: () => '${label} ' + model.get('value') * 2 };
  },
  render({ el, model, signal }) {
    el.append('shows ' + model.get('value'));
    signal.addEventListener('abort', () => tell('${label} view ended'));
  }
}`;

const parent = `export default {
  async render({ model, el, host }) {
    tell('parent rendered');
    const { exports, render } = await host.getWidget(model.get('child'));
    const place = document.createElement('span');
    el.append(exports.double() + ', ', place);
    await render({ el: place });
  }
}`;

const shownIn = ({ el }: { el: HTMLElement }, text: string): Promise<void> =>
  until(() => el.textContent === text);

/** Returns a function that opens widgets of this extension on one page. */
function ourPage() {
  const manager = new TestManager();
  return Promise.resolve((state: Record<string, unknown>) => openWidget(state, manager));
}

describe.each([
  ['this extension', ourPage],
  ['anywidget 0.11', anywidgetPage]
])('in %s', (_, page) => {
  test('signals end with the view and with the model, each returned function runs once', async () => {
    const { comm, show } = await (
      await page()
    )({
      _esm: `const watch = (signal, what) => {
        tell(what + ' starts ' + signal.aborted);
        signal.addEventListener('abort', () => tell(what + ' aborted'));
        return () => tell(what + ' cleaned');
      };
      export default {
        initialize: ({ signal }) => watch(signal, 'model'),
        render: ({ signal }) => watch(signal, 'view')
      }`
    });
    const view = await show();
    await until(() => told.length === 2);
    view.remove();
    await until(() => told.length === 4);
    comm.closeFromKernel();
    await until(() => told.length === 6);
    await settled();
    expect(told).toEqual([
      'model starts false',
      'view starts false',
      'view aborted',
      'view cleaned',
      'model aborted',
      'model cleaned'
    ]);
  });

  test('a widget uses the exports of another and shows it; the inner view ends with the outer', async () => {
    const open = await page();
    const inner = await open({ _esm: child(), value: 21 });
    const view = await (await open({ _esm: parent, child: inner.reference })).show();
    await shownIn(view, 'inner 42, shows 21');
    view.remove();
    await settled();
    expect(told).toEqual(['parent rendered', 'inner view ended']);
  });

  test('references inside lists and objects are found, and a signal of its own ends an inner view', async () => {
    const open = await page();
    const inner = await open({ _esm: child(), value: 1 });
    const outer = await open({
      _esm: `export default {
        async render({ model, el, host }) {
          const { render } = await host.getWidget(model.get('layout').panes[0]);
          const own = new AbortController();
          await render({ el, signal: own.signal });
          own.abort();
          tell('still here');
        }
      }`,
      layout: { panes: [inner.reference] }
    });
    const view = await outer.show();
    await until(() => told.length === 2);
    view.remove();
    await settled();
    expect(told).toEqual(['inner view ended', 'still here']);
  });

  test('a widget whose module is still loading is awaited', async () => {
    const open = await page();
    const inner = await open({
      _esm: `export default async () => {
        tell('module loads');
        await new Promise(resolve => addEventListener('finish', resolve, { once: true }));
        return { initialize: async () => { await null; return { double: () => 'late' }; }, render({ el }) { el.append('too'); } };
      }`
    });
    const view = await (await open({ _esm: parent, child: inner.reference })).show();
    await until(() => told.length === 2);
    expect([told, view.el.textContent]).toEqual([['module loads', 'parent rendered'], '']);
    dispatchEvent(new Event('finish'));
    await shownIn(view, 'late, too');
  });

  test.each([
    ['nothing', ''],
    ['a function, which is no export', 'return () => undefined;'],
    ['a number', 'return 5;'],
    ['null', 'return null;']
  ])('the exports are undefined if initialize returns %s', async (_result, code) => {
    const open = await page();
    const inner = await open({ _esm: `export default { initialize() { ${code} } }` });
    const outer = await open({
      _esm: `export default { async render({ el, host, model }) {
        el.append(String((await host.getWidget(model.get('child'))).exports));
      } }`,
      child: inner.reference
    });
    await shownIn(await outer.show(), 'undefined');
  });

  test('the host is for views: initialize has none, so that widgets cannot wait for each other', async () => {
    await (
      await page()
    )({
      _esm: 'export default { initialize(options) { tell(Object.keys(options).sort().join()); } }'
    });
    await until(() => told.length > 0);
    expect(told).toEqual(['experimental,model,signal']);
  });

  test('a listener on the model of another widget ends with the view that added it', async () => {
    const open = await page();
    const inner = await open({ _esm: child(), value: 1 });
    const outer = await open({
      _esm: `export default { async render({ model, host }) {
        (await host.getModel(model.get('child'))).on('change:value', () => tell('changed'));
        tell('listening');
      } }`,
      child: inner.reference
    });
    const view = await outer.show();
    await until(() => told.length === 1);
    inner.model.set('value', 2);
    view.remove();
    inner.model.set('value', 3);
    expect(told).toEqual(['listening', 'changed']);
  });
});

describe('a widget that uses another', () => {
  async function pair(inner: Record<string, unknown>, manager = new TestManager()) {
    const used = await openWidget(inner, manager);
    const user = await openWidget({ _esm: parent, child: used.reference }, manager);
    return { used, user, view: await user.show() };
  }

  test('is rendered again with the new exports when the other module is reloaded', async () => {
    const { used, view } = await pair({ _esm: child(), value: 1 });
    await shownIn(view, 'inner 2, shows 1');
    await used.update({ _esm: child('newer') });
    await shownIn(view, 'newer 2, shows 1');
    await used.update({ _esm: 'export default { initialize: () => () => undefined }' });
    await until(() => view.el.querySelector('[role="alert"]') !== null);
    await used.update({ _esm: child('newest') });
    await shownIn(view, 'newest 2, shows 1');
    view.remove();
    expect(told).toEqual([
      'parent rendered',
      'inner view ended',
      'inner model ended',
      'parent rendered',
      'newer view ended',
      'newer model ended',
      'parent rendered',
      'parent rendered',
      'newest view ended'
    ]);
  });

  test('is not rendered again once its view was removed, or its own reload replaced the module', async () => {
    const { used, user, view } = await pair({ _esm: child(), value: 1 });
    await user.update({ _esm: 'export default { render({ el }) { el.append("alone"); } }' });
    await shownIn(view, 'alone');
    await used.update({ _esm: child('newer') });
    await settled();
    expect([told, view.el.textContent]).toEqual([
      ['parent rendered', 'inner view ended', 'inner model ended'],
      'alone'
    ]);
  });

  test('waits for the new module if the old one is replaced before it was initialized', async () => {
    const never = 'export default { initialize: () => new Promise(() => undefined) }';
    const { used, view } = await pair({ _esm: never, value: 4 });
    void used.update({ _esm: child() });
    await shownIn(view, 'inner 8, shows 4');
    await settled();
    expect([told, view.el.textContent]).toEqual([['parent rendered', 'parent rendered'], 'inner 8, shows 4']);
  });

  test('adds nothing to the view of its next module if it waited until that was rendered', async () => {
    const slow = `export default {
      initialize: () => new Promise(resolve =>
        addEventListener('finish', () => resolve({ double: () => 'late' }), { once: true }))
    }`;
    const { user, view } = await pair({ _esm: slow });
    await user.update({ _esm: 'export default { render({ el }) { el.append("alone"); } }' });
    await shownIn(view, 'alone');
    dispatchEvent(new Event('finish'));
    await settled();
    expect([told, view.el.textContent]).toEqual([['parent rendered'], 'alone']);
  });

  test('shows nothing of the other if the signal was aborted before', async () => {
    const manager = new TestManager();
    const used = await openWidget({ _esm: child(), value: 1 }, manager);
    const early = parent.replace(
      'render({ el: place })',
      'render({ el: place, signal: AbortSignal.abort() })'
    );
    const user = await openWidget({ _esm: early, child: used.reference }, manager);
    await shownIn(await user.show(), 'inner 2, ');
    await settled();
    expect(document.body.textContent).toBe('inner 2, ');
  });

  test('shows an error if the other is closed while it is awaited', async () => {
    const never = 'export default { initialize: () => new Promise(() => undefined) }';
    const { used, view } = await pair({ _esm: never });
    used.comm.closeFromKernel();
    await until(() => view.el.textContent !== '');
    expect(view.el.textContent).toContain(`The widget ${used.reference} cannot be used: it was closed`);
  });

  test.each([
    ['a text', 'nonsense', '"nonsense" is not a widget reference, expected "anywidget:ID"'],
    ['an empty id', 'anywidget:', '"anywidget:" is not a widget reference'],
    ['nothing', null, 'null is not a widget reference'],
    ['a classic widget', 'IPY_MODEL_box', 'The widget IPY_MODEL_box has no module: use getModel']
  ])('shows an error for %s', async (_, reference, sentence) => {
    const manager = new TestManager();
    await manager.new_model({
      model_name: 'LayoutModel',
      model_module: '@jupyter-widgets/base',
      model_module_version: '2.0.0',
      view_name: null,
      model_id: 'box'
    });
    const view = await (await openWidget({ _esm: parent, child: reference }, manager)).show();
    await until(() => view.el.textContent !== '');
    expect(view.el.querySelector('[role="alert"]')?.textContent).toContain(sentence);
  });

  test('shows an error if the module of the other failed, until it is replaced', async () => {
    const { used, view } = await pair({
      _esm: 'export default { initialize() { throw new Error("no start"); } }'
    });
    await until(() => view.el.textContent !== '');
    expect(view.el.textContent).toContain(`The widget ${used.reference} cannot be used: no start`);
    await used.update({ _esm: child(), value: 1 });
    await shownIn(view, 'inner 2, shows 1');
  });

  test('shows an error for an unknown widget and for a closed one', async () => {
    const manager = new TestManager();
    const closed = await openWidget({ _esm: child() }, manager);
    closed.comm.closeFromKernel();
    await settled();
    // The manager waits for two seconds for a widget that it does not know.
    for (const reference of ['anywidget:unknown', closed.reference]) {
      const { show } = await openWidget({ _esm: parent, child: reference }, manager);
      await show();
    }
    await until(() => document.querySelectorAll('[role="alert"]').length === 2);
    expect(document.body.textContent).toContain('The widget anywidget:unknown does not exist: it was closed');
    expect(document.body.textContent).toContain(
      `The widget ${closed.reference} does not exist: it was closed`
    );
  });

  test('accepts the references of widget managers', async () => {
    const manager = new TestManager();
    const inner = await openWidget({ _esm: child(), value: 3 }, manager);
    const classic = inner.reference.replace('anywidget:', 'IPY_MODEL_');
    const view = await (await openWidget({ _esm: parent, child: classic }, manager)).show();
    await shownIn(view, 'inner 6, shows 3');
  });

  test('two widgets use the exports of each other, but neither is rendered inside itself', async () => {
    const manager = new TestManager();
    const other = `export default {
      initialize: ({ model }) => ({ name: model.get('name') }),
      async render({ model, el, host }) {
        const { exports, render } = await host.getWidget(model.get('other'));
        const place = document.createElement('p');
        el.append(model.get('name') + ' uses ' + exports.name, place);
        await render({ el: place });
      }
    }`;
    const one = await openWidget({ _esm: other, name: 'one' }, manager);
    const two = await openWidget({ _esm: other, name: 'two', other: one.reference }, manager);
    one.model.set('other', two.reference);
    const view = await one.show();
    await until(() => view.el.querySelector('[role="alert"]') !== null);
    expect(view.el.textContent).toContain('one uses two');
    expect(view.el.textContent).toContain(`The widget ${one.reference} cannot be rendered inside itself`);
    one.model.set('other', one.reference);
    await one.update({ _esm: `${other}\n// itself` });
    await until(() => view.el.textContent.includes('cannot be rendered inside itself'));
  });
});
