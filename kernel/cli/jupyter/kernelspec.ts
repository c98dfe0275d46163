/** Kernelspecs: the folders that register kernels with Jupyter (jupyter_client, "Kernel specs"). */

import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PROTOCOL_VERSION } from '../../protocol/messages.ts';
import { CommandFailure, replaceFile, writingTo } from '../kit/failure.ts';
import { packageFiles, packageVersion } from '../kit/package-files.ts';

export const DEFAULT_NAME = 'stridelab';
export const DEFAULT_DISPLAY_NAME = 'TypeScript (Stridelab)';
/** Arguments of the kernelspec in the Python package. Jupyter replaces `python` by its own interpreter. */
const MODULE_ARGUMENTS = ['python', '-m', 'stridelab.kernel', '{connection_file}'];
const OWN_MAIN = /[\\/]kernel[\\/]front[\\/]main\.js$/;

export interface Kernelspec {
  readonly argv: readonly string[];
  readonly display_name: string;
  readonly language: string;
  readonly interrupt_mode?: string;
  readonly kernel_protocol_version?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface InstalledKernelspec {
  readonly name: string;
  readonly folder: string;
  /** Undefined if kernel.json cannot be read. */
  readonly spec: Kernelspec | undefined;
  /** Whether it starts this kernel, in any copy or version. */
  readonly own: boolean;
  /** Whether it belongs to the installed Python package, which updates and removes it. */
  readonly managed: boolean;
}

export interface KernelspecOptions {
  readonly name: string;
  readonly displayName: string;
  readonly env: Readonly<Record<string, string>>;
  /** Metadata of an earlier installation that is kept, such as a kernel provisioner. */
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  /** Absolute path of Node 24 or newer. */
  readonly node: string;
}

export function kernelspecFolder(dataFolder: string, name: string): string {
  return join(dataFolder, 'kernels', name);
}

/** Returns the name if Jupyter accepts it. @throws CommandFailure otherwise */
export function checkKernelName(name: string): string {
  if (/^[a-z0-9._-]+$/i.test(name)) return name;
  throw new CommandFailure(
    `"${name}" is not a kernel name: use only letters without accents, digits, ".", "_" and "-".`
  );
}

function isOwn(spec: Kernelspec): boolean {
  return (
    spec.metadata?.['stridelab'] !== undefined ||
    (spec.language === 'typescript' && OWN_MAIN.test(spec.argv[1] ?? ''))
  );
}

/** Returns the kernelspec of that name; undefined if there is none. */
export function readKernelspec(dataFolder: string, name: string): InstalledKernelspec | undefined {
  const folder = kernelspecFolder(dataFolder, name);
  const file = join(folder, 'kernel.json');
  if (!existsSync(file)) return undefined;
  try {
    const spec = JSON.parse(readFileSync(file, 'utf8')) as Kernelspec;
    if (Array.isArray(spec.argv)) {
      const managed = spec.argv.join('\0') === MODULE_ARGUMENTS.join('\0');
      return { name, folder, spec, own: isOwn(spec), managed };
    }
  } catch {
    // A damaged kernelspec does not count as this kernel's.
  }
  return { name, folder, spec: undefined, own: false, managed: false };
}

export function ownKernelspecs(dataFolder: string): InstalledKernelspec[] {
  let names: string[];
  try {
    names = readdirSync(join(dataFolder, 'kernels'));
  } catch {
    return [];
  }
  return names
    .map(name => readKernelspec(dataFolder, name))
    .filter((found): found is InstalledKernelspec => found?.own === true);
}

function kernelspec(
  argv: readonly string[],
  { displayName, env, metadata }: Pick<KernelspecOptions, 'displayName' | 'env' | 'metadata'>
): Kernelspec {
  return {
    argv,
    display_name: displayName,
    language: 'typescript',
    interrupt_mode: 'message',
    // With 5.6 or later, a server may pass a registration file (JEP 66).
    kernel_protocol_version: PROTOCOL_VERSION,
    env,
    metadata: {
      ...metadata,
      debugger: true,
      // A list, as JEP 145 defines it; jupyter_client also takes the text "curve".
      supported_encryption: ['curve'],
      stridelab: { version: packageVersion() }
    }
  };
}

/** Returns the kernelspec of the Python package, which contains no paths. */
export const moduleKernelspec = (): Kernelspec =>
  kernelspec(MODULE_ARGUMENTS, { displayName: DEFAULT_DISPLAY_NAME, env: {}, metadata: undefined });

/**
 * Writes the kernelspec with its logos and its script for the classic notebook, and returns its folder; kernel.json is replaced
 * atomically. @throws CommandFailure
 */
export function writeKernelspec(dataFolder: string, options: KernelspecOptions): string {
  const folder = kernelspecFolder(dataFolder, options.name);
  const spec = kernelspec([options.node, packageFiles.kernelMain, '{connection_file}'], options);
  writingTo(folder, () => {
    mkdirSync(folder, { recursive: true });
    for (const file of readdirSync(packageFiles.logos)) {
      copyFileSync(join(packageFiles.logos, file), join(folder, file));
    }
    replaceFile(join(folder, 'kernel.json'), `${JSON.stringify(spec, null, 2)}\n`);
  });
  return folder;
}

/** Removes a kernelspec. @throws CommandFailure */
export function removeKernelspec({ folder }: InstalledKernelspec): void {
  writingTo(folder, () => rmSync(folder, { recursive: true }));
}
