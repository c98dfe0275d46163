/** The solutions of the puzzles: put into the notebook, each of them makes its judge say "solved"; a wrong one fails its cell. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stridelab } from '../kernel/cli/command.ts';
import { root } from '../setup/repository.ts';
import { examplesOf } from './documentation.ts';
import { codeCells, readNotebook, textsOf, type Notebook } from './notebook-files.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const PUZZLES = 13;
/** A kernel of a cell, up to its end in the first column. */
const KERNEL = /^const (\w+) = cuda\.kernel\([^]*?\n\}?\);$/m;

const folder = temporaryFolder();
const notebook = readNotebook(join(root, 'notebooks', '09-puzzles.ipynb'));
const solutions = new Map(
  examplesOf('docs/puzzle-solutions.md').flatMap(({ source }) => {
    const found = KERNEL.exec(source);
    return found === null ? [] : [[found[1]!, found[0]] as const];
  })
);

/** The notebook with another kernel in each cell that has one of these names. */
function filledIn(kernels: ReadonlyMap<string, string>): Notebook {
  const cells = notebook.cells.map(cell => {
    if (cell.cell_type !== 'code') return cell;
    const source = [cell.source].flat().join('');
    return { ...cell, source: source.replace(KERNEL, (stub, name: string) => kernels.get(name) ?? stub) };
  });
  return { ...notebook, cells };
}

async function ran(name: string, filled: Notebook): Promise<Notebook> {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(filled));
  await stridelab(['run', path, '--allow-errors', '--inplace'], {
    env: { STRIDELAB_DEVICE: 'sim:0' },
    cwd: folder
  });
  return readNotebook(path);
}

test('there is a solution of each puzzle', () => {
  const stubs = codeCells(notebook).filter(cell => [cell.source].flat().join('').includes('// your code'));
  expect(stubs).toHaveLength(PUZZLES);
  expect(solutions.size).toBe(PUZZLES);
});

test('each solution is right, and has no fault', async () => {
  const shown = textsOf(await ran('solved.ipynb', filledIn(solutions)));
  expect(shown.slice(2)).toEqual(Array<string>(PUZZLES).fill('solved '));
});

test('a solution without its barriers is wrong', async () => {
  const names = ['rotate', 'trailing', 'dot', 'prefix', 'sums', 'product'];
  const hasty = names.map(
    name => [name, solutions.get(name)!.replaceAll('cuda.syncThreads();', '')] as const
  );
  const { cells } = await ran('hasty.ipynb', filledIn(new Map(hasty)));
  const errors = cells.flatMap(cell =>
    cell.cell_type === 'code' ? cell.outputs.filter(each => each.output_type === 'error') : []
  );
  const messages = errors.map(each => (each as { readonly evalue?: string }).evalue);
  expect(messages).toEqual(names.map(() => expect.stringContaining('without a barrier between') as string));
});
