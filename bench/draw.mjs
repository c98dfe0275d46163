/**
 * Brings docs/performance.md up to date with results: `node bench/draw.mjs RESULTS.json...` draws the curves into docs/images, in two
 * themes, and replaces the parts of the page between `<!-- results: NAME -->` and `<!-- end -->`. Several files, of one GPU and of two, are
 * read as one.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pictures, themes } from './curves.mjs';
import { filled, merged } from './performance-page.mjs';

const docs = fileURLToPath(new URL('../docs', import.meta.url));
const files = process.argv.slice(2);
if (files.length === 0)
  throw new Error('no results given: node bench/draw.mjs bench/results/DATE-DEVICE.json');
const results = files.map(file => ({
  name: basename(file, '.json'),
  ...JSON.parse(readFileSync(file, 'utf8'))
}));
const page = join(docs, 'performance.md');
writeFileSync(page, filled(readFileSync(page, 'utf8'), results));
for (const { name, draw } of pictures(merged(results)))
  for (const theme of themes)
    writeFileSync(join(docs, 'images', `performance-${name}-${theme}.svg`), await draw(theme));
console.log(page);
