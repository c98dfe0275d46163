/** What `npm run package` has made, in build/packages. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup/repository.ts';

const folder = join(root, 'build', 'packages');
export const pythonPackages = join(folder, 'python');

function find(place: string, pattern: RegExp): string {
  const name = readdirSync(join(folder, place)).find(file => pattern.test(file));
  if (name === undefined)
    throw new Error(`no ${String(pattern)} in build/packages/${place}: run npm run package`);
  return join(folder, place, name);
}

export const platformWheel = (): string => find('python', /manylinux.*\.whl$/);
export const anyWheel = (): string => find('python', /-any\.whl$/);
export const sourceDistribution = (): string => find('python', /\.tar\.gz$/);
export const libraryTarball = (): string => find('npm', /^stridelab-\d/);
export const kernelTarball = (): string => find('npm', /^stridelab-kernel-\d/);
export const addonTarball = (): string => find('npm', /^stridelab-linux-x64-gnu-\d/);

export const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string;
};
