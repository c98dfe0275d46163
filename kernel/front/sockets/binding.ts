/** Binds sockets to given ports, or to ports that no other kernel gets. */

import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'zeromq';
import { endpoint, type Connection } from './connection-file.ts';

interface BoundSocket extends Socket {
  bind(address: string): Promise<void>;
  readonly lastEndpoint: string | null;
}

/** Binds a socket and returns its port, which the kernel chooses if `port` is 0. */
export async function bindTo(
  socket: BoundSocket,
  transport: Connection['transport'],
  ip: string,
  port: number
): Promise<number> {
  if (port === 0 && transport === 'ipc') return bindToNewFile(socket, ip);
  await socket.bind(endpoint(transport, ip, port === 0 ? '*' : port));
  return port || Number(/\d+$/.exec(socket.lastEndpoint ?? '')?.[0]);
}

/**
 * Binds to the first `IP-PORT` that does not exist. ZeroMQ replaces an existing file, even one in use, so the file is created
 * first: that fails if it exists. ZeroMQ fails if another kernel creates the file during the replacement.
 */
async function bindToNewFile(socket: BoundSocket, ip: string): Promise<number> {
  for (let port = 1; ; port += 1) {
    try {
      closeSync(openSync(`${ip}-${port}`, 'wx'));
      await socket.bind(endpoint('ipc', ip, port));
      return port;
    } catch (error) {
      if (!['EEXIST', 'EADDRINUSE'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}
