/** The tour of the kernel, run without a server and without a browser. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stridelab } from '../kernel/cli/command.ts';
import { root } from '../setup/repository.ts';
import { codeCells, readNotebook } from './notebook-files.ts';

const path = join(root, 'notebooks', '10-kernel.ipynb');

test('the kernel’s notebook runs to its end, and each kind of output is there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stridelab-notebook-'));
  try {
    const target = join(folder, 'executed.ipynb');
    const { status, stdout } = await stridelab(['run', path, '--output', target]);
    expect({ status, stdout }).toMatchObject({ status: 0 });
    const outputs = codeCells(readNotebook(target)).flatMap(cell => cell.outputs);
    // The one error is meant, in a cell that says so.
    expect(outputs.filter(({ output_type }) => output_type === 'error')).toHaveLength(1);
    const types = new Set(outputs.flatMap(({ data }) => Object.keys(data ?? {})));
    expect([...types]).toEqual(
      expect.arrayContaining(['text/plain', 'text/html', 'application/vnd.jupyter.widget-view+json'])
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 60_000);

test('it is stored without outputs, as notebook format 4.5 with a name for every cell', () => {
  const notebook = readNotebook(path) as ReturnType<typeof readNotebook> & {
    readonly nbformat: number;
    readonly nbformat_minor: number;
  };
  expect([notebook.nbformat, notebook.nbformat_minor]).toEqual([4, 5]);
  expect(codeCells(notebook).flatMap(cell => cell.outputs)).toEqual([]);
  const ids = notebook.cells.map(cell => (cell as { readonly id?: string }).id);
  expect(new Set(ids).size).toBe(notebook.cells.length);
  expect(ids).not.toContain(undefined);
});
