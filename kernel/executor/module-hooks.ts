/** Cells get the array library that belongs to this kernel, wherever the notebook lies. */

import { registerHooks } from 'node:module';

const LIBRARY_URL = new URL('../../src/index.js', import.meta.url).href;

export function resolveOwnLibrary(): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      if (specifier !== 'stridelab') return nextResolve(specifier, context);
      return { url: LIBRARY_URL, format: 'module', shortCircuit: true };
    }
  });
}
