/** Ports for programs that must know them before they start. */

import { once } from 'node:events';
import { createServer } from 'node:net';

/** By default, Linux assigns ports from 32,768 up to programs that ask for any. It never assigns one of these, which are lower. */
const FIRST = 10_000;
/** Each worker of Jest has ports of its own: 20 workers fit below Linux's range. */
const PER_WORKER = 1_000;

const worker = Number(process.env['JEST_WORKER_ID'] ?? 1) - 1;
let next = Math.floor(Math.random() * PER_WORKER);

/** Returns ports of 127.0.0.1 that nothing listens on. @throws Error if there are none */
export async function freePorts(count: number): Promise<number[]> {
  const found: number[] = [];
  for (let tries = 0; tries < PER_WORKER && found.length < count; tries += 1) {
    const port = FIRST + (worker % 20) * PER_WORKER + next;
    next = (next + 1) % PER_WORKER;
    if (await isFree(port)) found.push(port);
  }
  if (found.length < count) throw new Error(`fewer than ${count} ports are free`);
  return found;
}

/** Returns a port of 127.0.0.1 that nothing listens on. @throws Error if there is none */
export async function freePort(): Promise<number> {
  const [port] = (await freePorts(1)) as [number];
  return port;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  await new Promise(resolve => server.close(resolve));
  return true;
}
