import { jest } from '@jest/globals';
import { stripVTControlCharacters } from 'node:util';
import { field, plain, type Content } from '../client.ts';
import { kernel, withKernel } from '../one-kernel.ts';

// The machine may be busy.
jest.setTimeout(60_000);

withKernel('tcp', { STRIDELAB_TYPES: 'strict', STRIDELAB_TYPES_DEADLINE: '60000' });
beforeAll(async () => {
  for (const code of [
    `/** A place. {@link Shape} */ interface Point { across: number; down?: string }
       const point: Point = { across: 1 }; let counter = 1; const any: any = { live: 1 };
       /** Adds a label.
        * @param point where
        * @param text what
        * @returns the text
        * @deprecated use {@link Shape} */
       function label(point: Point, text: string): string; function label(point: Point): string;
       function label(point: Point, text = '') { return text }
       class Shape { #hidden = 1; area = 1; scale(by: number) { return by } }
       enum Color { Red, Green }`,
    'declare global { interface Array<T> { third(): T } }',
    "import * as os from 'node:os'"
  ]) {
    expect((await kernel.execute(code)).reply['status']).toBe('ok');
  }
});

test.each([
  ['const wide: string = 1', ['TS2322']],
  ['point.nowhere; label(1)', ['TS2339', 'TS2345']],
  ['counter = "x"; point = point; Color = 1', ['TS2322', 'TS2588', 'TS2628']],
  ["os.cpus(1); import gone from 'gone'", ['TS2554', 'TS2307']],
  ['const n: number = point.down.length; new Shape().hidden', ['TS18048', 'TS2339']],
  ['[1].third().toFixed(2, 3); missing', ['TS2554', 'TS2304']],
  ['function implicit(a) { return a }; const x: Point = {}', ['TS2741']],
  ['point.acros; "text".lenght', ['TS2551', 'TS2551']],
  ['type T = { a: T["b"] }; abstract class A { abstract m(): void } new A()', ['TS2339', 'TS2511']],
  ['const s = { a: 1 } satisfies { a: string }; s.a = "x"', ['TS2322', 'TS2322']]
])('the errors in %s are %s', async (code, expected) => {
  const { messages } = await kernel.execute(code);
  const error = messages.find(({ type }) => type === 'error');
  const found = field<Content[]>(
    error?.metadata,
    'application/vnd.stridelab.diagnostics+json',
    'diagnostics'
  );
  expect(found.map(diagnostic => diagnostic['code'])).toEqual(expected);
});

/** The bar marks the cursor. */
function ask(type: string, marked: string): Promise<Content> {
  const cursor = [...marked.slice(0, marked.indexOf('|'))].length;
  return kernel.request(type, { code: marked.replace('|', ''), cursor_pos: cursor, detail_level: 1 });
}

test.each([
  ['point.|', 'across'],
  ['new Shape().|', 'scale'],
  ['Color.|', 'Green'],
  ['os.cp|', 'cpus'],
  ['any.|', 'live'],
  ['[1].thi|', 'third'],
  ['let p: Poi|', 'Point'],
  ['point.down.|', 'length'],
  ["import { cpus } from 'node:o|'", 'node:os'],
  ['const q: Point = { | }', 'across']
])('%s is completed with %s', async (code, expected) => {
  const reply = await ask('complete_request', code);
  expect(reply['matches']).toContain(expected);
});

test.each([
  ['poi|nt', 'const point: Point'],
  ['parseIn|t()', 'function parseInt(string: string, radix?: number): number'],
  ['Sha|pe', 'class Shape'],
  ['counter|', 'let counter: number'],
  ['new Shape().scale|', 'Shape.scale(by: number): number'],
  ['os.cpus|()', 'cpus(): os.CpuInfo[]'],
  ['label(point, |', 'label(point: Point, text: string): string'],
  ['Color.Red|', 'Color.Red'],
  ['let p: Poi|nt', 'interface Point'],
  ['any|', 'any: any']
])('%s is described as %s', async (code, expected) => {
  const { found, data } = await ask('inspect_request', code);
  expect(found).toBe(true);
  expect(stripVTControlCharacters(plain(field(data, 'text/plain'))!)).toContain(expected);
});
