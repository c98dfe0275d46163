import { jest } from '@jest/globals';
import { field, KernelClient, plain, type Content } from '../client.ts';

// The machine may be busy.
jest.setTimeout(60_000);

/** The same notebook in two kernels, whose cells TypeScript 7 checks in one and TypeScript 6 in the other. */
let kernels: readonly KernelClient[];

async function start(typescript: string): Promise<KernelClient> {
  process.env['STRIDELAB_TYPESCRIPT'] = typescript;
  process.env['STRIDELAB_TYPES'] = 'strict';
  process.env['STRIDELAB_TYPES_DEADLINE'] = '60000';
  try {
    return await KernelClient.start();
  } finally {
    for (const name of ['STRIDELAB_TYPESCRIPT', 'STRIDELAB_TYPES', 'STRIDELAB_TYPES_DEADLINE'])
      delete process.env[name];
  }
}

beforeAll(async () => {
  kernels = [await start('7'), await start('6')];
  for (const kernel of kernels) {
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
  }
});
afterAll(() => Promise.all(kernels.map(kernel => kernel.close())));

async function both<Answer>(question: (kernel: KernelClient) => Promise<Answer>): Promise<Answer> {
  const [native, classic] = await Promise.all(kernels.map(question));
  expect(classic).toEqual(native);
  return native!;
}

test.each([
  ['const wide: string = 1', ['TS2322']],
  ['point.nowhere; label(1)', ['TS2339', 'TS2345']],
  ['counter = "x"; point = point; Color = 1', ['TS2322', 'TS2588', 'TS2628']],
  ["os.cpus(1); import gone from 'gone'", ['TS2554', 'TS2307']],
  ['point.down.length; new Shape().hidden', ['TS18048', 'TS2339']],
  ['[1].third().toFixed(2, 3); missing', ['TS2554', 'TS2304']],
  ['function implicit(a) { return a }; const x: Point = {}', ['TS7006', 'TS2741']],
  ['type T = { a: T["b"] }; abstract class A { abstract m(): void } new A()', ['TS2339', 'TS2511']],
  ['const s = { a: 1 } satisfies { a: string }; s.a = "x"', ['TS2322', 'TS2322']]
])('both find the same in %s', async (code, expected) => {
  const found = await both(async kernel => {
    const { messages } = await kernel.execute(code);
    const error = messages.find(({ type }) => type === 'error');
    return field<Content[]>(error?.metadata, 'application/vnd.stridelab.diagnostics+json', 'diagnostics');
  });
  expect(found.map(diagnostic => diagnostic['code'])).toEqual(expected);
});

/** The bar marks the cursor. */
function ask(kernel: KernelClient, type: string, marked: string): Promise<Content> {
  const cursor = [...marked.slice(0, marked.indexOf('|'))].length;
  return kernel.request(type, { code: marked.replace('|', ''), cursor_pos: cursor, detail_level: 1 });
}

test.each([
  'point.|',
  'new Shape().|',
  'Color.|',
  'os.cp|',
  'any.|',
  '[1].thi|',
  'let p: Poi|',
  'point.down.|',
  "import { cpus } from 'node:o|'",
  'const q: Point = { | }'
])('both complete %s with the same', async code => {
  const reply = await both(kernel => ask(kernel, 'complete_request', code));
  expect(reply['matches']).not.toHaveLength(0);
});

test.each([
  'poi|nt',
  'parseIn|t()',
  'Sha|pe',
  'counter|',
  'new Shape().scale|',
  'os.cpus|()',
  'label(point, |',
  'Color.Red|',
  'let p: Poi|nt',
  'any|'
])('both describe %s alike', async code => {
  const reply = await both(async kernel => {
    const { found, data } = await ask(kernel, 'inspect_request', code);
    // Paths of the compilers' own files and of the two notebooks' folders differ.
    const text = plain(field(data, 'text/plain'))!.replaceAll(/\S*(?:kernel-test-|node_modules)\S*/g, 'PATH');
    return { found, text };
  });
  expect(reply.found).toBe(true);
});
