import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { filesOf } from '../package/tree.mjs';

/**
 * Writes what would be published into a folder, which it empties first: the packages, `SHA256SUMS` and `NOTES.md`.
 * @param {string} packages folder of the packages
 * @param {string} target
 * @param {string} notes
 * @returns {string[]} paths of the packages in `target`
 */
export function collectRelease(packages, target, notes) {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const files = filesOf(packages, /\.(whl|gz|tgz)$/).map(file => {
    const copy = join(target, basename(file));
    cpSync(file, copy);
    return copy;
  });
  const sums = files.map(file => `${sha256(file)}  ${basename(file)}\n`).join('');
  writeFileSync(join(target, 'SHA256SUMS'), sums);
  writeFileSync(join(target, 'NOTES.md'), notes);
  return files;
}

/** @param {string} file */
function sha256(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
