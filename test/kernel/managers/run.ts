/** Runs manager_tests.py with an installed kernelspec. */

import { join } from 'node:path';
import { root, run } from '../../setup/repository.ts';
import { stridelab } from '../cli/command.ts';

export interface ManagerTests {
  /** The output if a test failed, else empty. */
  readonly failures: string;
  readonly passed: readonly string[];
  readonly skipped: readonly string[];
}

/** Runs the named tests, by default all, below a new folder. `packages` is searched for Jupyter's packages before `.venv`. */
export async function runManagerTests(
  folder: string,
  { packages, only = [] }: { readonly packages?: string; readonly only?: readonly string[] } = {}
): Promise<ManagerTests> {
  const { status: installed, stderr } = await stridelab([
    'install',
    '--prefix',
    folder,
    '--node',
    process.execPath
  ]);
  if (installed !== 0) throw new Error(stderr);
  const tests = join(root, 'test', 'kernel', 'managers');
  const { status, output } = await run(
    join(root, '.venv', 'bin', 'python'),
    ['-B', '-W', 'ignore', join(tests, 'manager_tests.py'), ...only],
    {
      PYTHONPATH: [...(packages === undefined ? [] : [packages]), tests].join(':'),
      JUPYTER_PATH: join(folder, 'share', 'jupyter'),
      JUPYTER_RUNTIME_DIR: join(folder, 'runtime'),
      STRIDELAB_HISTORY: 'off'
    }
  );
  const names = (verdict: string): string[] =>
    [...output.matchAll(/^test_\w+ \(__main__\.([\w.]+)\)(?:\n.*)?? \.\.\. (\w+)/gm)]
      .filter(([, , word]) => word === verdict)
      .map(([, name]) => name!)
      .sort();
  return { failures: status === 0 ? '' : output, passed: names('ok'), skipped: names('skipped') };
}
