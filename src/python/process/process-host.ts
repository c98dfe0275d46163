/** Python in a separate process. */

import type { PythonInstallation } from '../interpreter/discover.ts';
import type { PythonHost } from '../interpreter/host.ts';
import { WireReader } from '../interpreter/wire.ts';
import { RemoteArrays } from './remote-arrays.ts';
import { RemotePython } from './remote-python.ts';

/** Starts the process. @throws PythonUnavailableError */
export function processHost({ executable }: PythonInstallation): PythonHost {
  const native = new RemotePython(executable);
  const { connection } = native;
  return {
    native,
    arrays: new RemoteArrays(native),
    process: connection.process,
    get end() {
      return connection.end;
    },
    start(_installation, raise) {
      native.raise = raise;
    },
    copy(object, fromPython) {
      const find = (tag: number, number: number): unknown => fromPython(connection.find(tag, number));
      return new WireReader(native.copy(object), find).value() ?? null;
    },
    close: () => connection.close()
  };
}
