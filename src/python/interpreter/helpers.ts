/** The Python half of this folder: files of the companion package, each run in its own module, and modules that are imported. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

import type { FromPython, PythonCalls, NativePythonHandle, ToPython } from '../../native/python-binding.ts';

/** Returns the folder of the companion package's modules, resolved on demand, because programs without Python need none. */
export function companionFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('#bridge'));
}

/** The members of a Python module, which is loaded at first use. */
export class PythonModule<Name extends string> {
  readonly #native: PythonCalls;
  readonly #load: () => NativePythonHandle;
  readonly #found = new Map<Name, NativePythonHandle>();
  #dict: NativePythonHandle | undefined;

  private constructor(native: PythonCalls, load: () => NativePythonHandle) {
    this.#native = native;
    this.#load = load;
  }

  /** Loads a file of the companion package, which need not be installed in this Python. */
  static companion<Name extends string>(native: PythonCalls, file: string): PythonModule<Name> {
    return new PythonModule(native, () => {
      const path = join(companionFolder(), `${file}.py`);
      const dict = native.module(`stridelab_${basename(file)}`);
      // The interpreter itself adds it only since 3.10.
      native.setItem(dict, '__builtins__', native.import('builtins'));
      native.execute(readFileSync(path, 'utf8'), path, dict);
      return dict;
    });
  }

  static imported<Name extends string>(native: PythonCalls, name: string): PythonModule<Name> {
    return new PythonModule(native, () => {
      native.import(name);
      return native.module(name);
    });
  }

  get loaded(): boolean {
    return this.#dict !== undefined;
  }

  get(name: Name): NativePythonHandle {
    let found = this.#found.get(name);
    if (found === undefined) {
      this.#dict ??= this.#load();
      found = this.#native.getItem(this.#dict, name) as NativePythonHandle;
      this.#found.set(name, found);
    }
    return found;
  }

  call(name: Name, ...values: ToPython[]): FromPython {
    return this.#native.call(this.get(name), ...values);
  }
}
