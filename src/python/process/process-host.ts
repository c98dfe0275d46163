/** Python in a separate process. */

import type { FromPython, NativePythonHandle } from '../../native/python-binding.ts';
import type { ArrayBridge } from '../interpreter/array-bridge.ts';
import type { PythonInstallation } from '../interpreter/discover.ts';
import type { PythonLostError } from '../interpreter/errors.ts';
import type { PythonHost, Raise } from '../interpreter/host.ts';
import { WireReader } from '../interpreter/wire.ts';
import { RemoteArrays } from './remote-arrays.ts';
import { RemotePython } from './remote-python.ts';

export class ProcessHost implements PythonHost {
  readonly native: RemotePython;
  readonly arrays: ArrayBridge;

  /** Starts the process. @throws PythonUnavailableError */
  constructor({ executable }: PythonInstallation) {
    this.native = new RemotePython(executable);
    this.arrays = new RemoteArrays(this.native);
  }

  get process(): number {
    return this.native.connection.process;
  }

  get end(): PythonLostError | undefined {
    return this.native.connection.end;
  }

  start(_installation: PythonInstallation, raise: Raise): void {
    this.native.raise = raise;
  }

  copy(object: NativePythonHandle, fromPython: (value: FromPython) => unknown): unknown {
    const { find } = this.native.connection;
    const bytes = this.native.copy(object);
    return new WireReader(bytes, (tag, number) => fromPython(find(tag, number))).value() ?? null;
  }

  close(): void {
    this.native.connection.close();
  }
}
