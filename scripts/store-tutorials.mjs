/**
 * Runs the tutorials on the simulated device and stores them with their outputs.
 * A notebook that fails is not changed. The tour of the kernel is stored without outputs, because some of its cells fail on purpose.
 */
import './setup/minimum-node.mjs';
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureAll } from './setup/all.mjs';
import { capture } from './setup/child.mjs';
import { runCommand } from './setup/failure.mjs';
import { runtimeNode, underRuntimeNode } from './setup/node.mjs';
import { paths, root } from './setup/paths.mjs';

const notebooks = join(root, 'notebooks');
const results = join(paths.build, 'tutorials');

await runCommand(() =>
  underRuntimeNode(import.meta.url, async () => {
    await ensureAll();
    mkdirSync(results, { recursive: true });
    const names = readdirSync(notebooks).filter(name => /^(0\d|11)-.*\.ipynb$/.test(name));
    let failed = 0;
    for (const name of names) failed += Number(!(await store(name)));
    return failed === 0 ? 0 : 1;
  })
);

/** @param {string} name @returns {Promise<boolean>} whether it ran to its end */
async function store(name) {
  const [source, result] = [join(notebooks, name), join(results, name)];
  const main = join(paths.kernelCommand, 'main.js');
  const { status, output } = await capture(runtimeNode(), [main, 'run', source, '--output', result], {
    env: { ...process.env, STRIDELAB_DEVICE: 'sim:0', STRIDELAB_PYTHON: paths.python }
  });
  // An error while a value is displayed does not fail its cell.
  const errors = status === 0 ? errorsIn(result) : [output.trimEnd()];
  console.log(`${name}: ${errors.length === 0 ? 'stored' : 'FAILED'}`);
  for (const error of errors) console.log(error);
  if (errors.length === 0) copyFileSync(result, source);
  return errors.length === 0;
}

/** @param {string} file a notebook @returns {string[]} */
function errorsIn(file) {
  /** @type {{ cells: { outputs?: { output_type: string, ename?: string, evalue?: string }[] }[] }} */
  const { cells } = JSON.parse(readFileSync(file, 'utf8'));
  return cells
    .flatMap(({ outputs = [] }) => outputs.filter(({ output_type }) => output_type === 'error'))
    .map(({ ename, evalue }) => `${ename}: ${evalue}`);
}
