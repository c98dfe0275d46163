import { field, plain, type Content } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';

withKernel();
beforeAll(async () => {
  await kernel.execute(`
    interface Point { across: number; down: string }
    const point: Point = { across: 1, down: 'd' };
    let counter = 1;
    /** Adds a label. */ function label(point: Point, text: string) { return text }
    class Shape { area = 1 }`);
});

/** The bar marks the cursor. */
function ask(type: string, marked: string): Promise<Content> {
  const cursor = [...marked.slice(0, marked.indexOf('|'))].length;
  return kernel.request(type, { code: marked.replace('|', ''), cursor_pos: cursor, detail_level: 0 });
}

test.each([
  ['point.|', ['across', 'down'], 6, 6],
  ['point.ac|', ['across'], 6, 8],
  ["'😀😀'; point.do|", ['down'], 12, 14],
  ['new Shape().|', ['area'], 12, 12],
  ['let p: Poi|', ['Point'], 7, 10],
  ['const mine = { q: 1 };\nmine.|', ['q'], 28, 28],
  ["import * as fs from 'node:f|'", ['node:fs', 'node:fs/promises'], 21, 27]
])('completes %s', async (code, matches, start, end) => {
  const reply = await ask('complete_request', code);
  expect(reply).toMatchObject({ status: 'ok', cursor_start: start, cursor_end: end });
  expect(reply['matches']).toEqual(expect.arrayContaining(matches));
  expect(field(reply, 'metadata', '_jupyter_types_experimental', 0)).toMatchObject({
    start,
    end,
    type: expect.any(String) as unknown
  });
});

test('completes names of the cell and of earlier cells', async () => {
  const { matches } = await ask('complete_request', 'const countless = 1; count|');
  expect((matches as string[]).slice(0, 2)).toEqual(['counter', 'countless']);
});

test('uses the newest type of a name', async () => {
  await kernel.execute('const twice = 1');
  await kernel.execute("const twice = 'text'");
  expect((await ask('complete_request', 'twice.toUpper|'))['matches']).toEqual(['toUpperCase']);
  expect((await ask('complete_request', 'twice.toFix|'))['matches']).toEqual([]);
});

test.each([
  ['la|bel', 'function label(point: Point, text: string): string'],
  ['counter|', 'let counter: number'],
  ['const tag = <b>{coun|ter}</b>;', 'let counter: number'],
  ['<b/>;\nconst element| = <i/>', 'const element: JsxElement'],
  ['Math.max|(1)', 'Math.max'],
  ['label(point, |', 'label(point: Point, text: string): string']
])('inspects %s', async (code, text) => {
  const { found, data } = await ask('inspect_request', code);
  expect(found).toBe(true);
  expect(plain(field(data, 'text/plain'))).toContain(text);
  expect(plain(field(data, 'text/plain'))).not.toMatch(/```|alias|import /);
  expect(field<string>(data, 'text/markdown')).not.toBe('');
});

test('returns nothing for an unknown name', async () => {
  expect(await ask('inspect_request', 'nowhere|')).toMatchObject({ status: 'ok', found: false, data: {} });
});

test('answers while a cell is in a busy loop', async () => {
  // Only the interrupt ends it: a kernel that waited for the cell would never reply.
  const id = kernel.startExecution('while (true) {}');
  await kernel.published(({ type, parentId }) => type === 'execute_input' && parentId === id);
  expect((await ask('complete_request', 'point.acr|'))['matches']).toEqual(['across']);
  expect((await ask('inspect_request', 'counter|'))['found']).toBe(true);
  await kernel.request('interrupt_request', {}, 'control');
  await kernel.finish(id);
});

test('forgets names that were lost with the executor', async () => {
  await kernel.execute('process.exit()');
  expect((await ask('complete_request', 'point.|'))['matches']).not.toContain('across');
});
