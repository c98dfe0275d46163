/** `node --import stridelab/register program.ts`: kernels of the program's files, in TypeScript and JavaScript, work. */

import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ArgumentError } from './base/errors.ts';
import { withSourceMap } from './kernels/source/source-map.ts';
import { annotateFile, isUserFile } from './kernels/source/user-files.ts';

const TYPESCRIPT = /\.[cm]?tsx?$/;

/** The hooks that load the program's files. `hooks.deregister()` removes them. */
export const hooks = registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const path = url.startsWith('file:') ? fileURLToPath(url) : '';
    if (!isUserFile(path) || loaded.source === undefined) return loaded;
    const text = textOf(loaded.source);
    const insertions = annotateFile(path, text);
    if (insertions.length === 0) return loaded;
    if (TYPESCRIPT.test(path) && text !== readFileSync(path, 'utf8')) failForOrder(path);
    // Node removes the types, which moves nothing.
    return { ...loaded, source: withSourceMap(text, insertions, basename(path)) };
  }
});

/** Of several hooks, the one that was registered first gets the file first. */
function failForOrder(path: string): never {
  throw new ArgumentError(
    `stridelab/register: another loader has compiled ${path} before, so that the types of its kernels are gone: ` +
      'put --import stridelab/register before the other --import, or into NODE_OPTIONS'
  );
}

function textOf(source: string | ArrayBuffer | NodeJS.TypedArray): string {
  return typeof source === 'string' ? source : new TextDecoder().decode(source);
}
