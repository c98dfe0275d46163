/**
 * `npm run bench`: times calls, operations and copies on the simulated device, and compares them with NumPy. `npm run bench:gpu` (`--gpu`)
 * compares the first GPU with CuPy, PyTorch, Numba, cuda.core and the driver alone; without a GPU it reports why it skipped. Other
 * arguments go to bench/run.mjs: `-- --only calls --only curves --out FOLDER`.
 */
import './setup/minimum-node.mjs';
import { join } from 'node:path';
import { capture, runForeground } from './setup/child.mjs';
import { runCommand } from './setup/failure.mjs';
import { whyNoGpu } from './setup/gpu.mjs';
import { ensureNative } from './setup/native.mjs';
import { runtimeNode, underRuntimeNode } from './setup/node.mjs';
import { paths, root } from './setup/paths.mjs';
import { ensureTypeScript } from './setup/typescript.mjs';

await runCommand(() =>
  underRuntimeNode(import.meta.url, async () => {
    const gpu = process.argv.includes('--gpu');
    await ensureNative();
    await ensureTypeScript();
    const problem = gpu ? whyNoGpu() : undefined;
    if (problem !== undefined) {
      console.log(`skipped: nothing was measured, because ${problem}`);
      return 0;
    }
    const python = process.env['STRIDELAB_BENCH_PYTHON'] ?? (gpu ? 'python3' : await pythonWithNumpy());
    const rest = process.argv.slice(2).filter(argument => argument !== '--gpu');
    const args = [join(root, 'bench', 'run.mjs'), gpu ? 'cuda:0' : 'sim:0', ...rest];
    return runForeground(runtimeNode(), args, { env: { ...process.env, STRIDELAB_BENCH_PYTHON: python } });
  })
);

/** Returns the Python of `.venv` if it has NumPy, otherwise the system's. */
async function pythonWithNumpy() {
  const { status } = await capture(paths.python, ['-c', 'import numpy']);
  return status === 0 ? paths.python : 'python3';
}
