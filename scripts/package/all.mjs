import { SetupFailure } from '../setup/failure.mjs';
import { paths } from '../setup/paths.mjs';
import { packNpm } from './npm.mjs';
import { ensurePortableAddons } from './portable.mjs';
import { packPython } from './python.mjs';

/**
 * Makes and checks all packages, in the folder `packages` of `folder`. Needs the compiled product.
 * @param {string} [folder]
 */
export async function makePackages(folder = paths.build) {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new SetupFailure(
      `The packages contain programs for Linux on x86-64, which are copied from this machine, but it is ${process.platform}-${process.arch}: run this command on Linux on x86-64.`
    );
  await ensurePortableAddons();
  await packNpm(folder);
  await packPython(folder);
}
