/** Loads the Python half of this room: files of the companion package, each run in its own module. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

import type { NativePython, NativePythonHandle } from '../../native/python-binding.ts';

/** The folder of the companion package's modules, resolved only when needed, because programs without Python need none. */
export function companionFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('#bridge'));
}

/** Runs a file of the companion package, which need not be installed in this Python, and returns what it defines. */
export function loadHelpers<Name extends string>(
  native: NativePython,
  file: string,
  names: readonly Name[]
): Record<Name, NativePythonHandle> {
  const path = join(companionFolder(), `${file}.py`);
  const module = native.module(`stridelab_${basename(file)}`);
  // The interpreter itself adds it only since 3.10.
  native.setItem(module, '__builtins__', native.import('builtins'));
  native.execute(readFileSync(path, 'utf8'), path, module);
  return Object.fromEntries(names.map(name => [name, native.getItem(module, name)])) as Record<
    Name,
    NativePythonHandle
  >;
}
