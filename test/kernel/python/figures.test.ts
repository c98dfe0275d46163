/** matplotlib figures, with a stand-in module if the tests' Python has no matplotlib. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WITHOUT_TYPES, type Content, type Execution } from '../client.ts';
import { kernel, withKernel } from '../one-kernel.ts';
import { PYTHON, withPython } from './environment.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

function has(module: string): boolean {
  try {
    execFileSync(PYTHON, ['-c', `import ${module}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The few functions of pyplot that the notebook calls. */
const STAND_IN = `
from matplotlib.figure import Figure
_open = {}
def get_backend(): return "agg"
def figure(number=None):
    if number in _open: return _open[number]
    number = len(_open) + 1
    _open[number] = Figure()
    return _open[number]
def get_fignums(): return list(_open)
def close(figure):
    for number in [n for n, f in _open.items() if f is figure]: del _open[number]
`;
const FIGURE = `
class Figure:
    def savefig(self, file, format, bbox_inches): file.write(b"\\x89PNG")
    def __repr__(self): return "<Figure>"
`;

withPython(has('matplotlib') ? 'figures of matplotlib' : 'figures of a stand-in for matplotlib', () => {
  const folder = temporaryFolder();
  withKernel('ipc', { ...WITHOUT_TYPES, STRIDELAB_PYTHON: PYTHON });
  beforeAll(async () => {
    if (!has('matplotlib')) {
      mkdirSync(join(folder, 'matplotlib'));
      writeFileSync(join(folder, 'matplotlib/__init__.py'), '');
      writeFileSync(join(folder, 'matplotlib/pyplot.py'), STAND_IN);
      writeFileSync(join(folder, 'matplotlib/figure.py'), FIGURE);
    }
    await kernel.execute(
      `import { python } from "stridelab"; python.import("sys").path.append(${JSON.stringify(folder)})`
    );
  });

  const pictures = ({ messages }: Execution): string[] =>
    messages
      .filter(({ type }) => type === 'display_data' || type === 'execute_result')
      .map(({ content }) => (content['data'] as Content)['image/png'] as string);

  test('that a cell leaves open are shown once at its end', async () => {
    const made = await kernel.execute(
      'const plt = python.import("matplotlib.pyplot"); plt.figure(); plt.figure(); void 0;'
    );
    expect(pictures(made)).toHaveLength(2);
    for (const picture of pictures(made)) expect(picture).toMatch(/^iVBOR/);
    expect(pictures(await kernel.execute('void 1;'))).toEqual([]);
  });

  test('are shown too if the cell fails after making them', async () => {
    expect(
      pictures(await kernel.execute('%%python\nimport matplotlib.pyplot as plt\nplt.figure()\n1/0'))
    ).toHaveLength(1);
  });

  test('as the result are shown as a picture, once', async () => {
    const shown = await kernel.execute('%%python\nf = plt.figure()\nf');
    expect(pictures(shown)).toHaveLength(1);
    expect(shown.result).toMatch(/Figure/);
  });
});
