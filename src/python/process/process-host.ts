/** Python in a separate process. */

import type { PythonInstallation } from '../interpreter/discover.ts';
import type { PythonHost } from '../interpreter/host.ts';
import { WireReader } from '../interpreter/wire.ts';
import { PythonChild } from './child.ts';
import { Connection } from './connection.ts';
import { PythonParent } from './parent.ts';
import { RemoteArrays } from './remote-arrays.ts';
import { RemotePython } from './remote-python.ts';

/** Starts a process. @throws PythonUnavailableError */
export function processHost({ executable }: PythonInstallation): PythonHost {
  return hostOf(new Connection(() => new PythonChild(executable), executable));
}

/**
 * Connects to the process that started this one, over the socket that it left open as `descriptor`. Calls `ended` when the connection
 * has ended. @throws PythonUnavailableError
 */
export function parentHost(
  { executable }: PythonInstallation,
  descriptor: number,
  ended: () => void
): PythonHost {
  return hostOf(new Connection(() => new PythonParent(descriptor, ended), executable));
}

function hostOf(connection: Connection): PythonHost {
  const native = new RemotePython(connection);
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
