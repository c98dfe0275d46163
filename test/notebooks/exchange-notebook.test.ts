/** The notebook of the exchange with Python, run without a GPU: NumPy's arrays, Numba's simulator where it is installed. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stridelab } from '../kernel/cli/command.ts';
import { root } from '../setup/repository.ts';
import { libraries, pythonOfTests } from '../src/python/environment.ts';
import { codeCells, readNotebook, type CodeCell, type Notebook } from './notebook-files.ts';

const path = join(root, 'notebooks', '02-exchange.ipynb');

/** What each code cell shows as text, without what differs from run to run: versions, the picture of an array. */
const texts = (notebook: Notebook): string[] =>
  codeCells(notebook).map(cell =>
    textOf(cell)
      .replaceAll(/\u001b\[\d+m/g, '')
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/\d+\.\d+(\.\d+)?/g, 'VERSION')
  );

function textOf(cell: CodeCell): string {
  return cell.outputs
    .map(output => {
      const { text, data = {} } = output as typeof output & { readonly text?: string | string[] };
      if (Object.keys(data).length > 1) return Object.keys(data).sort().join(' ');
      return [text ?? (data['text/plain'] as string | string[] | undefined) ?? ''].flat().join('');
    })
    .join('\n');
}

const [run, why] = libraries.has('numpy')
  ? ([test, ''] as const)
  : ([test.skip, ' (skipped: no NumPy here)'] as const);

run(
  `the notebook of the exchange runs to its end, and shows what it was stored with${why}`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'stridelab-notebook-'));
    try {
      const target = join(folder, 'executed.ipynb');
      const env = { STRIDELAB_PYTHON: pythonOfTests, STRIDELAB_DEVICE: 'sim:0' };
      const { status, stdout } = await stridelab(['run', path, '--output', target], { env });
      expect({ status, stdout }).toMatchObject({ status: 0 });
      const executed = readNotebook(target);
      const errors = codeCells(executed).flatMap(({ outputs }) =>
        outputs.filter(({ output_type }) => output_type === 'error')
      );
      expect(errors).toEqual([]);
      expect(texts(executed)).toEqual(texts(readNotebook(path)));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  60_000
);

test('what is stored shows what the kernel wrote, read by TypeScript', () => {
  const shown = texts(readNotebook(path));
  for (const text of [
    '0, 3, 6, 9, 12, 15, 18, 21, 24, 27',
    '2, 2, 2, 2, 2, 4, 4, 4, 4, 4',
    'exported: second'
  ])
    expect(shown.some(candidate => candidate.includes(text))).toBe(true);
});
