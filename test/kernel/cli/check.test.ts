import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stridelab, type Run } from './command.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

function notebook(sources: readonly string[], metadata: object = {}, name = 'book.ipynb'): string {
  const cells = sources.map((source, i) => ({
    cell_type: 'code',
    id: `c${i}`,
    metadata: {},
    outputs: [],
    source
  }));
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }));
  return file;
}

const check = (...files: string[]): Promise<Run> => stridelab(['check', ...files], { cwd: folder });

interface Found {
  readonly cell: number;
  readonly line: number;
  readonly column: number;
  readonly kind: string;
  readonly message: string;
}

interface Checked {
  readonly findings: readonly Found[];
  readonly fetched: readonly string[];
}

async function inCells(...sources: string[]): Promise<Checked> {
  const { stdout, stderr } = await check('--json', notebook(sources));
  expect(stderr).toBe('');
  const [checked] = JSON.parse(stdout) as Checked[];
  return checked!;
}

/** The findings as `[cell]:line:column kind`. */
async function found(...sources: string[]): Promise<string[]> {
  const { findings } = await inCells(...sources);
  return findings.map(({ cell, line, column, kind }) => `[${cell}]:${line}:${column} ${kind}`);
}

describe('stridelab check', () => {
  test('finds nothing in a notebook that runs, runs nothing of it, and succeeds', async () => {
    writeFileSync(join(folder, 'near.ts'), 'export const near: number = 1;');
    const file = notebook([
      '%npm install zod@4 @scope/made\n!true',
      'import { z } from "zod"; import made from "@scope/made/sub"; import { near } from "./near"; import "node:fs"; import type { T } from "only-types";',
      '%%writefile later.ts\nexport const later = 1;',
      'import { later } from "./later"; import * as tslab from "tslab"; import { display as shown } from "https://deno.land/x/display@v1.1.2/mod.ts";',
      'await Deno.writeTextFile("made-by-the-cell", ""); const { md } = Deno.jupyter; throw new Error("not run");',
      'const use = () => declaredLater; const page = ({ el }) => document.body.append(el); typeof maybe === "undefined" || maybe;',
      'let declaredLater = 1; enum E { a } const view = <b>{E.a}</b>; display(view); html`x`; process.cwd(); arguments;'
    ]);
    const { status, stdout } = await check(file);
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: 'book.ipynb: 7 code cells, nothing found that would not run\n'
    });
    expect(readdirSync(folder).sort()).toEqual(['book.ipynb', 'near.ts']);
  }, 30_000);

  test('names the cell, the line and the cause of each finding, and fails', async () => {
    const { status, stdout } = await check(
      notebook([
        '1',
        '%%javascript\nalert(1)',
        '\n\nconst a = ;',
        'import { x } from "not-there";\nDeno.serve(() => {});\nwindow.open()'
      ])
    );
    expect(status).toBe(1);
    expect(stdout.split('\n')).toEqual([
      'book.ipynb: 3 of 4 code cells would not run as they are',
      expect.stringMatching(/^ {2}\[2\]:1:1 +magic {3}unknown magic %%javascript: display\(javascript/),
      expect.stringMatching(/^ {2}\[3\]:3:11 +syntax {2}Unexpected token/),
      expect.stringMatching(
        /^ {2}\[4\]:1:19 +module {2}Cannot find package 'not-there'\. .*%npm install not-there/
      ),
      '  [4]:2:6   deno    Deno.serve is not available here',
      '  [4]:3:1   name    window is not defined: it belongs to web pages, and cells run in Node',
      ''
    ]);
  }, 30_000);

  test('modules: imports of every form, below the types of a cell', async () => {
    expect(
      await found(
        'interface Above { a: 1 }\n\nimport a from "no-a";\nconst b = require("no-b"), c = await import("no-c");\nimport "./no-d";\nimport e = require("no-e");',
        'const name = "computed"; await import(name); import x from "stridelab/nothing"'
      )
    ).toEqual([
      '[1]:3:15 module',
      '[1]:4:19 module',
      '[1]:4:45 module',
      '[1]:5:8 module',
      '[1]:6:20 module',
      '[2]:1:60 module'
    ]);
  }, 30_000);

  test('packages that the folder has or that an earlier magic installs are found, others are not', async () => {
    mkdirSync(join(folder, 'node_modules/here'), { recursive: true });
    writeFileSync(
      join(folder, 'node_modules/here/package.json'),
      '{ "name": "here", "exports": "./main.js" }'
    );
    writeFileSync(join(folder, 'node_modules/here/main.js'), '');
    writeFileSync(join(folder, 'package.json'), '{ "dependencies": { "listed": "1" } }');
    const installs = ['import "listed"', '%npm install', 'import "listed"; import "here"; import "other"'];
    expect(await found(...installs)).toEqual(['[1]:1:8 module', '[3]:1:40 module']);
  }, 30_000);

  test('modules that are fetched are listed, without a finding', async () => {
    const { findings, fetched } = await inCells(
      'import "npm:zod@4"; import "jsr:@std/path"; await import("https://esm.sh/d3"); import "jsr:@anywidget/deno";'
    );
    expect({ findings, fetched }).toEqual({
      findings: [],
      fetched: ['npm:zod@4', 'jsr:@std/path', 'https://esm.sh/d3']
    });
  }, 30_000);

  test("imports of the user's own files are followed, in a loop too", async () => {
    const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
    write(
      'near.ts',
      'import { far } from "./far"; import type { T } from "only-types"; import "node:fs"; export const near = far;'
    );
    write(
      'far.ts',
      'import * as csv from "jsr:@std/csv"; export * from "not-there"; export { near } from "./near.ts"; export const far = csv;'
    );
    write('broken.ts', 'import "./missing.ts";');
    const { findings, fetched } = await inCells(
      'import { near } from "./near";',
      'await import("./broken.ts");',
      'import { far } from "./far";'
    );
    expect(findings.map(({ cell, message }) => [cell, message])).toEqual([
      [1, expect.stringMatching(/^far\.ts: Cannot find module 'not-there'/)],
      [2, expect.stringMatching(/^broken\.ts: Cannot find module '\.\/missing\.ts': no such file/)]
    ]);
    expect(fetched).toEqual(['jsr:@std/csv']);
  }, 30_000);

  test('Deno: missing members by any path, not those of a Deno that the notebook declares', async () => {
    const { findings } = await inCells(
      'Deno.cwd(); Deno.errors.Nothing; const { open, openKv, jupyter: { md } } = Deno; Deno.jupyter.widget(); Deno.env.get("x"); Deno.version.deno.length',
      'const Deno = { serve() {} }; Deno.serve();',
      'Deno.listen'
    );
    expect(findings.map(({ message }) => message.replace(' is not available here', ''))).toEqual([
      'Deno.errors.Nothing',
      'Deno.openKv',
      'Deno.jupyter.widget'
    ]);
  }, 30_000);

  test('names that nothing defines, and comments that make a cell of tslab a module', async () => {
    expect(
      await found(
        '$$.html("x"); nowhere = 1;',
        '/** @module near */\nexport const a = 1;',
        'const local = 1;',
        'local; a'
      )
    ).toEqual(['[1]:1:1 name', '[1]:1:15 name', '[2]:1:5 tag']);
  }, 30_000);

  test('syntax that cells do not have, and nothing else of such a cell', async () => {
    expect(await found('export * from "no-a";', 'let x = 1; %who', 'function ( {')).toEqual([
      '[1]:1:1 syntax',
      '[2]:1:12 syntax',
      '[3]:1:10 syntax'
    ]);
  }, 30_000);

  test('a script is checked by its lines; several files and those that cannot be checked are reported one by one', async () => {
    const script = join(folder, 'script.ts');
    writeFileSync(script, '// %% [markdown]\n// # Title\n// %%\nconst a: number = 1;\n// %%\na;\nnowhere;\n');
    const python = notebook(['print(1)'], { kernelspec: { language: 'python' } }, 'python.ipynb');
    const { status, stdout } = await check(script, python, 'missing.ipynb', notebook([]));
    expect(status).toBe(1);
    expect(stdout.split('\n')).toEqual([
      'script.ts: 1 of 2 code cells would not run as it is',
      expect.stringMatching(/^ {2}script\.ts:7:1 {2}name +nowhere is not defined/),
      expect.stringContaining('is a notebook in python: this kernel runs TypeScript.'),
      expect.stringContaining('missing.ipynb cannot be read'),
      'book.ipynb: 0 code cells, nothing found that would not run',
      ''
    ]);
    expect((await stridelab(['check'])).status).toBe(2);
  }, 30_000);
});
