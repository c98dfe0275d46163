/** The prebuilt JupyterLab extension in a data folder: a link to the build of this copy of the package. */

import { existsSync, lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writingTo } from '../kit/failure.ts';
import { packageFiles } from '../kit/package-files.ts';

/** JupyterLab's record of who installed an extension; those installed by a package manager are not touched. */
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

/** Links the extension; returns its folder, undefined if it is not built or a package manager installed it. @throws CommandFailure */
export function linkExtension(dataFolder: string): string | undefined {
  const source = packageFiles.labextension;
  const target = extensionFolder(dataFolder);
  if (source === undefined || !existsSync(join(source, 'package.json'))) return undefined;
  return writingTo(target, () => {
    if (isThere(target) && isManaged(target)) return undefined;
    if (isLinkTo(target, source)) return target;
    mkdirSync(dirname(target), { recursive: true });
    rmSync(target, { recursive: true, force: true });
    symlinkSync(source, target);
    return target;
  });
}

/** Removes the extension and returns its former folder; undefined if there is none to remove. @throws CommandFailure */
export function unlinkExtension(dataFolder: string): string | undefined {
  const target = extensionFolder(dataFolder);
  if (!isThere(target) || isManaged(target)) return undefined;
  writingTo(target, () => rmSync(target, { recursive: true }));
  return target;
}
