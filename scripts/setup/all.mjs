import { ensureExtension } from './extension.mjs';
import { ensureKernelspec } from './kernelspec.mjs';
import { ensureNative } from './native.mjs';
import { ensurePython } from './python.mjs';
import { ensureTypeScript } from './typescript.mjs';

/**
 * Everything between the npm packages and a running notebook, in order; each step does nothing when it is fresh.
 * The environment comes before the native core, which may take CMake from it.
 */
export async function ensureAll() {
  await ensurePython();
  await ensureNative();
  await ensureTypeScript();
  await ensureExtension();
  await ensureKernelspec();
}
