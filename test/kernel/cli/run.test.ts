import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parsePercentScript } from '../../../kernel/cli/run/percent-script.ts';
import { MAIN, stridelab } from './command.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

interface Saved {
  readonly cells: readonly {
    readonly outputs?: readonly Record<string, unknown>[];
    readonly execution_count?: number | null;
  }[];
  readonly metadata: Record<string, Record<string, unknown>>;
}

const read = (name: string): Saved => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Saved;

function notebook(
  sources: readonly (string | { source: string; tags: string[] })[],
  metadata: object = {}
): string {
  const cells = sources.map((cell, i) => ({
    cell_type: 'code',
    id: `c${i}`,
    metadata: typeof cell === 'string' ? {} : { tags: cell.tags },
    execution_count: 77,
    outputs: [{ output_type: 'stream', name: 'stdout', text: 'stale' }],
    source: typeof cell === 'string' ? cell : cell.source
  }));
  const file = join(folder, 'book.ipynb');
  writeFileSync(file, JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }));
  return file;
}

describe('stridelab run', () => {
  test('runs a notebook in its own folder, and writes outputs, counts and the language next to it', async () => {
    writeFileSync(join(folder, 'near.txt'), 'neighbour');
    const file = notebook([
      'import { readFileSync } from "node:fs";\nconsole.log(readFileSync("near.txt", "utf8"));',
      { source: 'throw new RangeError("meant")', tags: ['raises-exception'] },
      '6 * 7'
    ]);
    const before = readFileSync(file, 'utf8');
    const { status, stdout } = await stridelab(['run', file]);
    expect({ status, stdout }).toMatchObject({ status: 0 });
    expect(stdout).toMatch(/^\[3\] +\d+\.\d ms {2}ok {6}6 \* 7$/m);
    const { cells, metadata } = read('book.executed.ipynb');
    expect(cells[0]!.outputs).toEqual([{ output_type: 'stream', name: 'stdout', text: 'neighbour\n' }]);
    expect(cells[1]!.outputs).toMatchObject([{ output_type: 'error', ename: 'RangeError', evalue: 'meant' }]);
    expect(cells[2]).toMatchObject({ execution_count: 3, outputs: [{ output_type: 'execute_result' }] });
    expect(metadata['language_info']).toMatchObject({ name: 'typescript', file_extension: '.ts' });
    expect(readFileSync(file, 'utf8')).toBe(before);
  }, 30_000);

  test('a failing cell ends the run with status 1; its outputs are kept and stale ones are not', async () => {
    const file = notebook(['const kept = 1', '(null as any).x', 'console.log("never")']);
    const { status, stdout } = await stridelab(['run', '--inplace', file]);
    expect(status).toBe(1);
    expect(stdout).toContain('Cells not run: 1 of 3');
    expect(stdout).toContain('TypeError');
    const { cells } = read('book.ipynb');
    expect(cells[1]!.outputs).toMatchObject([{ output_type: 'error', ename: 'TypeError' }]);
    expect(cells[2]).toMatchObject({ outputs: [], execution_count: null });
    expect(readdirSync(folder)).toEqual(['book.ipynb']);
    const all = await stridelab(['run', '--allow-errors', '--output', join(folder, 'all.ipynb'), file]);
    expect(all.status).toBe(1);
    expect(read('all.ipynb').cells[2]!.outputs).toMatchObject([{ text: 'never\n' }]);
  }, 30_000);

  test('a script prints as a program does, with or without cells, and can be saved as a notebook', async () => {
    const script = join(folder, 'cells.ts');
    writeFileSync(
      script,
      '// %% [markdown]\n// # A title\n// %%\nconst a: number = 1;\nconsole.log("out"); console.error("err");\n// %% sum\na + 1\n'
    );
    const target = join(folder, 'kept.ipynb');
    const run = await stridelab(['run', script, '--output', target]);
    expect(run).toMatchObject({ status: 0, stdout: 'out\n2\n' });
    expect(run.stderr).toContain('err\n');
    const { cells } = read('kept.ipynb');
    expect(cells.map(({ execution_count }) => execution_count)).toEqual([undefined, 1, 2]);
    writeFileSync(script, 'await Promise.reject(new Error("late"))');
    const failed = await stridelab(['run', script]);
    expect(failed).toMatchObject({ status: 1, stdout: '' });
    expect(failed.stderr).toContain('Error: late');
  }, 30_000);

  test('of a display that changes a script prints the first and the last state', async () => {
    const script = join(folder, 'changes.ts');
    writeFileSync(
      script,
      "const shown = display(10);\nfor (const share of [20, 30, 100]) shown.update(share);\nconsole.log('end')"
    );
    expect(await stridelab(['run', script])).toMatchObject({ status: 0, stdout: '10\nend\n100\n' });
  });

  test('a type error is shown on stderr with its place in the script, and the status is 1', async () => {
    const script = join(folder, 'wrong.ts');
    writeFileSync(script, '// %% first\nconst a = 1;\na\n\n// %%\n\nconst n: number = "x";\n');
    const run = await stridelab(['run', script]);
    expect(run).toMatchObject({ status: 1, stdout: '1\n' });
    expect(run.stderr).toMatch(/wrong\.ts:7:7 - error TS2322: Type 'string' is not assignable/);
    expect(run.stderr).toContain('  > 7 | const n: number = "x";');
    writeFileSync(script, 'const n: number = "x";');
    expect(await stridelab(['run', script])).toMatchObject({ status: 1, stdout: '' });
    writeFileSync(script, '%types strict\nconst n: number = "x"; console.log("never")');
    const strict = await stridelab(['run', script]);
    expect(strict).toMatchObject({ status: 1, stdout: '' });
    expect(strict.stderr).toMatch(/wrong\.ts:2:7 - error TS2322/);
    writeFileSync(script, '%types off\nconst n: number = "x"; console.log(n)');
    expect(await stridelab(['run', script])).toMatchObject({ status: 0, stdout: 'x\n' });
  }, 60_000);

  test('a type error in the last cell of a notebook is shown and saved; its cells succeeded', async () => {
    const run = await stridelab(['run', notebook(['const n: number = "x";'])]);
    expect(run.status).toBe(0);
    expect(run.stderr).toMatch(/Cell \[1\]:1:7 - error TS2322/);
    expect(read('book.executed.ipynb').cells[0]!.outputs).toMatchObject([{ output_type: 'display_data' }]);
  }, 30_000);

  test('a script ends when its timers have ended, and with status 1 after an unhandled error', async () => {
    const script = join(folder, 'late.ts');
    writeFileSync(script, 'setTimeout(() => console.log("late"), 100); console.log("first")');
    expect(await stridelab(['run', script])).toMatchObject({ status: 0, stdout: 'first\nlate\n' });
    writeFileSync(script, '// a line\nvoid Promise.reject(new Error("forgotten"));');
    const rejected = await stridelab(['run', script]);
    expect(rejected.status).toBe(1);
    expect(rejected.stderr).toMatch(/Unhandled rejection[^]*Error: forgotten\n    at \S*late\.ts:2:21/);
    writeFileSync(script, 'setTimeout(() => { throw new Error("later") }, 10)');
    const thrown = await stridelab(['run', script]);
    expect(thrown.status).toBe(1);
    expect(thrown.stderr).toContain('Error: later');
  }, 60_000);

  test('errors name the line of the script, also for syntax and in functions of other cells', async () => {
    const script = join(folder, 'lines.ts');
    writeFileSync(script, '// %%\nfunction fail() {\n  throw new Error("x");\n}\n// %%\n\n\nfail();\n');
    const thrown = await stridelab(['run', script]);
    expect(thrown).toMatchObject({ status: 1 });
    expect(thrown.stderr).toMatch(/at fail \(\S*lines\.ts:3:9\)[^]*> 3 \|   throw[^]*at \S*lines\.ts:8:1/);
    expect(thrown.stderr).not.toContain('Cell [');
    writeFileSync(script, 'const a = 1;\n// %%\nlet = = 2;\n');
    expect((await stridelab(['run', script])).stderr).toMatch(/SyntaxError[^]*at \S*lines\.ts:3:/);
  }, 60_000);

  test('Ctrl-C ends the wait for a timer', async () => {
    const script = join(folder, 'endless.ts');
    writeFileSync(script, 'setInterval(() => console.log("tick"), 50)');
    const child = spawn(process.execPath, [MAIN, 'run', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise<number | null>(resolve => child.once('close', resolve));
    let text = '';
    child.stdout.on('data', (data: Buffer) => {
      const before = text;
      text += data.toString();
      if (!before.includes('tick\ntick\n') && text.includes('tick\ntick\n')) child.kill('SIGINT');
    });
    expect(await ended).toBe(130);
  }, 30_000);

  test('a cell that takes too long is interrupted, and a kernel that exits is reported', async () => {
    const slow = await stridelab(['run', notebook(['while (true) {}']), '--timeout', '0.5']);
    expect(slow).toMatchObject({ status: 1 });
    expect(slow.stdout).toContain('The cell took longer than 0.5 s and was interrupted');
    // The process of the cells is a child of the kernel.
    const dead = await stridelab([
      'run',
      notebook(['process.kill(process.ppid, "SIGKILL"); await new Promise(() => {})'])
    ]);
    expect(dead).toMatchObject({ status: 1 });
    expect(dead.stderr).toContain('The kernel ended (SIGKILL)');
    expect(existsSync(join(folder, 'book.executed.ipynb'))).toBe(true);
  }, 30_000);

  test('Ctrl-C stops the cell, keeps earlier output and gives status 130', async () => {
    const file = notebook(['console.log("before")', 'console.log("spinning"); while (true) {}', '3']);
    const child = spawn(process.execPath, [MAIN, 'run', file], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise<number | null>(resolve => child.once('close', resolve));
    let text = '';
    child.stdout.on('data', (data: Buffer) => {
      text += data.toString();
      // The line of the first cell: the second is running or about to start.
      if (text.includes('[1]')) setTimeout(() => child.kill('SIGINT'), 300);
    });
    expect(await ended).toBe(130);
    const { cells } = read('book.executed.ipynb');
    expect(cells[0]!.outputs).toMatchObject([{ text: 'before\n' }]);
    expect(cells[1]!.outputs).toMatchObject([{ text: 'spinning\n' }, { output_type: 'error' }]);
    expect(cells[2]!.outputs).toEqual([]);
  }, 30_000);

  test.each([
    ['nowhere.ipynb', undefined, 'cannot be read: ENOENT'],
    ['text.txt', 'x', 'is neither a notebook (.ipynb) nor a script'],
    ['half.ipynb', '{"cells": [', 'is not JSON'],
    ['old.ipynb', '{"nbformat": 3, "worksheets": []}', 'is not a notebook of format 4'],
    ['null.ipynb', 'null', 'is not a notebook of format 4'],
    [
      'python.ipynb',
      '{"nbformat": 4, "nbformat_minor": 5, "cells": [], "metadata": {"kernelspec": {"language": "python"}}}',
      'is a notebook in python: this kernel runs TypeScript'
    ]
  ])('%s is refused in one sentence', async (name, text, sentence) => {
    if (text !== undefined) writeFileSync(join(folder, name), text);
    const { status, stdout, stderr } = await stridelab(['run', join(folder, name)]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

test.each([
  ['', []],
  ['\ufeffconst a = 1;\r\na\r\n', [['code', 'const a = 1;\na']]],
  ['// %%\n\n\n// %% name\nx\n\n', [['code', 'x']]],
  [
    'top\n//%%\n"// %% no"\n// %% [md] note\n// a\n//\n// b\n// %% [raw]\n// r',
    [
      ['code', 'top'],
      ['code', '"// %% no"'],
      ['markdown', 'a\n\nb'],
      ['raw', 'r']
    ]
  ]
])('the cells of the script %j', (text, cells) => {
  expect(parsePercentScript(text).map(({ kind, source }) => [kind, source])).toEqual(cells);
});

test('the cells of a script have the line numbers of the script', () => {
  const lines = parsePercentScript('top\n// %% [md]\n// a\n// %%\n\n\nx\ny\n// %%\n\n// %%\nz').map(
    ({ source, line }) => [source, line]
  );
  expect(lines).toEqual([
    ['top', 1],
    ['a', 3],
    ['x\ny', 7],
    ['z', 12]
  ]);
});
