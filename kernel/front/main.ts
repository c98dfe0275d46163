/** Entry point of the kernel: `node main.js CONNECTION_FILE`, as the kernelspec starts it. */

import { ConnectionFileError, readConnectionFile, type Connection } from './sockets/connection-file.ts';

const EXIT_USAGE = 2;
const PARENT_PERIOD_MS = 1_000;

function connectionOrExit(path: string | undefined): Connection {
  try {
    if (path === undefined)
      throw new ConnectionFileError('argument', 'is missing: start the kernel as main.js CONNECTION_FILE');
    return readConnectionFile(path);
  } catch (error) {
    if (!(error instanceof ConnectionFileError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(EXIT_USAGE);
  }
}

/** Ends the kernel when its parent process has exited: it would otherwise run forever. */
function watchParent(): void {
  setInterval(() => {
    if (process.ppid !== parent) void kernel.shutdown();
  }, PARENT_PERIOD_MS).unref();
}

const parent = process.ppid;
const connection = connectionOrExit(process.argv[2]);
const [{ KernelSockets }, { Kernel }, { Wire }] = await Promise.all([
  import('./sockets/sockets.ts'),
  import('./kernel.ts'),
  import('./sockets/wire.ts')
]);
const sockets = new KernelSockets(connection, new Wire(connection.key, connection.hash));
const kernel = new Kernel(connection, sockets, code => process.exit(code));
process.on('SIGINT', () => kernel.interrupt());
for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void kernel.shutdown());
kernel.start();
await sockets.bind();
watchParent();
sockets.publishStatus('starting', {});
sockets.serve({
  request: (channel, message) => kernel.receive(channel, message),
  input: message => kernel.receiveInput(message)
});
