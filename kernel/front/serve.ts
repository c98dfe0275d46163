/** Starts the kernel at the addresses of a file, and connects it to the events of this process. */

import { setImmediate as immediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { limitCodeCache } from './code-cache-limit.ts';
import type { ExecutorProcess } from './executor/executor-process.ts';
import { Kernel } from './kernel.ts';
import { ConnectionFileError, readConnectionFile } from './sockets/connection-file.ts';
import { offerConnectionFile, register } from './sockets/registration.ts';
import { KernelSockets } from './sockets/sockets.ts';
import { Wire } from './sockets/wire.ts';

const EXIT_USAGE = 2;
const PARENT_PERIOD_MS = 1_000;
const LIMIT_CACHE_AFTER_MS = 30_000;
const parent = process.ppid;

/** Ends the kernel when its parent process has exited: it would otherwise run forever. */
function watchParent(kernel: Kernel): void {
  setInterval(() => {
    if (process.ppid !== parent) void kernel.shutdown();
  }, PARENT_PERIOD_MS).unref();
}

async function start(path: string | undefined, executor: ExecutorProcess): Promise<void> {
  if (path === undefined)
    throw new ConnectionFileError('argument', 'is missing: start the kernel as main.js CONNECTION_FILE');
  const connection = readConnectionFile(path);
  const wire = new Wire(connection.key, connection.hash);
  const sockets = new KernelSockets(connection, wire);
  const kernel = new Kernel(sockets, code => process.exit(code));
  process.on('SIGINT', () => kernel.interrupt());
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void kernel.shutdown());
  kernel.start(executor);
  await sockets.bind();
  watchParent(kernel);
  offerConnectionFile(connection, sockets.ports);
  await register(connection, sockets.ports, wire);
  await immediate(); // a client that has subscribed by now gets its welcome first
  sockets.publishStatus('starting', {});
  sockets.serve({
    request: (channel, message) => kernel.receive(channel, message),
    input: message => kernel.receiveInput(message)
  });
  setTimeout(() => void limitCodeCache(), LIMIT_CACHE_AFTER_MS).unref();
  // V8 would let the space of new objects grow to 128 MiB, although hardly any of the front's survives a request. Set this late:
  // V8 compiles Node's own modules anew if a flag has changed.
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Serves until the kernel is shut down. A file that cannot be used ends the process with a message. */
export async function serve(path: string | undefined, executor: ExecutorProcess): Promise<void> {
  try {
    await start(path, executor);
  } catch (error) {
    if (!(error instanceof ConnectionFileError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(EXIT_USAGE);
  }
}
