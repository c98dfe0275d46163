/** The program that runs beside each Dask worker: python/stridelab/cluster/node.py starts it with a socket and a number. */

import { ArgumentError } from './base/errors.ts';
import { examinePython } from './python/interpreter/discover.ts';
import { usePythonOfParent } from './python/python.ts';
// Adds the methods of arrays and the members of their protocols.
import './index.ts';
import { provideLibrary } from './cluster/worker/functions.ts';
import { TaskRunner } from './cluster/worker/runner.ts';

const [socket, number, executable] = process.argv.slice(2);
if (socket === undefined || number === undefined || executable === undefined)
  throw new ArgumentError(
    'this program is started by a Dask worker, with a socket, a number and the path of its Python'
  );
const installation = examinePython(executable);
if (!('version' in installation)) throw new ArgumentError(installation.obstacle);
provideLibrary();
// Waits for calls: the connection does not keep the event loop alive.
setInterval(() => undefined, 2 ** 30);
new TaskRunner(
  usePythonOfParent(installation, Number(socket), () => process.exit()),
  Number(number)
);
