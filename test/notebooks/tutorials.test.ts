/**
 * The tutorials: each runs twice in a row on the simulated device, in a folder outside the checkout, where its own checks pass; and each
 * is stored with its outputs.
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { stridelab, type Run } from '../kernel/cli/command.ts';
import { root } from '../setup/repository.ts';
import { libraries, pythonOfTests } from '../src/python/environment.ts';
import { codeCells, readNotebook, textsOf, type Notebook } from './notebook-files.ts';
import { problemsOf } from './stored-outputs.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const folder = join(root, 'notebooks');
/** The tutorials on arrays. The tour of the kernel contains intended failures, and has separate tests below. */
const all = readdirSync(folder).filter(name => /^(0\d|11)-.*\.ipynb$/.test(name));
const KERNEL = '10-kernel.ipynb';
const EXCHANGE = '02-exchange.ipynb';
const CLUSTER = '11-cluster.ipynb';
const executed = all.filter(
  name => (name !== EXCHANGE || libraries.has('numpy')) && (name !== CLUSTER || libraries.has('distributed'))
);
const [testExchange, why] = libraries.has('numpy') ? [test, ''] : [test.skip, ' (skipped: no NumPy here)'];

const WIDEST_LINE = 102;

/** Output of the exchange tutorial on every device: values that Python wrote, read by TypeScript, and the order of work. */
const CLAIMS = [
  '0, 3, 6, 9, 12, 15, 18, 21, 24, 27',
  'Python reads 7 same address: true',
  'TypeScript reads -1',
  '2, 2, 2, 2, 2, 4, 4, 4, 4, 4',
  'exported: ',
  'read-only'
];

const TEXT = expect.any(String) as unknown;
/** A run that succeeded; a failed test shows both texts. */
const ENDED = { status: 0, stdout: TEXT, stderr: TEXT };

const sourceOf = (cell: Notebook['cells'][number]): string => [cell.source].flat().join('');
const outputsOf = (notebook: Notebook) => codeCells(notebook).flatMap(cell => cell.outputs);

/** All cells once, and then all cells again. */
function doubled(notebook: Notebook): Notebook {
  const again = notebook.cells.map(cell => ({ ...cell, id: `${(cell as { readonly id?: string }).id}-2` }));
  return { ...notebook, cells: [...notebook.cells, ...again] };
}

test('there are eleven: from 00 to 09, and 11', () => {
  const numbers = ['00', '01', '02', '03', '04', '05', '06', '07', '08', '09', '11'];
  expect(all.map(name => name.slice(0, 2))).toEqual(numbers);
});

describe('on the simulated device, twice in a row', () => {
  const results = temporaryFolder();
  const runs = new Map<string, Run>();
  const result = (name: string): string => join(results, `ran-${name}`);

  beforeAll(async () => {
    const waiting = [...executed, KERNEL];
    const worker = async (): Promise<void> => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        const copy = join(results, name);
        writeFileSync(copy, JSON.stringify(doubled(readNotebook(join(folder, name)))));
        const env = { STRIDELAB_DEVICE: 'sim:0', STRIDELAB_PYTHON: pythonOfTests };
        runs.set(name, await stridelab(['run', copy, '--output', result(name)], { env, cwd: results }));
      }
    };
    await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, worker));
  }, 240_000);

  test.each(executed)('%s runs to its end, and every check in it holds', name => {
    expect(runs.get(name)).toEqual(ENDED);
    expect(problemsOf(result(name), { times: 2 })).toEqual([]);
  });

  test.each(executed)('%s was stored with an output for each cell that shows something', name => {
    const shows = (path: string) => codeCells(readNotebook(path)).map(({ outputs }) => outputs.length > 0);
    const stored = shows(join(folder, name));
    expect([...stored, ...stored]).toEqual(shows(result(name)));
  });

  testExchange(`the notebook of the exchange shows what its text describes${why}`, () => {
    const shown = textsOf(readNotebook(result(EXCHANGE)));
    for (const claim of CLAIMS) expect(shown).toContainEqual(expect.stringContaining(claim));
  });

  test('the tour of the kernel has one intended error, one intended type error, and each kind of output', () => {
    expect(runs.get(KERNEL)).toEqual(ENDED);
    const ran = codeCells(readNotebook(result(KERNEL)));
    expect(ran.map(({ execution_count }) => execution_count)).toEqual(ran.map((_, i) => i + 1));
    const outputs = outputsOf(readNotebook(result(KERNEL)));
    expect(outputs.filter(({ output_type }) => output_type === 'error')).toHaveLength(2);
    const types = outputs.flatMap(({ data }) => Object.keys(data ?? {}));
    expect(types.filter(type => type === 'application/vnd.stridelab.diagnostics+json')).toHaveLength(2);
    expect(types).toEqual(
      expect.arrayContaining(['text/plain', 'text/html', 'application/vnd.jupyter.widget-view+json'])
    );
  });
});

test('the stored exchange shows what its text describes', () => {
  const shown = textsOf(readNotebook(join(folder, EXCHANGE)));
  for (const claim of CLAIMS) expect(shown).toContainEqual(expect.stringContaining(claim));
});

test('the tour of the kernel is stored without outputs', () => {
  expect(outputsOf(readNotebook(join(folder, KERNEL)))).toEqual([]);
});

describe('as stored', () => {
  test.each(all)('%s was stored by the simulated device, and names no GPU', name => {
    expect(readFileSync(join(folder, name), 'utf8').match(/NVIDIA [A-Z]+\d\w*/g)).toBeNull();
  });

  test.each(all)(
    '%s: every cell was run, without errors, warnings or local paths, and every widget has its state',
    name => {
      expect(problemsOf(join(folder, name))).toEqual([]);
    }
  );

  test.each([...all, KERNEL])('%s has a name for every cell, and the project’s kernel', name => {
    const notebook = readNotebook(join(folder, name));
    const ids = notebook.cells.map(cell => (cell as { readonly id?: string }).id);
    expect(ids).not.toContain(undefined);
    expect(new Set(ids).size).toBe(ids.length);
    expect(notebook.metadata['kernelspec']).toMatchObject({ name: 'stridelab', language: 'typescript' });
  });

  test.each(all)('%s has no line of code that a page of 1100 pixels clips', name => {
    const lines = codeCells(readNotebook(join(folder, name))).flatMap(cell => sourceOf(cell).split('\n'));
    expect(lines.filter(line => line.length > WIDEST_LINE)).toEqual([]);
  });

  test.each(all.filter(name => !/^0[02]/.test(name)))(
    '%s names its sources, asks, checks its claims, and ends with its key takeaways',
    name => {
      const { cells } = readNotebook(join(folder, name));
      const texts = cells.filter(cell => cell.cell_type === 'markdown').map(sourceOf);
      expect(texts[0]).toMatch(/Sources?: \[/);
      expect(texts.filter(text => text.includes('**Question.**')).length).toBeGreaterThanOrEqual(2);
      expect(texts.at(-1)).toContain('## Key takeaways');
      const code = cells.filter(cell => cell.cell_type === 'code').map(sourceOf);
      expect(code.filter(source => /\bassert\b/.test(source)).length).toBeGreaterThanOrEqual(5);
    }
  );
});
