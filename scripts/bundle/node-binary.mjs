import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runStep } from '../setup/child.mjs';
import { runtimeNode } from '../setup/node.mjs';
import { paths } from '../setup/paths.mjs';

const XZ_FIX = 'install xz (on Debian and Ubuntu: apt-get install xz-utils).';

/**
 * Puts the compressed Node binary into a folder. Compressing takes a minute, so the result is cached.
 * @param {string} folder
 * @returns {Promise<string>} the file's name
 */
export async function addNodeBinary(folder) {
  const node = runtimeNode();
  const hash = createHash('sha256').update(readFileSync(node)).digest('hex').slice(0, 16);
  const cache = join(paths.build, 'cache', `node-${hash}.xz`);
  if (!existsSync(cache)) {
    console.log(`bundle: compressing ${basename(node)}, once`);
    mkdirSync(join(paths.build, 'cache'), { recursive: true });
    await runStep(
      'xz',
      'bash',
      ['-c', 'xz -6 --threads=2 --stdout "$1" > "$2.part" && mv "$2.part" "$2"', 'xz', node, cache],
      {
        fix: XZ_FIX
      }
    );
  }
  copyFileSync(cache, join(folder, 'node.xz'));
  return 'node.xz';
}
