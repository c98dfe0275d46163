import { jest } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { field, KernelClient, plain, type Content } from '../client.ts';
import { FakeRegistry } from '../fake-registry.ts';

// npm starts several times, and the machine may be busy.
jest.setTimeout(240_000);

const DATA = 'application/vnd.stridelab.diagnostics+json';

let registry: FakeRegistry;
let kernel: KernelClient;

beforeAll(async () => {
  registry = await FakeRegistry.start([
    {
      name: 'typed',
      version: '1.2.0',
      manifest: {
        type: 'module',
        exports: {
          '.': { import: { types: './types/main.d.ts', default: './main.js' } },
          './sub': { types: './types/sub.d.ts', default: './sub.js' }
        }
      },
      files: {
        'main.js': 'export const twice = n => n * 2; export default class Machine { speed = 1; }',
        'types/main.d.ts':
          '/** Doubles a number. */ export declare const twice: (n: number) => number; export interface Shape { sides: number } export default class Machine { speed: number; }',
        'sub.js': 'export const deep = "deep";',
        'types/sub.d.ts': 'export declare const deep: string;'
      }
    },
    {
      name: 'equals',
      version: '1.0.0',
      manifest: { types: './index.d.ts' },
      files: {
        'index.js': 'module.exports = n => n + 1; module.exports.zero = 0;',
        'index.d.ts':
          'declare function equals(n: number): number; declare namespace equals { const zero: number; interface Options { strict: boolean } } export = equals;'
      }
    },
    { name: 'bare', version: '4.5.6', files: { 'index.js': 'exports.size = 1;' } },
    // The newest types are for the next version.
    {
      name: '@types/bare',
      version: '4.0.1',
      manifest: { types: 'index.d.ts' },
      files: { 'index.d.ts': 'export const size: number;' }
    },
    {
      name: '@types/bare',
      version: '5.0.0',
      manifest: { types: 'index.d.ts' },
      files: { 'index.d.ts': 'export const size: never;' }
    },
    { name: 'untyped', version: '1.0.0', files: { 'index.js': 'exports.any = 1;' } },
    {
      name: 'only-types',
      version: '1.0.0',
      manifest: { types: 'index.d.ts' },
      files: { 'index.d.ts': 'export type Id = `id-${number}`;' }
    },
    {
      name: '@jsr/std__tools',
      version: '1.0.0',
      manifest: { type: 'module', exports: { '.': { types: './_dist/mod.d.ts', default: './mod.js' } } },
      files: { 'mod.js': 'export const tool = 1;', '_dist/mod.d.ts': 'export declare const tool: 1;' }
    }
  ]);
  kernel = await KernelClient.start('tcp', {
    ...registry.environment(),
    STRIDELAB_TYPES_DEADLINE: '120000'
  });
});
afterAll(async () => {
  await kernel.close();
  registry.close();
});

/** Runs a cell and returns its diagnostics, which a later cell with one of its own shows to be complete. */
async function findings(cell: string, on = kernel): Promise<string[]> {
  const { id, reply } = await on.execute(cell);
  expect(reply).toMatchObject({ status: 'ok' });
  const marker = await on.execute('markerWithoutName;');
  await on.published(({ parentId, content }) => parentId === marker.id && reports(content) !== undefined);
  return on.iopub.filter(({ parentId }) => parentId === id).flatMap(({ content }) => reports(content) ?? []);
}

function reports(content: Content): string[] | undefined {
  const found = field<{ diagnostics: { code: string; message: string }[] } | undefined>(
    content,
    'data',
    DATA
  );
  if (found === undefined && /cannot be checked/.test(String(content['text'])))
    return [String(content['text'])];
  return found?.diagnostics.map(({ code, message }) => `${code}: ${message}`);
}

async function hover(code: string, cursor: number): Promise<string | undefined> {
  const reply = await kernel.request('inspect_request', { code, cursor_pos: cursor, detail_level: 0 });
  return plain(field<string | undefined>(reply, 'data', 'text/plain'));
}

test('the cell that installs a package is checked with its types, and so are later ones', async () => {
  const first = await findings(
    "import Machine, { twice, type Shape } from 'npm:typed@1'; const text: string = twice(1); const s: Shape = { sides: 'x' };"
  );
  expect(first).toEqual([
    "TS2322: Type 'number' is not assignable to type 'string'.",
    "TS2322: Type 'string' is not assignable to type 'number'."
  ]);
  expect(
    await findings("import { deep } from 'npm:typed@1/sub'; const n: number = deep; new Machine().spede")
  ).toEqual([
    "TS2322: Type 'string' is not assignable to type 'number'.",
    expect.stringMatching(/^TS2551: .*Did you mean 'speed'/)
  ]);
  expect(await findings('twice("1")')).toEqual([expect.stringMatching(/^TS2345/)]);
});

test('packages that export a function, that have their types elsewhere, none, or nothing else', async () => {
  expect(
    await findings(
      "import equals from 'npm:equals'; import { size } from 'npm:bare'; import type { Id } from 'npm:only-types'; import { tool } from 'jsr:@std/tools@1';" +
        'const o: equals.Options = { strict: 1 }; const t: string = equals(1); const b: string = size; const id: Id = "x"; const two: 2 = tool;'
    )
  ).toEqual([
    expect.stringMatching(/^TS2322: Type 'number' is not assignable to type 'boolean'/),
    expect.stringMatching(/^TS2322: Type 'number' is not assignable to type 'string'/),
    expect.stringMatching(/^TS2322: Type 'number' is not assignable to type 'string'/),
    expect.stringMatching(/^TS2322: Type '"x"' is not assignable to type '`id-\${number}`'/),
    expect.stringMatching(/^TS2322: Type '1' is not assignable to type '2'/)
  ]);
  expect(await findings("import { any } from 'npm:untyped'; any.thing")).toEqual([
    "TS7016: The package 'npm:untyped' has no types: everything in it is any."
  ]);
});

test('their members are completed, and their documentation is shown', async () => {
  const code = "import { twice } from 'npm:typed'; twice";
  expect(await hover(code, code.length - 1)).toMatch(/\(n: number\) => number[^]*Doubles a number/);
  const members = "import * as all from 'npm:typed@1'; all.";
  const reply = await kernel.request('complete_request', { code: members, cursor_pos: members.length });
  expect(reply['matches']).toEqual(expect.arrayContaining(['twice', 'default']));
});

test('a file of the notebook that imports packages has their types', async () => {
  writeFileSync(
    join(kernel.folder, 'util.ts'),
    "import { size } from 'npm:bare'; export const sizes = [size];"
  );
  expect(await findings("import { sizes } from './util'; const s: string[] = sizes;")).toEqual([
    expect.stringMatching(/^TS2322: Type 'number\[\]'/)
  ]);
});

test('an import that fails is told once, and the cells after it are checked', async () => {
  const { id, reply } = await kernel.execute("import x from 'npm:not-there'; const n: string = 1;");
  expect(reply).toMatchObject({ status: 'error', ename: 'ImportError' });
  expect(await findings('const right: number = 1; const wrong: string = right;')).toEqual([
    expect.stringMatching(/^TS2322/)
  ]);
  const about = kernel.iopub.filter(({ parentId }) => parentId === id);
  expect(about.filter(({ content }) => reports(content) !== undefined)).toEqual([]);
  expect(await findings("import type { T } from 'npm:not-there'; null as T | null")).toEqual([
    "TS2307: Cannot find module 'npm:not-there': it has not been installed."
  ]);
  const all = kernel.iopub.map(({ content }) => JSON.stringify(content)).join();
  expect(all).not.toMatch(/no project found|cannot be checked/i);
});

test('in strict mode a cell with an installed package is refused if its types are wrong', async () => {
  await kernel.execute('%types strict');
  const { reply } = await kernel.execute("import { twice as again } from 'npm:typed@1'; again('1')");
  expect(reply).toMatchObject({ status: 'error', ename: 'TypeScriptError' });
  await kernel.execute('%types warn');
});

test('in strict mode a URL that is not imported does not put the check off', async () => {
  const { reply } = await kernel.execute(
    '%types strict\nconst address = "https://example.org/data.json"; const count: number = address;'
  );
  expect(reply).toMatchObject({ status: 'error', ename: 'TypeScriptError' });
});
