import { join } from 'node:path';
import { capture } from '../setup/child.mjs';
import { runtimeNode } from '../setup/node.mjs';
import { paths, root } from '../setup/paths.mjs';
import { compiler } from '../setup/typescript.mjs';

const eslint = join(paths.packages, 'eslint', 'bin', 'eslint.js');
const prettier = join(paths.packages, 'prettier', 'bin', 'prettier.cjs');
const cache = join(paths.build, 'cache');

/** What is checked before the tests run: quick, because each keeps a cache under build. */
const CHECKS = [
  { name: 'types of the tests', args: [compiler, '-b', join(root, 'test'), '--pretty', 'false'] },
  { name: 'types of the scripts', args: [compiler, '-p', join(root, 'scripts'), '--pretty', 'false'] },
  {
    name: 'eslint',
    args: [
      eslint,
      '.',
      '--max-warnings',
      '0',
      '--cache',
      '--cache-strategy',
      'content',
      '--cache-location',
      join(cache, 'eslint.json')
    ]
  },
  {
    name: 'prettier',
    args: [
      prettier,
      '--check',
      '.',
      '--cache',
      '--cache-strategy',
      'content',
      '--cache-location',
      join(cache, 'prettier.json')
    ]
  }
];

/**
 * Runs the type check, ESLint and Prettier one after another and shows what they found.
 * @returns {Promise<number>} how many of them failed
 */
export async function runChecks() {
  let failed = 0;
  for (const { name, args } of CHECKS) {
    const start = performance.now();
    const { status, output } = await capture(runtimeNode(), args);
    console.log(
      `${name}: ${status === 0 ? 'ok' : 'FAILED'} (${((performance.now() - start) / 1000).toFixed(1)} s)`
    );
    if (status !== 0) console.log(output.trimEnd());
    if (status !== 0) failed += 1;
  }
  return failed;
}
