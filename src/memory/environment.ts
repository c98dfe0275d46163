/** The memory manager that the environment names (rules 202, 203). */

import { createRequire } from 'node:module';
import { join } from 'node:path';

import { MemoryManagerError } from '../base/errors.ts';
import type { MemoryManagerClass } from './manager/base.ts';
import { requireManagerClass } from './manager/checks.ts';
import { DefaultCUDAMemoryManager } from './managers/default.ts';

export const MANAGER_VARIABLE = 'STRIDELAB_CUDA_MEMORY_MANAGER';
/** Name under which a module exports its plugin class. */
export const MANAGER_EXPORT = '_stridelab_memory_manager';

/**
 * Returns the class that the variable selects: `default` is the built-in one, anything else the specifier of a module (a package, or a
 * file relative to the working directory), whose export `_stridelab_memory_manager`, else `default`, is the class.
 * Null if the variable is not set. @throws MemoryManagerError with the cause
 */
export function managerFromEnvironment(): MemoryManagerClass | null {
  const value = process.env[MANAGER_VARIABLE]?.trim();
  if (value === undefined || value === '') return null;
  if (value === 'default') return DefaultCUDAMemoryManager;
  const module = load(value);
  const found = module[MANAGER_EXPORT] ?? module['default'];
  if (found === undefined)
    throw new MemoryManagerError(
      `${MANAGER_VARIABLE}=${value}: the module exports neither '${MANAGER_EXPORT}' nor a default`
    );
  try {
    return requireManagerClass(found);
  } catch (cause) {
    throw new MemoryManagerError(`${MANAGER_VARIABLE}=${value}: ${messageOf(cause)}`, { cause });
  }
}

function load(specifier: string): Readonly<Record<string, unknown>> {
  const requires = [createRequire(join(process.cwd(), 'package.json')), createRequire(import.meta.url)];
  let path: string | undefined;
  let failure: unknown;
  for (const require of requires) {
    try {
      path = require.resolve(specifier);
      return require(path) as Readonly<Record<string, unknown>>;
    } catch (error) {
      failure ??= error;
      if (path !== undefined) {
        failure = error;
        break;
      }
    }
  }
  throw new MemoryManagerError(
    `${MANAGER_VARIABLE}=${specifier}: the module cannot be loaded: ${messageOf(failure)}${hint(specifier, path)} (rule 203: loading)`,
    { cause: failure }
  );
}

/** Returns advice for a dotted path, with which NBEP 7's example names a class instead of a module. */
function hint(specifier: string, path: string | undefined): string {
  if (path !== undefined || !/^[\w$-]+(\.[\w$]+)+$/.test(specifier) || /\.[cm]?[jt]s$/.test(specifier))
    return '';
  return `. The value names a module, not a class: export the class from it as '${MANAGER_EXPORT}'`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
