/**
 * `npm run bench:kernels`: times kernels written in TypeScript on the simulated device, beside NumPy and Numba, which it installs into
 * build/bench-kernels. `npm run bench:kernels -- --gpu` times them on the first GPU, beside CUDA C++, numba-cuda, CuPy and Warp of
 * `python3` (or STRIDELAB_BENCH_PYTHON); without a GPU it reports why it skipped. Both store a page in bench/results, or in the folder of
 * `--out FOLDER`.
 */
import './setup/minimum-node.mjs';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runForeground, runStep } from './setup/child.mjs';
import { runCommand, SetupFailure } from './setup/failure.mjs';
import { whyNoGpu } from './setup/gpu.mjs';
import { ensureNative } from './setup/native.mjs';
import { runtimeNode, underRuntimeNode } from './setup/node.mjs';
import { paths, pythonOf, root } from './setup/paths.mjs';
import { fingerprint, refresh } from './setup/stamp.mjs';
import { ensureTypeScript } from './setup/typescript.mjs';

const PACKAGES = ['numba==0.68.1', 'numpy==2.4.6', 'scipy==1.17.1'];
const environment = join(paths.build, 'bench-kernels');

await runCommand(() =>
  underRuntimeNode(import.meta.url, async () => {
    const { values } = parseArgs({ options: { gpu: { type: 'boolean' }, out: { type: 'string' } } });
    const gpu = values.gpu === true;
    await ensureNative();
    await ensureTypeScript();
    const problem = gpu ? whyNoGpu() : undefined;
    if (problem !== undefined) {
      console.log(`skipped: nothing was measured, because ${problem}`);
      return 0;
    }
    const python = process.env['STRIDELAB_BENCH_PYTHON'] ?? (gpu ? 'python3' : await pythonWithNumba());
    const program = join(root, 'bench', 'kernels', gpu ? 'all-on-gpu.mjs' : 'simulated.mjs');
    const folder = resolve(values.out ?? join(root, 'bench', 'results'));
    const args = ['--import', 'stridelab/register', program, '--out', folder];
    return runForeground(runtimeNode(), args, { env: { ...process.env, STRIDELAB_BENCH_PYTHON: python } });
  })
);

/** Installs Numba, NumPy and SciPy. Without them NumPy of `.venv` is measured. @returns {Promise<string>} a Python */
async function pythonWithNumba() {
  const python = pythonOf(environment);
  try {
    await refresh({
      name: 'bench-kernels',
      doing: 'installing Numba, NumPy and SciPy into build/bench-kernels',
      hash: fingerprint([], PACKAGES),
      results: [python],
      work: async () => {
        rmSync(environment, { recursive: true, force: true });
        await runStep('bench-kernels-venv', paths.python, ['-m', 'venv', environment], {
          fix: 'install the venv module of this Python (on Debian and Ubuntu: apt-get install python3-venv).'
        });
        await runStep(
          'bench-kernels',
          python,
          ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-cache-dir', ...PACKAGES],
          { fix: 'check the connection to the Python package index.' }
        );
      }
    });
    return python;
  } catch (error) {
    if (!(error instanceof SetupFailure)) throw error;
    console.error(error.message);
    return paths.python;
  }
}
