import { createServer } from 'node:net';

/**
 * Probes a port of this machine.
 * @param {number} port 0 for any free port
 * @returns {Promise<number | undefined>} the port, or undefined if it is in use
 */
export function probePort(port) {
  return new Promise(resolve => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1' }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined));
    });
  });
}

/** Returns the first free port from `first` on. @param {number} first @returns {Promise<number>} */
export async function nextFreePort(first) {
  for (let port = first; port < first + 100; port++) if ((await probePort(port)) !== undefined) return port;
  throw new Error(`no free port between ${first} and ${first + 99}`);
}
