/** The handshake of protocol 5.6 (JEP 66): the kernel has chosen its ports and registers them with the server. */

import { rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Dealer } from 'zeromq';
import { ConnectionFileError, endpoint, PORT_NAMES, type Connection, type Ports } from './connection-file.ts';
import type { Wire } from './wire.ts';

/** A server that starts many kernels may be slow to acknowledge. */
const LIMIT_MS = 30_000;

/** Sends the ports and waits until the server acknowledges them. Throws `ConnectionFileError` if it does not in time. */
export async function register(
  { file, transport, registration }: Connection,
  ports: Ports,
  wire: Wire,
  limit = LIMIT_MS
): Promise<void> {
  if (registration === undefined) return;
  const { kernelId, ip, port } = registration;
  const address = endpoint(transport, ip, port);
  const socket = new Dealer({ linger: 0 });
  try {
    socket.connect(address);
    const content: Record<string, string> = { kernel_id: kernelId };
    for (const name of PORT_NAMES) content[name] = String(ports[name]);
    await socket.send(wire.encodeContent(content));
    const deadline = performance.now() + limit;
    let acknowledged = false;
    while (!acknowledged) {
      socket.receiveTimeout = Math.max(0, Math.ceil(deadline - performance.now()));
      acknowledged = wire.acceptsContent(await socket.receive());
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    const fault = `names the registration service ${address}, which did not acknowledge the ports within ${limit / 1000} s`;
    throw new ConnectionFileError(file, `${fault}: restart the kernel`);
  } finally {
    socket.close();
  }
}

/** Writes a connection file beside the registration file, for further clients; it is removed when the kernel exits. */
export function offerConnectionFile({ file, registration, ...connection }: Connection, ports: Ports): void {
  if (registration === undefined) return;
  const { transport, ip, key, hash, curve } = connection;
  const fields = {
    ...ports,
    transport,
    ip,
    key,
    signature_scheme: `hmac-${hash}`,
    ...(curve && { curve_publickey: curve.publicKey, curve_secretkey: curve.secretKey })
  };
  const id = encodeURIComponent(registration.kernelId);
  const usual = resolve(dirname(file), `kernel-${id}.json`);
  // A restart reads the registration file again.
  const path = usual === resolve(file) ? usual.replace(/\.json$/, '-connection.json') : usual;
  try {
    rmSync(path, { force: true });
    writeFileSync(path, JSON.stringify(fields, null, 2), { mode: 0o600, flag: 'wx' });
    process.once('exit', () => rmSync(path, { force: true }));
  } catch (error) {
    process.stderr.write(`Further clients cannot connect: no connection file: ${(error as Error).message}\n`);
  }
}
