/** The tutorials: each runs to its end on the simulated device, where its own checks hold, and is stored with what it shows. */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { stridelab, type Run } from '../kernel/cli/command.ts';
import { root } from '../setup/repository.ts';
import { codeCells, readNotebook, type Notebook } from './notebook-files.ts';
import { problemsOf } from './stored-outputs.ts';

const folder = join(root, 'notebooks');
const all = readdirSync(folder).filter(name => /^0\d-.*\.ipynb$/.test(name));
/** The exchange with Python has a test of its own, since it needs NumPy. */
const executed = all.filter(name => !name.startsWith('02'));

const WIDEST_LINE = 102;

const sourceOf = (cell: Notebook['cells'][number]): string => [cell.source].flat().join('');
const showsSomething = (notebook: Notebook): boolean[] =>
  codeCells(notebook).map(({ outputs }) => outputs.length > 0);

test('there are eight, from 00 to 07', () => {
  expect(all.map(name => name.slice(0, 2))).toEqual(['00', '01', '02', '03', '04', '05', '06', '07']);
});

describe('on the simulated device', () => {
  const results = mkdtempSync(join(tmpdir(), 'stridelab-tutorials-'));
  const runs = new Map<string, Run>();

  beforeAll(async () => {
    const waiting = [...executed];
    const worker = async (): Promise<void> => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        const target = join(results, name);
        const env = { STRIDELAB_DEVICE: 'sim:0' };
        runs.set(name, await stridelab(['run', join(folder, name), '--output', target], { env }));
      }
    };
    await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, worker));
  }, 120_000);
  afterAll(() => rmSync(results, { recursive: true, force: true }));

  test.each(executed)('%s runs to its end, and every check in it holds', name => {
    const { status, stdout, stderr } = runs.get(name) as Run;
    expect({ status, stdout, stderr }).toMatchObject({ status: 0 });
    const outputs = codeCells(readNotebook(join(results, name))).flatMap(cell => cell.outputs);
    expect(outputs.filter(({ output_type }) => output_type === 'error')).toEqual([]);
    expect(problemsOf(join(results, name))).toEqual([]);
  });

  test.each(executed)('%s was stored with an output wherever a cell shows something', name => {
    expect(showsSomething(readNotebook(join(folder, name)))).toEqual(
      showsSomething(readNotebook(join(results, name)))
    );
  });
});

describe('as they are stored', () => {
  test.each(all)(
    '%s: every cell was run, no error, no warning, no path of a machine, every widget with its state',
    name => {
      expect(problemsOf(join(folder, name))).toEqual([]);
    }
  );

  test.each(all)('%s has a name for every cell, and the project’s kernel', name => {
    const notebook = readNotebook(join(folder, name));
    const ids = notebook.cells.map(cell => (cell as { readonly id?: string }).id);
    expect(ids).not.toContain(undefined);
    expect(new Set(ids).size).toBe(ids.length);
    expect(notebook.metadata['kernelspec']).toMatchObject({ name: 'stridelab', language: 'typescript' });
  });

  test.each(all)('%s has no line of code that a page of 1100 pixels cuts off', name => {
    const lines = codeCells(readNotebook(join(folder, name))).flatMap(cell => sourceOf(cell).split('\n'));
    expect(lines.filter(line => line.length > WIDEST_LINE)).toEqual([]);
  });

  test.each(executed.filter(name => !name.startsWith('00')))(
    '%s names its sources, asks, checks what it claims, and says what to take along',
    name => {
      const { cells } = readNotebook(join(folder, name));
      const texts = cells.filter(cell => cell.cell_type === 'markdown').map(sourceOf);
      expect(texts[0]).toMatch(/Sources?: \[/);
      expect(texts.filter(text => text.includes('**Question.**')).length).toBeGreaterThanOrEqual(2);
      expect(texts.at(-1)).toContain('## What to take along');
      const code = cells.filter(cell => cell.cell_type === 'code').map(sourceOf);
      expect(code.filter(source => /\bassert\b/.test(source)).length).toBeGreaterThanOrEqual(5);
    }
  );
});
