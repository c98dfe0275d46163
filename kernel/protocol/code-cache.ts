/**
 * The compiled code of modules, which Node keeps between processes: programs start sooner that do not compile their own code again. What
 * cells import is kept too. Without a folder that can be written, programs start without the cache.
 */

import { readdir, rm } from 'node:fs/promises';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from './folders.ts';

/** Files above which the folder is removed: each edit of a local module adds one, and Node removes none. */
const MAX_FILES = 2_000;

/** Node itself uses the folder that this variable names; its size is its owner's concern. */
const isChosen = (): boolean => Boolean(process.env['NODE_COMPILE_CACHE']);

export function useCodeCache(): void {
  if (isChosen()) return;
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

/** Removes the folder of the cache if it has become large; running programs that use it are not affected. */
export async function limitCodeCache(
  folder = isChosen() ? undefined : (module as Partial<typeof module>).getCompileCacheDir?.(),
  maxFiles = MAX_FILES
): Promise<void> {
  if (folder === undefined) return;
  const files = await readdir(folder).catch(() => []);
  if (files.length > maxFiles) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}
