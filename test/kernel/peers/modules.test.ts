import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { peerModule } from '../../../kernel/protocol/peer-modules.ts';
import { field, type Message } from '../client.ts';
import { kernel, last, withKernel } from '../one-kernel.ts';

withKernel();
beforeAll(() => kernel.execute('%types off'));

async function shown(cell: string): Promise<unknown[]> {
  const { reply, messages } = await kernel.execute(cell);
  expect(reply).toMatchObject({ status: 'ok' });
  return messages.flatMap(({ type, content }) =>
    /display_data$/.test(type) ? [[type, content['data']]] : []
  );
}

test('specifiers are matched with any version, and nothing else', () => {
  const display = 'kernel/peers/display';
  expect(peerModule('https://deno.land/x/display/mod.ts')).toBe(display);
  expect(peerModule('https://deno.land/x/display@v1.1.2/mod.ts')).toBe(display);
  expect(peerModule('jsr:@anywidget/deno@0.1.2')).toBe('kernel/peers/anywidget');
  for (const other of [
    'https://deno.land/x/displays/mod.ts',
    'https://deno.land/x/display@v1/format.ts',
    'tslab/dist',
    ''
  ])
    expect(peerModule(other)).toBeUndefined();
});

describe('tslab', () => {
  test('shows texts and bytes as MIME types, with import and require', async () => {
    expect(
      await shown(`import * as tslab from 'tslab';
        const { display } = require('tslab');
        tslab.display.html('<b>h</b>');
        tslab.display.png(new Uint8Array([1, 2]));
        tslab.display.pdf(Buffer.from('p'));
        display.latex('x');
        display.raw('text/x-own', 'own');`)
    ).toEqual([
      ['display_data', { 'text/html': '<b>h</b>' }],
      ['display_data', { 'image/png': 'AQI=' }],
      ['display_data', { 'application/pdf': 'cA==' }],
      ['display_data', { 'text/latex': 'x' }],
      ['display_data', { 'text/x-own': 'own' }]
    ]);
    expect(await last('Object.keys(tslab.versions).join()')).toBe("'tslab,typescript,node'");
    expect(await last('tslab.versions.node === process.version')).toBe('true');
  });

  test('newDisplay replaces what it shows, also from a later cell', async () => {
    expect(
      await shown(
        `const own = tslab.newDisplay(), other = tslab.newDisplay(); own.text('1'); own.text('2'); other.markdown('m');`
      )
    ).toEqual([
      ['display_data', { 'text/plain': '1' }],
      ['update_display_data', { 'text/plain': '2' }],
      ['display_data', { 'text/markdown': 'm' }]
    ]);
    expect(await shown("own.html('<i>3</i>');")).toEqual([
      ['update_display_data', { 'text/html': '<i>3</i>' }]
    ]);
  });

  test('wins over an installed package, also for packages that import it', async () => {
    const file = (path: string, text: string): void =>
      writeFileSync(join(kernel.folder, 'node_modules', path), text);
    for (const name of ['tslab', 'tslab-plot']) {
      mkdirSync(join(kernel.folder, 'node_modules', name), { recursive: true });
      file(`${name}/package.json`, `{ "name": "${name}", "main": "main.js" }`);
    }
    file('tslab/main.js', 'exports.display = { html() { throw new Error("no connection of tslab") } };');
    file('tslab-plot/main.js', 'exports.plot = text => require("tslab").display.html(text);');
    expect(
      await shown(
        `import { display as installed } from 'tslab'; import { plot } from 'tslab-plot'; installed.html('a'); plot('b');`
      )
    ).toEqual([
      ['display_data', { 'text/html': 'a' }],
      ['display_data', { 'text/html': 'b' }]
    ]);
  });
});

test('the package display of deno.land shows values, and bundles with or without raw', async () => {
  expect(
    await shown(`import { display as show, html, md, plain, js } from 'https://deno.land/x/display@v0.1.1/mod.ts';
      await show({ 'text/markdown': '*x*' });
      await show({ 'text/markdown': '*x*' }, { raw: false });
      await show(html\`<p>\${'<b>b</b>'}</p>\`, { display_id: 'shown' });
      await show(plain\`\${0}\`, { display_id: 'shown', update: true });
      await show(js\`1\`);`)
  ).toMatchObject([
    ['display_data', { 'text/markdown': '*x*' }],
    ['display_data', { 'text/plain': expect.stringContaining('*x*') as string }],
    ['display_data', { 'text/html': '<p><b>b</b></p>' }],
    ['update_display_data', { 'text/plain': '0' }],
    ['display_data', { 'application/javascript': '1' }]
  ]);
});

describe('@anywidget/deno', () => {
  interface Page {
    render(context: object): unknown;
  }

  /** The state with which the page opened the widget, beside its layout. */
  function opened(messages: readonly Message[]): Readonly<Record<string, string>> {
    const states = messages.flatMap(({ type, content }) =>
      type === 'comm_open' ? [field<Readonly<Record<string, string>>>(content, 'data', 'state')] : []
    );
    return states.find(state => '_esm' in state)!;
  }

  test('a widget is opened with its module and state, changed, observed and shown', async () => {
    const { messages, stdout } = await kernel.execute(`
      import { widget } from 'jsr:@anywidget/deno';
      const model = widget({
        state: { letters: 'a', count: 1 },
        imports: 'import * as d3 from "https://esm.sh/d3";',
        render: async ({ model, el }) => { await 0; el.textContent = model.get('letters'); }
      });
      model.on('change:letters', () => console.log('changed to', model.get('letters')));
      model.set('letters', 'b');
      model.set('count', 2);
      model`);
    const state = opened(messages);
    expect(state).toMatchObject({
      letters: 'a',
      count: 1,
      _esm: expect.stringContaining('https://esm.sh/d3') as string
    });
    expect(stdout).toBe('changed to b\n');
    const views = messages.map(({ content }) =>
      field(content, 'data', 'application/vnd.jupyter.widget-view+json')
    );
    expect(views.filter(view => view !== undefined)).toHaveLength(1);
    await expect(drawn(state['_esm']!.replace(/^import.*$/m, ''))).resolves.toBe('b');
  });

  /** What the render function of a module draws for the letters `b`. */
  async function drawn(esm: string): Promise<string> {
    const module = runInThisContext(`(() => { ${esm.replace('export default', 'return')} })()`) as Page;
    const el = { textContent: '' };
    await module.render({ model: { get: () => 'b' }, el });
    return el.textContent;
  }

  test.each([
    ['a method', 'render({ model, el }) { el.textContent = model.get() }'],
    ['an async method', 'async render({ model, el }) { await 0; el.textContent = model.get() }'],
    ['a function', 'render: function ({ model, el }) { el.textContent = model.get() }'],
    ['a function of one name', 'render: page => { page.el.textContent = page.model.get() }']
  ])('render may be %s', async (_kind, render) => {
    const { messages } = await kernel.execute(`widget({ state: {}, ${render} });`);
    const state = opened(messages);
    await expect(drawn(state['_esm']!)).resolves.toBe('b');
  });
});
