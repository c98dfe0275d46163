/** `node --import stridelab/register program.ts`: kernels of the program's files, in TypeScript and JavaScript, work. */

import { registerHooks } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withSourceMap } from './kernels/source/source-map.ts';
import { annotateFile, isUserFile } from './kernels/source/user-files.ts';

/** The hooks that load the program's files. `hooks.deregister()` removes them. */
export const hooks = registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const path = url.startsWith('file:') ? fileURLToPath(url) : '';
    if (!isUserFile(path) || loaded.source === undefined) return loaded;
    const text = textOf(loaded.source);
    const insertions = annotateFile(path, text);
    // Node removes the types, which moves nothing.
    return insertions.length === 0
      ? loaded
      : { ...loaded, source: withSourceMap(text, insertions, basename(path)) };
  }
});

function textOf(source: string | ArrayBuffer | NodeJS.TypedArray): string {
  return typeof source === 'string' ? source : new TextDecoder().decode(source);
}
