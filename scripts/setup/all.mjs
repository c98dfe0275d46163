import { ensureExtension } from './extension.mjs';
import { ensureKernelspec } from './kernelspec.mjs';
import { ensureNative } from './native.mjs';
import { together } from './together.mjs';
import { ensureTypeScript } from './typescript.mjs';

/** Runs all steps between the npm packages and a running notebook; each is skipped while its result is fresh. */
export async function ensureAll() {
  await together(ensureNative(), ensureTypeScript().then(ensureExtension));
  await ensureKernelspec();
}
