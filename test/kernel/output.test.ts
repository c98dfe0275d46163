import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { field, plain, WITHOUT_TYPES, type Content, type Execution, type Message } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';

withKernel('tcp', WITHOUT_TYPES);

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA2iEnWAAAAEElEQVR42mNkYPjPAAJMEAoADwgBBdwkh5AAAAAASUVORK5CYII=';

const OUTPUTS = ['stream', 'display_data', 'update_display_data', 'execute_result', 'clear_output', 'error'];

const outputs = ({ messages }: Execution): Message[] => messages.filter(({ type }) => OUTPUTS.includes(type));
const types = (execution: Execution): string[] => outputs(execution).map(({ type }) => type);
const dataOf = (message: Message | undefined): Content => field(message, 'content', 'data');
const firstData = (execution: Execution): Content => dataOf(outputs(execution)[0]);
const text = (data: Content): string | undefined => plain(field(data, 'text/plain'));

describe('display', () => {
  test('shows in order with prints, and ends a cell without a result', async () => {
    const execution = await kernel.execute('console.log(1); display({ a: 2 }); console.log(3); display(4)');
    expect(types(execution)).toEqual(['stream', 'display_data', 'stream', 'display_data']);
    expect(outputs(execution).map(message => text(dataOf(message) ?? {}))).toEqual([
      undefined,
      '{ a: 2 }',
      undefined,
      '4'
    ]);
  });

  test('is updated by its handle, also from a later cell, under one id', async () => {
    const first = await kernel.execute("const shown = display('a'); shown.update('b'); shown.displayId");
    const [shown, updated] = outputs(first);
    const id = field<string>(shown, 'content', 'transient', 'display_id');
    expect(first.result).toBe(`'${id}'`);
    expect([updated!.type, field(updated, 'content', 'transient', 'display_id')]).toEqual([
      'update_display_data',
      id
    ]);
    const second = await kernel.execute("await shown.update({ 'text/html': '<i>c</i>' }, { raw: true })");
    expect(types(second)).toEqual(['update_display_data']);
    expect(firstData(second)).toEqual({ 'text/html': '<i>c</i>' });
  });

  test('accepts bundles, metadata and ids, and refuses invalid ones', async () => {
    const execution = await kernel.execute(
      "display({ 'image/png': Buffer.from('x'), 'text/plain': ['a', 'b'] }, { raw: true, displayId: 'mine', metadata: { 'image/png': { width: 5 } } });"
    );
    expect(outputs(execution)[0]!.content).toEqual({
      data: { 'image/png': 'eA==', 'text/plain': 'ab' },
      metadata: { 'image/png': { width: 5 } },
      transient: { display_id: 'mine' }
    });
    for (const [code, message] of [
      ['display(5, { raw: true })', 'A MIME bundle is an object'],
      ["display({ html: '' }, { raw: true })", '"html" is not a MIME type'],
      ["display({ 'text/html': 5 }, { raw: true })", 'The content of text/html is text or bytes'],
      [
        "const loop = {}; loop.loop = loop; display({ 'application/json': loop }, { raw: true })",
        'cannot be written as JSON'
      ],
      ['display(1, { update: true })', 'needs the displayId']
    ])
      expect((await kernel.execute(code!)).reply).toMatchObject({
        ename: 'TypeError',
        evalue: expect.stringContaining(message!) as unknown
      });
  });

  test('an asynchronous rendering belongs to its cell, which ends after it', async () => {
    const execution = await kernel.execute(`
      const slow = { async [Symbol.for('Jupyter.display')]() {
        await new Promise(resolve => setTimeout(resolve, 60));
        return { 'text/html': 'late' };
      } };
      display(slow);
      console.log('before');`);
    expect(types(execution)).toEqual(['stream', 'display_data']);
    expect(dataOf(outputs(execution)[1])['text/html']).toBe('late');
  });

  test('clearOutput clears, immediately or with the next output', async () => {
    const execution = await kernel.execute("console.log('x'); clearOutput(); clearOutput({ wait: true }); 1");
    expect(outputs(execution).map(({ content }) => content['wait'])).toEqual([
      undefined,
      false,
      true,
      undefined
    ]);
  });
});

describe('a display method', () => {
  const method = (body: string): string => `class Own { [Symbol.for('Jupyter.display')]() { ${body} } }\n`;

  test.each([
    ["throw new RangeError('no')", /Own is shown as text: .* RangeError: no\n {4}at .*Cell \[\d+\]:1:/],
    ['return 5', /not a value of the type number/],
    ["return { 'text/html': {} }", /The content of text\/html/],
    ["return Promise.reject(new Error('later'))", /Error: later/],
    ['throw null', /failed with null/]
  ])('that fails (%s) is reported on stderr, and the text is shown', async (body, told) => {
    for (const use of ['new Own()', 'display(new Own())']) {
      const execution = await kernel.execute(method(body) + use);
      expect(execution.reply['status']).toBe('ok');
      expect(text(firstData(execution))).toBe('Own {}');
      expect(execution.stderr).toMatch(told);
    }
  });

  test('returns metadata with its bundle, or nothing', async () => {
    const pair = await kernel.execute(
      method("return [{ 'text/html': 'h' }, { 'text/html': { isolated: true } }]") + 'new Own()'
    );
    expect(outputs(pair)[0]!.content['metadata']).toEqual({ 'text/html': { isolated: true } });
    expect(types(await kernel.execute(method('return {}') + 'new Own()'))).toEqual([]);
  });
});

describe('values that display themselves', () => {
  const shown = async (code: string): Promise<Content> => firstData(await kernel.execute(code));

  test('html, md and svg, as tags with escaped values and as functions', async () => {
    expect(
      await shown('html`<b title="${`"`}">${"<i>"}${html`<u>${[1, null, false, "&"]}</u>`}</b>`')
    ).toMatchObject({
      'text/html': '<b title="&quot;">&lt;i&gt;<u>1&amp;</u></b>'
    });
    expect(await shown("html('<b>')")).toMatchObject({ 'text/html': '<b>' });
    expect(await shown('md`\n    # ${1 + 1}\n      x`')).toMatchObject({ 'text/markdown': '# 2\n  x' });
    expect(await shown('svg`<svg width="1"/>`')).toMatchObject({
      'image/svg+xml': '<svg xmlns="http://www.w3.org/2000/svg" width="1"/>'
    });
    expect(await shown('html`${table([{ a: 1 }])}`')).toMatchObject({
      'text/html': expect.stringContaining('<table>') as unknown
    });
  });

  test('pictures from bytes, files, data URLs and blobs, recognized by their first bytes', async () => {
    writeFileSync(join(kernel.folder, 'dot.png'), Buffer.from(PNG, 'base64'));
    const sources = [
      `Buffer.from('${PNG}', 'base64')`,
      `new Uint8Array(Buffer.from('${PNG}', 'base64'))`,
      "image('dot.png')",
      "image(new URL('file://' + process.cwd() + '/dot.png'))",
      `image('data:image/png;base64,${PNG}')`,
      `image(new Blob([Buffer.from('${PNG}', 'base64')]))`,
      `({ ...canvas, toDataURL: () => 'data:image/png;base64,${PNG}' })`,
      `({ ...canvas, toDataURL: async () => 'data:image/png;base64,${PNG}' })`,
      // Charts of Chart.js, images of sharp and of Jimp.
      `({ canvas, config: {}, toBase64Image: () => 'data:image/png;base64,${PNG}' })`,
      `({ metadata() {}, png() { return this }, clone() { return this }, toBuffer: async () => Buffer.from('${PNG}', 'base64') })`,
      `({ bitmap: {}, getPixelColor() {}, getBuffer: async type => type === 'image/png' && Buffer.from('${PNG}', 'base64') })`
    ];
    await kernel.execute('const canvas = { getContext() {}, width: 2, height: 3 };');
    for (const source of sources) expect(await shown(source)).toMatchObject({ 'image/png': PNG });
    const sized = await kernel.execute("image('dot.png', { height: 6 })");
    expect(outputs(sized)[0]!.content['metadata']).toEqual({ 'image/png': { width: 4, height: 6 } });
    expect(text(firstData(sized))).toBe('[PNG image, 2 × 3, 74 bytes]');
    expect((await kernel.execute("image('nowhere.png')")).reply['evalue']).toContain('nowhere.png');
    expect((await kernel.execute('image(new Uint8Array([1, 2]))')).stderr).toContain(
      'begins with the bytes 0102'
    );
  });

  test('charts, elements, trees of JSON, LaTeX, JavaScript', async () => {
    const lite = 'https://vega.github.io/schema/vega-lite/v5.json';
    expect(await shown(`({ $schema: '${lite}', mark: 'bar' })`)).toHaveProperty([
      'application/vnd.vegalite.v5+json'
    ]);
    expect(await shown(`({ toSpec: () => ({ $schema: '${lite}' }) })`)).toHaveProperty([
      'application/vnd.vegalite.v5+json'
    ]);
    expect(await shown("({ outerHTML: '<svg></svg>' })")).toHaveProperty(['image/svg+xml']);
    // A view of Vega and a chart of ECharts.
    for (const chart of [
      "({ runAsync() {}, signal() {}, toSVG: async () => '<svg/>' })",
      "({ setOption() {}, getZr() {}, renderToSVGString: () => '<svg />' })"
    ])
      expect(await shown(chart)).toMatchObject({
        'image/svg+xml': expect.stringMatching(/^<svg ?\/>$/) as string
      });
    expect(await shown("({ outerHTML: '<p>x</p>' })")).toHaveProperty(['text/html'], '<p>x</p>');
    const { json, latex, vega, javascript } = {
      json: "(await import('stridelab/notebook')).json({ a: [1] }, { expanded: true })",
      latex: "(await import('stridelab/notebook')).latex('x^2')",
      vega: "(await import('stridelab/notebook')).vega({ marks: [] })",
      javascript: "(await import('stridelab/notebook')).javascript('1')"
    };
    expect(await shown(json)).toMatchObject({ 'application/json': { a: [1] } });
    expect(await shown(latex)).toMatchObject({ 'text/latex': '$$x^2$$' });
    expect(await shown(vega)).toHaveProperty(['application/vnd.vega.v5+json']);
    expect(await shown(javascript)).toMatchObject({ 'application/javascript': '1' });
  });

  test('a tensor that could draw itself is no canvas, and a picture that cannot be drawn is text with the reason', async () => {
    expect(Object.keys(await shown("({ dims: [2, 2], toDataURL() { throw new Error('never') } })"))).toEqual([
      'text/plain'
    ]);
    const chart = await kernel.execute(
      "({ setOption() {}, getZr() {}, renderToSVGString() { throw new Error('not the SVG renderer') } })"
    );
    expect(chart.stderr).toContain('not the SVG renderer');
    expect(outputs(chart).map(message => Object.keys(dataOf(message) ?? {}))).toContainEqual(['text/plain']);
    const wrong = await kernel.execute(
      "({ getContext() {}, width: 1, height: 1, toDataURL: () => 'data:,' })"
    );
    expect(wrong.stderr).toContain('no base64 data URL');
  });

  test('errors as values, with their position in the cell', async () => {
    const { result, reply } = await kernel.execute("const failure = new TypeError('kept');\nfailure");
    expect(reply['status']).toBe('ok');
    expect(result).toMatch(/^TypeError: kept\n {4}at Cell \[\d+\]:1:17/);
  });

  test.each([
    ['const round = {}; round.self = round; round', /Circular/],
    ['const held = Proxy.revocable({}, {}); held.revoke(); held.proxy', /^<Revoked Proxy>$/],
    ["({ get a() { throw new Error('never') } })", /^{ a: \[Getter\] }$/],
    ["({ get [Symbol.for('Jupyter.display')]() { throw new Error('got') } })", /Jupyter\.display/],
    ["'x'.repeat(1e7)", /more characters$/],
    ['Object.fromEntries(Array.from({ length: 1e5 }, (_, i) => [`k${i}`, i]))', /99,000 more properties\n}$/],
    [
      'Array.from({ length: 90 }, () => Array.from({ length: 90 }, () => "y".repeat(90)))',
      /more characters$/
    ],
    [
      'JSON.parse(JSON.stringify({ items: [{ id: 1, owner: { name: "A", tags: [{ name: "x" }] } }] }))',
      /^{\n {2}items: \[\n {4}{\n {6}id: 1,\n {6}owner: { name: 'A', tags: \[ { name: 'x' } \] }\n {4}}\n {2}\]\n}$/
    ],
    [
      "({ [Symbol.for('nodejs.util.inspect.custom')]() { throw new Error('bad') } })",
      /\(inspection failed: Error: bad/
    ],
    ['new Proxy({}, { has() { throw 1 } })', /^{}$/]
  ])('%s is bounded text', async (code, expected) => {
    const { result, reply } = await kernel.execute(code);
    expect(reply['status']).toBe('ok');
    expect(result).toMatch(expected);
    expect(result!.length).toBeLessThan(110_000);
  });
});

describe('console', () => {
  const raw = (execution: Execution): string =>
    outputs(execution)
      .filter(({ type }) => type === 'stream')
      .map(({ content }) => content['text'])
      .join('');

  test('has colours, %c, groups, counts, times and assertions', async () => {
    expect(raw(await kernel.execute('console.log({ a: 1 })'))).toBe('{ a: \x1b[33m1\x1b[39m }\n');
    const css = "console.log('%chot%c cold %s', 'color: red; font-weight: bold', 'background: #0a0', 'x')";
    expect(raw(await kernel.execute(css))).toBe(
      '\x1b[31m\x1b[1mhot\x1b[0m\x1b[48;2;0;170;0m cold x\x1b[0m\n'
    );
    const { stdout, stderr } = await kernel.execute(`
      console.group('g'); console.info('in'); console.groupEnd();
      console.count(); console.count(); console.dir({ deep: { deep: { deep: { x: 1 } } } }, { depth: 0 });
      console.time('t'); console.timeEnd('t');
      console.assert(1 > 2, 'wrong'); console.warn('w'); console.error('e'); console.debug('d %d%%', 5);`);
    expect(stdout).toMatch(/^g\n {2}in\ndefault: 1\ndefault: 2\n{ deep: \[Object\] }\nt: [\d.]+ms\nd 5%\n$/);
    expect(stderr).toBe('Assertion failed: wrong\nw\ne\n');
  });

  test('table is drawn by the page and aligned as text', async () => {
    const data = firstData(await kernel.execute("console.table([{ a: 1, b: 'x' }, { a: 20 }], ['b', 'a'])"));
    expect(data['text/html']).toMatch(/<thead>.*b<.*a<.*text-align: right">20</);
    expect(data['text/plain']).toBe('   b   a\n─  ─  ──\n0  x   1\n1     20');
    expect((await kernel.execute('console.table(5)')).stdout).toBe('5\n');
  });

  test('trace shows the frames of the cell', async () => {
    const { stderr } = await kernel.execute(
      "function inner() {\n  console.trace('here %d', 1);\n}\ninner();"
    );
    expect(stderr).toMatch(/^Trace: here 1\n {4}at inner \(Cell \[\d+\]:2:11\)\n {4}at Cell \[\d+\]:4:1\n$/);
  });
});

describe('capture', () => {
  const use = "const { capture } = await import('stridelab/notebook');\n";

  test('returns printed and displayed output, and shows nothing of it', async () => {
    const execution = await kernel.execute(`${use}
      const { stdout, stderr, displays, value } = await capture(async () => {
        console.log('out'); console.error('err'); display(html('<b>'));
        await 0;
        const inner = await capture(() => console.log('inner'));
        console.log(inner.stdout === 'inner\\n');
        return 7;
      });
      console.log(JSON.stringify([stdout, stderr, displays.map(({ data }) => data['text/html']), value]));`);
    expect(types(execution)).toEqual(['stream']);
    expect(JSON.parse(execution.stdout)).toEqual([
      'out\ntrue\n'.replace('true', '\x1b[33mtrue\x1b[39m'),
      'err\n',
      ['<b>'],
      7
    ]);
  });

  test('of code that fails shows it after all; output after the end belongs to the cell', async () => {
    const { stdout, reply } = await kernel.execute(`${use}
      await capture(() => { setTimeout(() => console.log('late'), 1); });
      await new Promise(resolve => setTimeout(resolve, 20));
      await capture(() => { console.log('kept'); throw new Error('x'); });`);
    expect(stdout).toBe('late\nkept\n');
    expect(reply['evalue']).toBe('x');
  });
});

describe('progress', () => {
  test('is one display, drawn at most ten times a second, and always at its end', async () => {
    const began = performance.now();
    const execution = await kernel.execute(`
      const items = Array.from({ length: 2_000 }, (_, i) => i);
      for (const item of progress(items, { description: 'work' })) if (item === 1_000) console.log('half');`);
    const seconds = (performance.now() - began) / 1_000;
    const shown = outputs(execution);
    expect(shown.filter(({ type }) => type === 'display_data')).toHaveLength(1);
    const last = shown.filter(({ type }) => type === 'update_display_data').at(-1);
    expect(text(dataOf(last))).toMatch(/^work █+ 100 % · 2,000\/2,000/);
    expect(dataOf(last)['text/html']).toContain('<progress max="2000" value="2000"');
    expect(shown.length).toBeLessThan(10 + 10 * seconds);
    expect(execution.stdout).toBe('half\n');
  });

  test('follows async iterables, manual steps and nesting, and shows when it was stopped', async () => {
    const execution = await kernel.execute(`
      async function* source() { yield 1; yield 2; }
      for await (const _ of progress(source())) for (const _ of progress(new Set(['a']))) ;
      { using bar = progress({ total: 4, description: '<x>' }); bar.tick(); bar.tick(2); }
      for (const _ of progress([1, 2, 3])) break;`);
    const ends = new Map<string, string>();
    for (const message of outputs(execution))
      ends.set(field(message, 'content', 'transient', 'display_id'), text(dataOf(message))!);
    expect([...ends.values()].map(line => line.replace(/ · [\d,.]+\/s/, ''))).toEqual([
      expect.stringMatching(/^2 · /),
      expect.stringMatching(/100 % · 1\/1/),
      expect.stringMatching(/100 % · 1\/1/),
      expect.stringMatching(/^<x> .* 75 % · 3\/4 · .* stopped$/),
      expect.stringMatching(/ 0 % · 0\/3 · .* stopped$/)
    ]);
    expect(outputs(execution).some(message => String(dataOf(message)['text/html']).includes('<x>'))).toBe(
      false
    );
  });
});

test("Deno's interface works under its names", async () => {
  const execution = await kernel.execute(`
    import { jupyter } from 'stridelab/notebook';
    await jupyter.display({ 'text/html': 'h' }, { raw: true, display_id: 'd' });
    await jupyter.display(1, { update: true, display_id: 'd' });
    await jupyter.broadcast('clear_output', { wait: true });
    (await jupyter.format(jupyter.md\`x\`))['text/markdown']`);
  expect(types(execution)).toEqual(['display_data', 'update_display_data', 'clear_output', 'execute_result']);
  expect(execution.result).toBe("'x'");
});
