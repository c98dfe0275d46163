/** Empty npm projects. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup/repository.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { succeed } from './pythons.ts';

const cache = join(root, 'build', 'cache', 'npm-packages');

/** Makes an empty project and installs packages into it. */
export async function project(type: 'module' | 'commonjs', ...packages: readonly string[]): Promise<string> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'empty', private: true, type }));
  writeFileSync(join(folder, '.npmrc'), `ignore-scripts=true\ncache=${cache}\naudit=false\nfund=false\n`);
  await succeed('npm', ['install', '--prefix', folder, '--loglevel=error', ...packages]);
  return folder;
}
