/** CPython in this process. */

import { dirname } from 'node:path';

import { ArgumentError, DriverUnavailableError } from '../../base/errors.ts';
import { native } from '../../native/load.ts';
import type { FromPython, NativePython, NativePythonHandle } from '../../native/python-binding.ts';
import { PYTHON_INTERRUPT_WORDS } from '../../native/python-interrupts-binding.ts';
import type { ArrayBridge } from './array-bridge.ts';
import type { PythonInstallation } from './discover.ts';
import { PythonUnavailableError } from './errors.ts';
import { companionFolder, PythonModule } from './helpers.ts';
import type { PythonHost, Raise } from './host.ts';
import { WireReader } from './wire.ts';

export class InProcessHost implements PythonHost {
  /** Has its methods on the prototype, where V8 caches them; in a large object each call would look them up. */
  readonly native = Object.create(native().python) as NativePython;
  readonly arrays: ArrayBridge;
  readonly process = null;
  readonly end = undefined;
  readonly #wire = PythonModule.companion<'encode_copy'>(this.native, 'worker/wire');

  constructor(arrays: ArrayBridge) {
    this.arrays = arrays;
  }

  start(installation: PythonInstallation, raise: Raise): void {
    const { executable, library, obstacle } = installation;
    if (library === null || obstacle !== null) throw new PythonUnavailableError(obstacle ?? executable);
    const words = (globalThis as { [PYTHON_INTERRUPT_WORDS]?: unknown })[PYTHON_INTERRUPT_WORDS];
    if (words instanceof Int32Array) native().pythonInterrupts.share(words);
    try {
      this.native.start(library, [executable, '-X', 'utf8'], raise);
    } catch (error) {
      throw !(error instanceof DriverUnavailableError)
        ? error
        : new PythonUnavailableError(error.message, [], { cause: error });
    }
    PythonModule.companion(this.native, 'embedded').call('prepare', dirname(companionFolder()));
  }

  copy(object: NativePythonHandle, fromPython: (value: FromPython) => unknown): unknown {
    const { native: python } = this;
    const encoded = this.#wire.call('encode_copy', object) as NativePythonHandle;
    const [bytes, objects] = [0, 1].map(index => python.getItem(encoded, index)) as [
      NativePythonHandle,
      NativePythonHandle
    ];
    const find = (_tag: number, number: number): unknown => fromPython(python.getItem(objects, number));
    try {
      return new WireReader(python.bytesOf(bytes), find).value() ?? null;
    } finally {
      // They would keep large objects until JavaScript collects garbage.
      for (const made of [encoded, bytes, objects]) python.release(made);
    }
  }

  close(): never {
    throw new ArgumentError(
      'Python in this process lives as long as the program; `python.open()` starts one in another process'
    );
  }
}
