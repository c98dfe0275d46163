/** Checks that the native core includes only headers of lower layers of `layers.mjs`. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { filesBelow } from '../setup/stamp.mjs';
import { layers } from './layers.mjs';

const INCLUDE = /^#include "([^"]+)\/[^/"]+"/gm;

/**
 * Finds the includes that break the order of the layers.
 * @param {string} native folder of the native core
 * @returns {string[]} a sentence for each include of a higher layer, or to or from a folder that is not listed
 */
export function wrongIncludes(native) {
  /** @type {string[]} */
  const found = [];
  for (const file of filesBelow(native, ['.h', '.cc'])) {
    const room = relative(native, dirname(file));
    if (room.startsWith('build')) continue;
    const place = layers.native.indexOf(room);
    if (place < 0) found.push(`${file}: the folder native/${room} is missing in scripts/layers/layers.mjs`);
    for (const [, used = ''] of readFileSync(file, 'utf8').matchAll(INCLUDE))
      if (layers.native.indexOf(used) > place)
        found.push(
          `${file}: native/${room} includes native/${used}, a higher layer in scripts/layers/layers.mjs`
        );
  }
  return found;
}

if (import.meta.filename === process.argv[1]) {
  const found = wrongIncludes(join(import.meta.dirname, '..', '..', 'native'));
  for (const sentence of found) console.log(sentence);
  process.exitCode = found.length === 0 ? 0 : 1;
}
