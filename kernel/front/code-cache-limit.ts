/** Bounds the folder of the compiled modules. It is apart from the code that uses the cache, which a process loads before anything else. */

import { readdir, rm } from 'node:fs/promises';
import module from 'node:module';
import { isCacheChosen } from '../protocol/code-cache.ts';

/** Files above which the folder is removed: each edit of a local module adds one, and Node removes none. */
const MAX_FILES = 2_000;

/** Removes the folder of the cache if it has become large; running programs that use it are not affected. */
export async function limitCodeCache(
  folder = isCacheChosen() ? undefined : (module as Partial<typeof module>).getCompileCacheDir?.(),
  maxFiles = MAX_FILES
): Promise<void> {
  if (folder === undefined) return;
  const files = await readdir(folder).catch(() => []);
  if (files.length > maxFiles) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}
