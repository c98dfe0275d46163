import { jest } from '@jest/globals';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { field, plain, type Content } from '../client.ts';
import { kernel, withKernel } from '../one-kernel.ts';

// The machine may be busy.
jest.setTimeout(60_000);

withKernel();
beforeAll(async () => {
  await kernel.execute('%types off');
  await kernel.execute(`
    /** Adds a label.
     *
     * @param text what it says, see {@link Shape}
     * @deprecated use \`Shape\`
     */
    function label(at: number, text: string): string;
    function label(at: bigint): string;
    function label(at: unknown, text = '') { return text }
    class Shape { area = 1; get trap(): string { throw new Error('called') } scale(by: number): this { return this } }
    const shape = new Shape();
    let maybe: { inner?: { deep: number } } = {};
    const loaded: any = JSON.parse('{"first": {"second": [{"third key": 1, "plain": 2}]}}');
    const trapped: any = { get get() { throw new Error('called') }, set: 1, nested: shape };
    let proxied: any = new Proxy({}, { ownKeys() { throw new Error('called') }, getPrototypeOf() { throw new Error('called') } });
    const list: any = Array.from({ length: 5 }, () => ({ element: 1 }));
    const options = { mode: 'fast' } as { mode: 'fast' | 'slow' };
    function choose(mode: 'fast' | 'slow', count: number) {}`);
});

/** The bar marks the cursor. */
function ask(type: string, marked: string, detail = 0): Promise<Content> {
  const cursor = [...marked.slice(0, marked.indexOf('|'))].length;
  return kernel.request(type, { code: marked.replace('|', ''), cursor_pos: cursor, detail_level: detail });
}
const matches = async (marked: string): Promise<string[]> =>
  (await ask('complete_request', marked))['matches'] as string[];

test('completions have kinds and signatures', async () => {
  const reply = await ask('complete_request', 'shape.|');
  expect(field(reply, 'metadata', '_jupyter_types_experimental')).toEqual(
    expect.arrayContaining([
      { text: 'area', type: 'field', signature: 'number', start: 6, end: 6 },
      { text: 'scale', type: 'method', signature: '(by: number): Shape', start: 6, end: 6 }
    ])
  );
});

test.each([
  ['loaded.|', ['first']],
  ['loaded.first.sec|', ['second']],
  ['loaded?.first.second[0].|', ['plain']],
  ["loaded['first'].second[0]['|", ['third key', 'plain']],
  ['trapped.|', ['get', 'set', 'nested']],
  ['trapped.nested.|', ['area', 'scale', 'trap']],
  ['list[0].|', ['element']],
  ['list.|', ['map', 'length']],
  ['const more = 1; loaded.|', ['first']]
])('members of live values: %s', async (marked, expected) => {
  expect(await matches(marked)).toEqual(expect.arrayContaining(expected));
});

test.each([
  ['a getter stands in the way', 'trapped.get.|'],
  ['a proxy', 'proxied.|'],
  ['a parameter of that name', '(loaded: any) => { loaded.| }'],
  ['no such variable', 'nowhere.|']
])('no live members: %s', async (_, marked) => {
  expect(await matches(marked)).toEqual([]);
});

test.each([
  ["choose('|", ['fast', 'slow']],
  ["options.mode === '|'", ['fast', 'slow']],
  ["import { readF| } from 'node:fs'", ['readFile', 'readFileSync']],
  ["import { readFile } from 'node:f|'", ['node:fs']],
  ["import { a } from './hel|'", ['helper']],
  ['maybe.inner.|', ['deep']],
  ["import { aran| } from 'stridelab'", ['arange']],
  ["import { display as show } from 'stridelab/notebook'; sho|", ['show']],
  ['displ|', ['display']],
  ["const point = 'x'; point.toUpp|", ['toUpperCase']]
])('completes %s', async (marked, expected) => {
  writeFileSync(join(kernel.folder, 'helper.ts'), 'export const a = 1');
  expect(await matches(marked)).toEqual(expect.arrayContaining(expected));
});

test('names of the library are offered where names are allowed, with their module', async () => {
  const reply = await ask('complete_request', 'const a = 1; aran|');
  expect(field(reply, 'metadata', '_jupyter_types_experimental')).toEqual([
    { text: 'arange', type: 'reference', signature: "from 'stridelab'", start: 13, end: 17 }
  ]);
  expect(await matches("import { arange } from 'stridelab'; aran|")).toEqual(['arange']);
  for (const code of ["'aran|'", 'shape.aran|', 'loaded.aran|']) expect(await matches(code)).toEqual([]);
});

test('attributes of elements are completed', async () => {
  const component =
    'function Card(props: { heading: string; level?: number }) { return <b>{props.heading}</b> }\n';
  expect(await matches(`${component}<Card |/>`)).toEqual(expect.arrayContaining(['heading', 'level']));
  expect(await matches(`${component}<Card head|/>`)).toEqual(['heading']);
});

test('hover shows documentation, tags and deprecation, and nothing of how cells are put together', async () => {
  const { data } = await ask('inspect_request', 'lab|el');
  const text = plain(field(data, 'text/plain'))!;
  expect(text).toContain('function label(at: number, text: string): string');
  expect(text).toContain('Adds a label.');
  expect(text).toMatch(/@param.*text.*what it says, see `Shape`/);
  expect(text).toMatch(/@deprecated.*use `Shape`/);
  const markdown = field<string>(data, 'text/markdown');
  expect(markdown).toContain('```typescript\nfunction label');
  expect(markdown).not.toMatch(/alias|import|file:|__stridelab/);
});

test('the signature marks the current parameter, and lists the overloads', async () => {
  const first = field<Content>(await ask('inspect_request', 'label(|'), 'data');
  expect(first['text/markdown']).toContain('label(**at: number**, text: string): string');
  expect(first['text/markdown']).toContain('1 more overload:\n\n```typescript\nlabel(at: bigint): string');
  const second = field<Content>(await ask('inspect_request', 'label(1, |'), 'data');
  expect(second['text/markdown']).toContain('label(at: number, **text: string**): string');
  expect(second['text/plain']).toContain('\x1b[1mtext: string\x1b[22m');
  expect(second['text/plain']).toContain('what it says');
});

test('detail 1 shows the source of a declaration, or its location', async () => {
  const shown = async (marked: string): Promise<string> =>
    plain(field(await ask('inspect_request', marked, 1), 'data', 'text/plain'))!;
  expect(await shown('sha|pe')).toContain('an earlier cell, line 11\n\nconst shape = new Shape();');
  expect(await shown('may|be')).toContain('let maybe: { inner?: { deep: number } } = {}');
  expect(await shown('const here = 1; he|re')).toContain('this cell, line 1');
  expect(await shown('Math.ma|x()')).toMatch(/Defined in .*lib.*d\.ts, line \d+/);
  const { data } = await ask('inspect_request', 'sha|pe', 0);
  expect(field(data, 'text/plain')).not.toContain('Defined in');
});

test('files and packages of the folder have their types, also after a change', async () => {
  const file = join(kernel.folder, 'changing.ts');
  writeFileSync(file, "import { inner } from './inner.js'; export const thing = { one: 1, ...inner }");
  writeFileSync(join(kernel.folder, 'inner.ts'), 'export const inner = { two: 2 }');
  const code = "import { thing } from './changing'; thing.|";
  expect(await matches(code)).toEqual(['one', 'two']);
  writeFileSync(join(kernel.folder, 'inner.ts'), 'export const inner = { second: 2 }');
  expect(await matches(code)).toEqual(['one', 'second']);
  writeFileSync(file, 'export const thing = { alone: 1 }');
  expect(await matches(code)).toEqual(['alone']);
  rmSync(file);
  expect(await matches(code)).toEqual([]);
  writeFileSync(file, 'export const thing = { back: 1 }');
  expect(await matches(code)).toEqual(['back']);

  const packaged = "import { made } from 'a-package'; made.|";
  expect(await matches(packaged)).toEqual([]);
  const folder = join(kernel.folder, 'node_modules/a-package');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"name": "a-package", "types": "index.d.ts"}');
  writeFileSync(join(folder, 'index.d.ts'), 'export const made: { member: 1 }');
  writeFileSync(join(kernel.folder, 'node_modules/.package-lock.json'), '{}');
  expect(await matches(packaged)).toEqual(['member']);
});

test('everything is answered while a cell is in a busy loop', async () => {
  const questions = async (): Promise<void> => {
    for (let count = 0; count < 10; count++) {
      expect(await matches(`shape.${'a'.repeat(count && 1)}|`)).toContain('area');
      expect((await ask('inspect_request', 'label(1, |'))['found']).toBe(true);
      expect((await ask('inspect_request', 'shap|e'))['found']).toBe(true);
    }
  };
  await questions();
  // Only the interrupt ends it: a kernel that waited for the cell would never reply.
  const id = kernel.startExecution('while (true) {}');
  await kernel.published(({ type, parentId }) => type === 'execute_input' && parentId === id);
  await questions();
  await kernel.request('interrupt_request', {}, 'control');
  await kernel.finish(id);
  expect(await matches('loaded.|')).toEqual(['first']);
});
