/** `stridelab install` and `stridelab uninstall`. */

import { existsSync } from 'node:fs';
import { CommandFailure } from './kit/failure.ts';
import { dataFolder, searchedDataFolders, type Location } from './jupyter/data-folders.ts';
import { linkExtension, unlinkExtension } from './jupyter/extension.ts';
import {
  checkKernelName,
  DEFAULT_DISPLAY_NAME,
  kernelspecFolder,
  ownKernelspecs,
  readKernelspec,
  removeKernelspec,
  writeKernelspec,
  type InstalledKernelspec
} from './jupyter/kernelspec.ts';
import { findNodeRuntime } from './kit/node-runtime.ts';
import { packageFiles } from './kit/package-files.ts';

export interface InstallOptions extends Location {
  readonly name: string;
  readonly displayName?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly node?: string;
  readonly force?: boolean;
}

/**
 * Registers the kernel, and the JupyterLab extension if it is built. If this kernel is already registered, updates the
 * paths and keeps the metadata, and the display name and the variables that are not given again.
 * @returns lines to print
 * @throws CommandFailure before anything is written, if something is missing
 */
export function install(options: InstallOptions): string[] {
  const name = checkKernelName(options.name);
  if (!existsSync(packageFiles.kernelMain)) {
    throw new CommandFailure(`${packageFiles.kernelMain} does not exist: build it with npm run build.`);
  }
  const folder = dataFolder(options);
  const known = readKernelspec(folder, name);
  if (known !== undefined && !known.own && options.force !== true) {
    const what =
      known.spec === undefined ? 'a damaged kernelspec' : `the kernel "${known.spec.display_name}"`;
    throw new CommandFailure(
      `${known.folder} already contains ${what}: choose another --name, or pass --force to replace it.`
    );
  }
  if (known?.managed === true) return keepManaged(known, options);
  const own = known?.own === true ? known.spec : undefined;
  const node = findNodeRuntime(options.node);
  const kernelspec = writeKernelspec(folder, {
    name,
    displayName: options.displayName ?? own?.display_name ?? DEFAULT_DISPLAY_NAME,
    env: { ...own?.env, ...options.env },
    metadata: own?.metadata,
    node: node.path
  });
  const extension = linkExtension(folder);
  return [
    `installed ${kernelspec}`,
    ...(extension === undefined ? [] : [`installed ${extension}`]),
    `The kernel runs on Node ${node.version} at ${node.path}.`
  ];
}

/** Leaves the kernelspec of the Python package as it is. @throws CommandFailure if it would have to change */
function keepManaged({ folder }: InstalledKernelspec, { displayName, env, node }: InstallOptions): string[] {
  if (displayName === undefined && env === undefined && node === undefined)
    return [`${folder} was installed with the Python package: nothing to do.`];
  throw new CommandFailure(
    `${folder} belongs to the Python package, which would replace it: choose another --name for a kernel with other settings.`
  );
}

/** Removes the kernelspec. @returns lines to print @throws CommandFailure if no kernelspec of this kernel has that name */
export function uninstall({ name, ...location }: Location & { readonly name: string }): string[] {
  const folder = dataFolder(location);
  const known = readKernelspec(folder, checkKernelName(name));
  if (known?.own !== true) {
    const problem = known === undefined ? 'does not exist' : 'is a kernelspec of another kernel';
    throw new CommandFailure(`${kernelspecFolder(folder, name)} ${problem}: ${elsewhere(folder)}.`);
  }
  if (known.managed)
    throw new CommandFailure(
      `${known.folder} belongs to the Python package: remove it with pip uninstall stridelab.`
    );
  removeKernelspec(known);
  const extension = ownKernelspecs(folder).length === 0 ? unlinkExtension(folder) : undefined;
  return [known.folder, extension].filter(path => path !== undefined).map(path => `removed ${path}`);
}

function elsewhere(searched: string): string {
  const found = [...new Set([searched, ...searchedDataFolders()])].flatMap(ownKernelspecs);
  if (found.length === 0) return 'this kernel is not registered in any folder that Jupyter searches';
  return `this kernel is registered at ${found.map(({ folder }) => folder).join(', ')}; give its location with --user, --prefix, --sys-prefix and --name`;
}
