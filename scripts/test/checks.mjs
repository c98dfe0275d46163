import { join } from 'node:path';
import { capture } from '../setup/child.mjs';
import { runtimeNode } from '../setup/node.mjs';
import { paths, root } from '../setup/paths.mjs';
import { compiler } from '../setup/typescript.mjs';

const eslint = join(paths.packages, 'eslint', 'bin', 'eslint.js');
const prettier = join(paths.packages, 'prettier', 'bin', 'prettier.cjs');
const knip = join(paths.packages, 'knip', 'bin', 'knip.js');
const cruiser = join(paths.packages, 'dependency-cruiser', 'bin', 'dependency-cruiser.mjs');
const layers = join(root, 'scripts', 'layers');
const cache = join(paths.build, 'cache');
/** @param {string} name @returns {string} a program of `.venv` */
const python = name => join(paths.venvPrograms, name);

/**
 * The checks before the tests. They are quick, because each keeps a cache in build. Without `program`, Node runs the arguments.
 * @type {readonly { name: string, program?: string, args: readonly string[] }[]}
 */
const CHECKS = [
  { name: 'native code that changed', args: [join(root, 'scripts', 'native-lint.mjs'), '--changed'] },
  { name: 'format of Python', program: python('ruff'), args: ['format', '--check', '.'] },
  { name: 'ruff', program: python('ruff'), args: ['check', '.'] },
  { name: 'types of Python', program: python('mypy'), args: [] },
  { name: 'types of the tests', args: [compiler, '-b', join(root, 'test'), '--pretty', 'false'] },
  { name: 'types of the scripts', args: [compiler, '-p', join(root, 'scripts'), '--pretty', 'false'] },
  {
    name: 'layers',
    args: [cruiser, '--config', join(layers, 'rules.mjs'), 'src', 'kernel', 'labextension/src']
  },
  { name: 'layers of the native core', args: [join(layers, 'includes.mjs')] },
  { name: 'unused files, exports and packages', args: [knip, '--no-config-hints'] },
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
 * Runs all checks concurrently, and shows the findings of each when it ends.
 * @returns {Promise<number>} the number of failed checks
 */
export async function runChecks() {
  const succeeded = await Promise.all(
    CHECKS.map(async ({ name, program, args }) => {
      const start = performance.now();
      const { status, output } = await capture(program ?? runtimeNode(), args);
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      const lines = output.trimEnd().split('\n');
      const verdict = status === 0 ? `ok (${seconds} s)` : `FAILED (${seconds} s)`;
      // The line reports, for example, that a check had no inputs.
      console.log(
        status === 0 && lines.length === 1 && lines[0]
          ? `${name}: ${verdict}: ${lines[0]}`
          : `${name}: ${verdict}`
      );
      if (status !== 0) console.log(lines.join('\n'));
      return status === 0;
    })
  );
  return succeeded.filter(ok => !ok).length;
}
