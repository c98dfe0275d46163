/** The notebook of the exchange with Python, run without a GPU: NumPy's arrays, Numba's simulator where it is installed. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stridelab } from '../kernel/cli/command.ts';
import { root } from '../setup/repository.ts';
import { libraries, pythonOfTests } from '../src/python/environment.ts';
import { codeCells, readNotebook, type CodeCell, type Notebook } from './notebook-files.ts';

const path = join(root, 'notebooks', '02-exchange.ipynb');

/** What a run shows on every device: what the kernel wrote, read by TypeScript, and what waits for what. */
const CLAIMS = [
  '0, 3, 6, 9, 12, 15, 18, 21, 24, 27',
  'Python reads 7 same address: true',
  'TypeScript reads -1',
  '2, 2, 2, 2, 2, 4, 4, 4, 4, 4',
  'exported: ',
  'read-only'
];

/** What each code cell shows as text. */
const texts = (notebook: Notebook): string[] =>
  codeCells(notebook).map(cell =>
    textOf(cell)
      .replaceAll(/\u001b\[\d+m/g, '')
      .replaceAll(/\s+/g, ' ')
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
  `the notebook of the exchange runs to its end, and shows what it tells of${why}`,
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
      const shown = texts(executed);
      for (const claim of CLAIMS) expect(shown).toContainEqual(expect.stringContaining(claim));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  60_000
);

test('what is stored shows the same', () => {
  const shown = texts(readNotebook(path));
  for (const claim of CLAIMS) expect(shown).toContainEqual(expect.stringContaining(claim));
});
