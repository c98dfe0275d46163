/** Entry point of the kernel: `node main.js FILE`, with a connection or registration file, as the kernelspec starts it. */

import { setFlagsFromString } from 'node:v8';
import { ConnectionFileError, readConnectionFile } from './sockets/connection-file.ts';
import type { Kernel } from './kernel.ts';

const EXIT_USAGE = 2;
const PARENT_PERIOD_MS = 1_000;
const parent = process.ppid;

/** Ends the kernel when its parent process has exited: it would otherwise run forever. */
function watchParent(kernel: Kernel): void {
  setInterval(() => {
    if (process.ppid !== parent) void kernel.shutdown();
  }, PARENT_PERIOD_MS).unref();
}

async function start(path: string | undefined): Promise<void> {
  if (path === undefined)
    throw new ConnectionFileError('argument', 'is missing: start the kernel as main.js CONNECTION_FILE');
  const connection = readConnectionFile(path);
  const [{ KernelSockets }, { Kernel }, { Wire }, { offerConnectionFile, register }] = await Promise.all([
    import('./sockets/sockets.ts'),
    import('./kernel.ts'),
    import('./sockets/wire.ts'),
    import('./sockets/registration.ts')
  ]);
  const wire = new Wire(connection.key, connection.hash);
  const sockets = new KernelSockets(connection, wire);
  const kernel = new Kernel(sockets, code => process.exit(code));
  process.on('SIGINT', () => kernel.interrupt());
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void kernel.shutdown());
  kernel.start();
  await sockets.bind();
  watchParent(kernel);
  offerConnectionFile(connection, sockets.ports);
  await register(connection, sockets.ports, wire);
  sockets.publishStatus('starting', {});
  sockets.serve({
    request: (channel, message) => kernel.receive(channel, message),
    input: message => kernel.receiveInput(message)
  });
  // V8 would let the space of new objects grow to 128 MiB, although hardly any of the front's survives a request. Set this late:
  // V8 compiles Node's own modules anew if a flag has changed.
  setFlagsFromString('--semi-space-growth-factor=1');
}

try {
  await start(process.argv[2]);
} catch (error) {
  if (!(error instanceof ConnectionFileError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(EXIT_USAGE);
}
