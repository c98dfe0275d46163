/**
 * The PATH of cells. Its first `node` is the kernel's own, so that add-ons that npm builds, and programs that cells start, match the
 * Node that loads them. Its folder has nothing else: that of the kernel's Node may hold other programs, a Python for instance.
 */

import { existsSync, mkdtempSync, readlinkSync, realpathSync, renameSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { makeFolder } from '../../protocol/folders.ts';

/** Where programs are found if PATH is not set. */
const DEFAULT_PATH = ['/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);

/** Returns the PATH for cells. `node` is the kernel's Node, with its real path. */
export function pathWithNode(
  environment: Readonly<NodeJS.ProcessEnv> = process.env,
  node = process.execPath
): string {
  const given = environment['PATH'] ?? DEFAULT_PATH;
  const folders = given.split(delimiter);
  // A Node in a wheel has its npm beside it, which serves if there is no other.
  const beside = dirname(node);
  const last = folders.includes(beside) ? [] : [beside];
  const first = folders.find(folder => isAbsolute(folder) && existsSync(join(folder, 'node')));
  if (first !== undefined && realpathSync(join(first, 'node')) === node)
    return [...folders, ...last].join(delimiter);
  const link = linkFolder(environment, node);
  return [...link, ...folders.filter(folder => !link.includes(folder)), ...last].join(delimiter);
}

/** Returns the folder of a link to `node`: in the user's cache, else a temporary one; none if neither can be written. */
function linkFolder(environment: Readonly<NodeJS.ProcessEnv>, node: string): readonly string[] {
  const cache = environment['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const choices = [
    // Below its own path: loading a hash function would delay the start of the executor.
    () => join(cache, 'stridelab', 'node', dirname(node)),
    () => mkdtempSync(join(tmpdir(), 'stridelab-node-'))
  ];
  for (const choose of choices) {
    try {
      const folder = choose();
      link(folder, node);
      return [folder];
    } catch {
      // The next choice.
    }
  }
  return [];
}

function link(folder: string, node: string): void {
  const file = join(folder, 'node');
  makeFolder(folder);
  if (existsSync(file) && readlinkSync(file) === node) return;
  // Another kernel may make the same link now.
  const draft = join(folder, `.node.${process.pid}`);
  symlinkSync(node, draft);
  renameSync(draft, file);
}
