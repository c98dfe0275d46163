/** The prebuilt JupyterLab extension below a data folder: a link to what this copy of the package has built. */

import { existsSync, lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writingTo } from '../kit/failure.ts';
import { packageFiles } from '../kit/package-files.ts';

/** JupyterLab's note on who installed an extension; what a package manager put there is left to it. */
const MANAGED_BY = 'install.json';

export function extensionFolder(dataFolder: string): string {
  return join(dataFolder, 'labextensions', 'stridelab');
}

function isManaged(folder: string): boolean {
  return lstatSync(folder).isDirectory() && existsSync(join(folder, MANAGED_BY));
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

const isLinkTo = (path: string, source: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true && readlinkSync(path) === source;

/** Gives the folder, or undefined where nothing was built or a package manager keeps the extension. @throws CommandFailure */
export function linkExtension(dataFolder: string): string | undefined {
  const source = packageFiles.labextension;
  const target = extensionFolder(dataFolder);
  if (!existsSync(join(source, 'package.json'))) return undefined;
  return writingTo(target, () => {
    if (isThere(target) && isManaged(target)) return undefined;
    if (isLinkTo(target, source)) return target;
    mkdirSync(dirname(target), { recursive: true });
    rmSync(target, { recursive: true, force: true });
    symlinkSync(source, target);
    return target;
  });
}

/** Gives the folder that was removed. @throws CommandFailure */
export function unlinkExtension(dataFolder: string): string | undefined {
  const target = extensionFolder(dataFolder);
  if (!isThere(target) || isManaged(target)) return undefined;
  writingTo(target, () => rmSync(target, { recursive: true }));
  return target;
}
