/** `stridelab run` writes its notebook while cells run. */

import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAIN, stridelab } from './command.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { until } from '../../setup/until.ts';

let folder: string;
let book: string;
beforeEach(() => {
  folder = temporaryFolder();
  book = join(folder, 'book.ipynb');
});

interface SavedCell {
  readonly outputs: readonly Record<string, unknown>[];
  readonly execution_count: number | null;
}

const cellsOf = (name: string): readonly SavedCell[] =>
  (JSON.parse(readFileSync(join(folder, name), 'utf8')) as { cells: SavedCell[] }).cells;

function writeBook(...sources: readonly string[]): void {
  const cells = sources.map((source, i) => ({
    cell_type: 'code',
    id: `c${i}`,
    metadata: {},
    execution_count: 77,
    outputs: [{ output_type: 'stream', name: 'stdout', text: 'stale' }],
    source
  }));
  writeFileSync(book, JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }));
}

/** Starts the command without waiting for its end. */
function start(...args: readonly string[]): { child: ChildProcess; ended: Promise<number | string | null> } {
  const child = spawn(process.execPath, [MAIN, 'run', ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  return {
    child,
    ended: new Promise(resolve => child.once('close', (status, signal) => resolve(status ?? signal)))
  };
}

const CUT = 'keeps no more of the text';

test('a run that is killed has saved the outputs of finished cells and the text so far', async () => {
  writeBook('console.log("first"); 6 * 7', 'console.log("so far"); await new Promise(() => {})', '3');
  const { child, ended } = start(book);
  child.stdout!.resume();
  const target = 'book.executed.ipynb';
  // Each state of the file is a notebook.
  await until(
    () => existsSync(join(folder, target)) && cellsOf(target)[1]!.outputs[0]?.['text'] === 'so far\n',
    30
  );
  child.kill('SIGKILL');
  expect(await ended).toBe('SIGKILL');
  const [first, second, third] = cellsOf(target);
  expect(first).toMatchObject({
    execution_count: 1,
    outputs: [{ text: 'first\n' }, { output_type: 'execute_result' }]
  });
  expect(second!.outputs).toEqual([{ output_type: 'stream', name: 'stdout', text: 'so far\n' }]);
  expect(third).toMatchObject({ execution_count: null, outputs: [] });
  expect(readdirSync(folder).sort()).toEqual(['book.executed.ipynb', 'book.ipynb']);
}, 60_000);

test('a script ends when nobody reads its output any more, as a program does', async () => {
  const script = join(folder, 'endless.ts');
  writeFileSync(script, 'for (;;) { console.log("line"); await new Promise(r => setTimeout(r, 1)); }');
  const { child, ended } = start(script);
  child.stdout!.once('data', () => child.stdout!.destroy());
  expect(await ended).toBe(141);
}, 60_000);

test('a notebook is run to its end when nobody reads the progress', async () => {
  writeBook('1', 'console.log("still")', '3');
  const { child, ended } = start(book);
  child.stdout!.destroy();
  expect(await ended).toBe(0);
  const [, second, third] = cellsOf('book.executed.ipynb');
  expect(second!.outputs).toMatchObject([{ text: 'still\n' }]);
  expect(third!.execution_count).toBe(3);
}, 60_000);

test.each([
  ['in a folder that does not exist', 'no/out.ipynb', 'its folder does not exist'],
  ['that is a folder', 'folder.ipynb', 'it is a folder'],
  ['below a file', 'book.ipynb/out.ipynb', 'a file is in the way']
])('an output %s is refused before the first cell runs', async (_, output, sentence) => {
  mkdirSync(join(folder, 'folder.ipynb'));
  writeBook('require("node:fs").writeFileSync("ran", "")');
  const { status, stderr } = await stridelab(['run', book, '--output', join(folder, output)]);
  expect(status).toBe(1);
  expect(stderr).toContain(sentence);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(existsSync(join(folder, 'ran'))).toBe(false);
});

test('a cell that prints without end does not fill memory and disk: the rest of its text is dropped, not its result', async () => {
  writeBook(
    'const line = "x".repeat(999_999); for (let i = 0; i < 30; i += 1) console.log(line); 6 * 7',
    'console.log("next")'
  );
  expect(await stridelab(['run', book])).toMatchObject({ status: 0 });
  const [first, second] = cellsOf('book.executed.ipynb');
  const text = first!.outputs.map(({ text: part }) => (typeof part === 'string' ? part : '')).join('');
  expect(text).toContain(CUT);
  expect(text.length).toBeGreaterThan(16 * 2 ** 20);
  expect(text.length).toBeLessThan(20 * 2 ** 20);
  expect(first!.outputs.at(-1)).toMatchObject({ output_type: 'execute_result' });
  expect(second!.outputs).toMatchObject([{ text: 'next\n' }]);
}, 60_000);
