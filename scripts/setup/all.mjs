import { ensureExtension } from './extension.mjs';
import { ensureKernelspec } from './kernelspec.mjs';
import { ensureNative } from './native.mjs';
import { ensurePython } from './python.mjs';
import { ensureTypeScript } from './typescript.mjs';

/**
 * Runs all steps between the npm packages and a running notebook, in order; each is skipped while its result is fresh.
 * The Python environment comes before the native core, whose build may use its CMake.
 */
export async function ensureAll() {
  await ensurePython();
  await ensureNative();
  await ensureTypeScript();
  await ensureExtension();
  await ensureKernelspec();
}
