/**
 * Hands the id of a communicator from rank 0 to the other ranks, over TCP. Each rank sends one line of JSON and receives one.
 *
 * Who has the id can join the communicator, so the network must be trusted, as NCCL's own connections require.
 */

import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { CollectiveError } from '../base/errors.ts';

export interface Meeting {
  readonly rank: number;
  readonly size: number;
  /** The host of rank 0. */
  readonly address: string;
  readonly port: number;
  /** Ranks of another job are refused. */
  readonly job: string;
  /** Milliseconds to wait for all ranks. */
  readonly timeout: number;
}

/** What a rank sends. */
interface Hello {
  readonly stridelab: number;
  readonly rank: number;
  readonly size: number;
  readonly job: string;
}

/** What rank 0 answers. */
type Answer = { readonly id: string } | { readonly refused: string };

const VERSION = 1;
/** A longer line comes from another program. */
const LONGEST_LINE = 4_096;
/** Milliseconds between two attempts to reach rank 0. */
const RETRY_MS = 100;

const seconds = (milliseconds: number): string => `${milliseconds / 1_000} s`;
const where = ({ address, port }: Meeting): string => `${address}:${port}`;

/** Resolves with the first line from a connection; undefined if it ends before, or sends something else than a line. */
function firstLine(socket: Socket): Promise<string | undefined> {
  return new Promise(resolve => {
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
      else if (text.length > LONGEST_LINE) socket.destroy();
    });
    // An error, such as a reset, closes the connection too.
    socket.on('error', () => undefined).once('close', () => resolve(undefined));
  });
}

function parsed<Message>(line: string | undefined): Partial<Message> {
  try {
    const value: unknown = JSON.parse(line ?? '');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Rank 0: waits for all other ranks, and sends them what `make` returns. */
async function handOut(meeting: Meeting, make: () => Uint8Array): Promise<Uint8Array> {
  const { size, job, timeout } = meeting;
  const arrived = new Map<number, Socket>();
  const answer = (socket: Socket, message: Answer): void => void socket.end(`${JSON.stringify(message)}\n`);
  let complete = (): void => undefined;
  const everybody = new Promise<void>(resolve => (complete = resolve));

  const greet = async (socket: Socket): Promise<void> => {
    const hello = parsed<Hello>(await firstLine(socket));
    const { rank } = hello;
    if (hello.stridelab !== VERSION || typeof rank !== 'number') {
      socket.destroy();
    } else if (hello.job !== job || hello.size !== size) {
      answer(socket, {
        refused: `another job, of ${size} ranks, uses ${where(meeting)}: set STRIDELAB_PORT to another port for one of them`
      });
    } else if (rank < 1 || rank >= size || arrived.has(rank)) {
      answer(socket, {
        refused: `a process with rank ${rank} of ${size} is connected already: each rank must be started once`
      });
    } else {
      arrived.set(rank, socket);
      socket.once('close', () => {
        if (arrived.get(rank) === socket) arrived.delete(rank);
      });
      if (arrived.size === size - 1) complete();
    }
  };

  const server = await listening(meeting, socket => void greet(socket));
  const late = new AbortController();
  try {
    await Promise.race([everybody, delay(timeout, undefined, { signal: late.signal })]);
    const missing = Array.from({ length: size - 1 }, (_, index) => index + 1).filter(
      rank => !arrived.has(rank)
    );
    if (missing.length > 0) {
      const message = `rank ${missing.join(', ')} of ${size} did not connect to rank 0 at ${where(meeting)} within ${seconds(timeout)}`;
      for (const socket of arrived.values()) answer(socket, { refused: message });
      throw new CollectiveError(message);
    }
    const id = make();
    for (const socket of arrived.values()) answer(socket, { id: Buffer.from(id).toString('base64') });
    return id;
  } finally {
    late.abort();
    server.close();
  }
}

/** Listens at the address of rank 0, or at all if the machine has another behind a router. @throws CollectiveError */
async function listening(meeting: Meeting, connected: (socket: Socket) => void): Promise<Server> {
  for (const host of [meeting.address, undefined]) {
    const server = createServer(connected);
    const problem = await new Promise<NodeJS.ErrnoException | undefined>(resolve => {
      server.once('error', resolve);
      server.listen({ host, port: meeting.port }, () => resolve(undefined));
    });
    if (problem === undefined) return server;
    if (problem.code === 'EADDRNOTAVAIL' && host !== undefined) continue;
    throw new CollectiveError(
      `rank 0 cannot listen at ${where(meeting)} (${problem.code ?? problem.message}): ` +
        (problem.code === 'EADDRINUSE'
          ? 'another program uses the port, so set STRIDELAB_PORT to another one for all ranks'
          : 'MASTER_ADDR must be the host on which rank 0 runs')
    );
  }
  throw new CollectiveError(`rank 0 cannot listen at ${where(meeting)}`);
}

/** Returns what rank 0 answers on one connection; undefined if there was no answer. */
async function ask(
  { address, port, ...meeting }: Meeting,
  patience: number
): Promise<Partial<Answer> | undefined> {
  const socket = createConnection({ host: address, port });
  const impatient = setTimeout(() => socket.destroy(), patience);
  try {
    const { rank, size, job } = meeting;
    const hello: Hello = { stridelab: VERSION, rank, size, job };
    socket.on('connect', () => socket.write(`${JSON.stringify(hello)}\n`));
    const line = await firstLine(socket);
    return line === undefined ? undefined : parsed<Answer>(line);
  } finally {
    clearTimeout(impatient);
    socket.destroy();
  }
}

/** Another rank: asks until rank 0 answers. */
async function receive(meeting: Meeting): Promise<Uint8Array> {
  const { rank, size, timeout } = meeting;
  const deadline = performance.now() + timeout;
  // Rank 0 reports which ranks are missing, a moment after the same time.
  const grace = 2_000;
  for (let left = timeout; left > -grace; left = deadline - performance.now()) {
    const answer = await ask(meeting, left + grace);
    if (answer !== undefined && 'id' in answer && typeof answer.id === 'string')
      return Buffer.from(answer.id, 'base64');
    if (answer !== undefined && 'refused' in answer)
      throw new CollectiveError(`rank ${rank} of ${size}: ${answer.refused}`);
    await delay(RETRY_MS);
  }
  throw new CollectiveError(
    `rank ${rank} of ${size}: rank 0 did not answer at ${where(meeting)} within ${seconds(timeout)}: check that it was started, and that ` +
      'MASTER_ADDR and the port are those of its host'
  );
}

/**
 * Returns the same id on every rank: what `make` returns on rank 0, once all ranks are there.
 * @throws CollectiveError that names the ranks that are missing
 */
export function shareId(meeting: Meeting, make: () => Uint8Array): Promise<Uint8Array> {
  if (meeting.size === 1) return Promise.resolve(make());
  return meeting.rank === 0 ? handOut(meeting, make) : receive(meeting);
}
