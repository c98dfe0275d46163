/**
 * The compiled code of modules, which Node keeps between processes: programs start sooner that do not compile their own code again. What
 * cells import is kept too. Without a folder that can be written, programs start without the cache.
 */

import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from './folders.ts';

/** Returns whether NODE_COMPILE_CACHE names a folder. Node then uses that one, whose size is its owner's concern. */
export const isCacheChosen = (): boolean => Boolean(process.env['NODE_COMPILE_CACHE']);

export function useCodeCache(): void {
  if (isCacheChosen()) return;
  const caches = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const folder = join(caches, 'stridelab', 'modules');
  try {
    // Node would make it too, but never returns in folders such as `/proc`.
    makeFolder(folder);
  } catch {
    return;
  }
  // Node 20 has no such function.
  (module as Partial<typeof module>).enableCompileCache?.(folder);
}
