/**
 * The examples of the documentation: those of each page run in order, in a separate kernel on the simulated device, without errors and
 * without type errors. A mark after the language of an example, which readers do not see, states an exception:
 * - `gpu` and `elsewhere` need a GPU or another process: they are type-checked, but not run;
 * - `quoted` is part of a tested program; another test compares them.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { runtimeNode } from '../../scripts/setup/node.mjs';
import { stridelab } from '../kernel/cli/command.ts';
import { FakeRegistry, type FakePackage } from '../kernel/fake-registry.ts';
import { root, run } from '../setup/repository.ts';
import { libraries, pythonOfTests } from '../src/python/environment.ts';
import { anchorsOf, examplesOf, linksOf, pages, type Example } from './documentation.ts';
import { codeCells, readNotebook, type CodeCell } from './notebook-files.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const DIAGNOSTICS = 'application/vnd.stridelab.diagnostics+json';
const NOT_RUN = ['gpu', 'elsewhere'];
/** Neither run nor checked here: text, and examples with packages, which npm run test:libraries runs. */
const ELSEWHERE = ['quoted', 'packages'];
/** A line that is meant to fail has a comment with the name of the error. */
const FAILING = /\/\/ throws (\w+)$/;

/** The modules that examples of imports find beside them. */
const FILES: Readonly<Record<string, string | Buffer>> = {
  'node_modules/zod/package.json': '{ "name": "zod", "main": "index.js", "types": "index.d.ts" }',
  'node_modules/zod/index.js': 'exports.z = {};',
  'node_modules/zod/index.d.ts': 'export declare const z: object;',
  'lib/parse.ts': 'export const parse = (text: string) => text.length;',
  'data.json': '{ "x": 1 }',
  'plot.tsx': 'export const plot = () => <b>plot</b>;',
  'add.wasm': Buffer.from(
    '0061736d0100000001070160027f7f017f0302010007070103616464000 00a09010700200020016a0b'.replaceAll(' ', ''),
    'hex'
  ),
  'add.wasm.d.ts': 'export function add(a: number, b: number): number;'
};

/** The packages that examples import by `npm:` and `jsr:`. */
const PACKAGES: readonly FakePackage[] = [
  {
    name: 'lodash',
    version: '4.0.0',
    files: {
      'index.js': 'exports.chunk = () => [[1, 2], [3]];',
      'index.d.ts': 'export declare function chunk(all: number[], size: number): number[][];'
    }
  },
  {
    name: '@jsr/std__path',
    version: '1.0.0',
    manifest: { type: 'module', exports: { types: './mod.d.ts', default: './mod.js' } },
    files: {
      'mod.js': 'export const join = (...parts) => parts.join("/");',
      'mod.d.ts': 'export declare function join(...parts: string[]): string;'
    }
  }
];

interface Cell {
  readonly source: string;
  /** Name of the error that it ends with. */
  readonly error?: string;
  /** Only type-checked. */
  readonly unrun?: true;
}

const isTypeScript = ({ language }: Example): boolean => language === 'ts' || language === 'tsx';
const examples = new Map(pages.map(page => [page, examplesOf(page)]));
const withTypeScript = pages.filter(page =>
  examples.get(page)!.some(each => isTypeScript(each) && !ELSEWHERE.includes(each.mark ?? ''))
);

/** Each example, with failing lines split off; then those that are not run, in one cell, because they build on one another. */
function cellsOf(page: string): Cell[] {
  const blocks = examples.get(page)!.filter(isTypeScript);
  const cells: Cell[] = [];
  for (const { source } of blocks.filter(({ mark }) => mark === undefined)) {
    let lines: string[] = [];
    for (const line of source.split('\n')) {
      const error = FAILING.exec(line)?.[1];
      if (error === undefined) lines.push(line);
      else {
        cells.push({ source: lines.join('\n') }, { source: line, error });
        lines = [];
      }
    }
    cells.push({ source: lines.join('\n') });
  }
  const unrun = blocks.filter(({ mark }) => NOT_RUN.includes(mark ?? ''));
  if (unrun.length > 0) cells.push({ source: unrun.map(({ source }) => source).join('\n'), unrun: true });
  return cells;
}

function problemsOf(cells: readonly Cell[], ran: readonly CodeCell[]): string[] {
  return ran.flatMap(({ outputs }, i) => {
    const { source, error, unrun } = cells[i]!;
    const found = outputs.flatMap(({ output_type, data, ...output }) => {
      const text = [data?.['text/plain'] as string | string[]]
        .flat()
        .join('')
        .replaceAll(/\u001b\[[\d;]*m/g, '');
      // A line that is meant to fail may also have type errors.
      if (data?.[DIAGNOSTICS] !== undefined) return error === undefined ? [text] : [];
      const { ename, evalue } = output as { readonly ename?: string; readonly evalue?: string };
      return output_type === 'error' && unrun !== true && ename !== error ? [`${ename}: ${evalue}`] : [];
    });
    const silent = error !== undefined && !outputs.some(each => each.output_type === 'error');
    return [...found, ...(silent ? [`no ${error}`] : [])].map(problem => `${problem}\nin\n${source}`);
  });
}

describe('the examples in TypeScript', () => {
  const folder = temporaryFolder();
  const results = new Map<string, string[]>();
  let registry: FakeRegistry;

  async function runPage(page: string): Promise<string[]> {
    const cells = cellsOf(page);
    const path = join(folder, `${page.replaceAll('/', '-')}.ipynb`);
    const notebook = {
      cells: cells.map(({ source }, i) => ({
        cell_type: 'code',
        id: `c${i}`,
        metadata: {},
        execution_count: null,
        outputs: [],
        source
      })),
      metadata: { kernelspec: { name: 'stridelab', display_name: 'TypeScript', language: 'typescript' } },
      nbformat: 4,
      nbformat_minor: 5
    };
    writeFileSync(path, JSON.stringify(notebook));
    const env = {
      STRIDELAB_DEVICE: 'sim:0',
      STRIDELAB_SIM_DEVICES: '2',
      STRIDELAB_PYTHON: pythonOfTests,
      ...registry.environment()
    };
    const options = ['--allow-errors', '--timeout', '60', '--inplace'];
    await stridelab(['run', path, ...options], { env, cwd: folder });
    const ran = codeCells(readNotebook(path));
    const unfinished = ran.filter(({ execution_count }) => execution_count === null);
    if (unfinished.length > 0) return [`${unfinished.length} of ${ran.length} cells did not run`];
    return problemsOf(cells, ran);
  }

  beforeAll(async () => {
    registry = await FakeRegistry.start(PACKAGES);
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const waiting = [...withTypeScript];
    const worker = async (): Promise<void> => {
      for (let page = waiting.shift(); page !== undefined; page = waiting.shift())
        results.set(page, await runPage(page));
    };
    await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, worker));
  }, 300_000);

  afterAll(() => registry.close());

  const needsPython = (page: string): boolean => page.endsWith('python.md') || page.endsWith('managers.md');
  const runnable = withTypeScript.filter(
    page =>
      (libraries.has('numpy') || !needsPython(page)) &&
      (libraries.has('distributed') || !page.endsWith('cluster.md'))
  );
  test.each(runnable)('%s: each runs after the ones before it, and has no type error', page => {
    expect(results.get(page)).toEqual([]);
  });

  test('few are not run, and each reason is valid', () => {
    const marked = [...examples].flatMap(([page, all]) =>
      all.flatMap(({ mark }) => (mark === undefined ? [] : [`${page}: ${mark}`]))
    );
    expect([...new Set(marked)].sort()).toEqual([
      'docs/cuda.md: gpu',
      'docs/data-flow.md: quoted',
      'docs/memory-managers.md: gpu',
      'docs/packages.md: packages',
      'docs/several-devices.md: elsewhere',
      'docs/sharing.md: elsewhere'
    ]);
  });

  test('the plain program of the guide runs outside the checkout, on Node 24', async () => {
    const program = examples.get('docs/guide.md')!.find(({ source }) => source.includes('prints text'))!;
    const project = join(folder, 'project');
    mkdirSync(join(project, 'node_modules'), { recursive: true });
    symlinkSync(root, join(project, 'node_modules', 'stridelab'));
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(project, 'sum.ts'), program.source);
    const { status, output } = await run(runtimeNode(), [join(project, 'sum.ts')], {
      STRIDELAB_DEVICE: 'sim:0'
    });
    expect({ status, output }).toEqual({
      status: 0,
      output: expect.stringMatching(/^66\n[^]*float32/) as string
    });
  });
});

test('the examples in Python can be parsed', () => {
  const sources = [...examples.values()].flat().filter(({ language }) => language === 'python');
  expect(sources.length).toBeGreaterThan(0);
  const parse = 'import ast, json, sys\nfor source in json.load(sys.stdin): ast.parse(source)';
  execFileSync(join(root, '.venv', 'bin', 'python'), ['-c', parse], {
    input: JSON.stringify(sources.map(({ source }) => source))
  });
});

test('each npm script and each program that a page names exists, and the README or CONTRIBUTING.md names each script', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
  const builtIn = ['start', 'test'];
  const missing = pages.flatMap(page => {
    const text = readFileSync(join(root, page), 'utf8');
    const named = [...text.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name]) => name!);
    const files = [...text.matchAll(/\bnode ((?:scripts|fuzz|bench)\/[\w./-]+)/g)].map(([, name]) => name!);
    return [
      ...named.filter(name => !(name in scripts) && !builtIn.includes(name)),
      ...files.filter(name => !existsSync(join(root, name)))
    ].map(name => `${page}: ${name}`);
  });
  expect(missing).toEqual([]);
  const commands = ['README.md', 'CONTRIBUTING.md']
    .map(page => readFileSync(join(root, page), 'utf8'))
    .join();
  const unnamed = Object.keys(scripts).filter(
    name => !new RegExp(`\\bnpm ${builtIn.includes(name) ? '' : 'run '}${name}(?![\\w:-])`).test(commands)
  );
  expect(unnamed).toEqual([]);
});

test('each source file that a page names exists', () => {
  const named = /`((?:src|kernel|labextension|native|scripts)\/[\w./-]+\.(?:ts|mjs|cc|h|json))`/g;
  const missing = pages.flatMap(page =>
    [...readFileSync(join(root, page), 'utf8').matchAll(named)]
      .map(([, file]) => file!)
      // Other projects have folders with the same names; tests are identified by their path below test/.
      .filter(file => !existsSync(join(root, file)) && !/^src\/kernels\/|\.test\.ts$/.test(file))
      .map(file => `${page}: ${file}`)
  );
  expect(missing).toEqual([]);
});

test('links lead from the README to each page', () => {
  const links = linksOf();
  const reached = new Set(['README.md']);
  for (const page of reached)
    for (const { from, target } of links)
      if (from === page) reached.add(join(dirname(from), target.split('#')[0]!));
  expect(pages.filter(page => !reached.has(page))).toEqual([]);
});

test('each link to a file and each anchor exists', () => {
  const dead = linksOf().flatMap(({ from, target }) => {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? from : join(dirname(from), decodeURIComponent(path));
    if (!existsSync(join(root, file))) return [`${from}: ${target}`];
    const known = anchor === undefined || !file.endsWith('.md') || anchorsOf(file).has(anchor);
    return known ? [] : [`${from}: ${target}`];
  });
  expect(dead).toEqual([]);
});
