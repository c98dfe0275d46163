/** Messages between two processes: JSON, with file descriptors. */

import { ArgumentError, IpcError, StridelabError } from '../base/errors.ts';
import { textOf } from '../base/value-text.ts';
import type { NativeChannels } from '../native/sharing-binding.ts';
import { native } from '../native/load.ts';

export interface Message {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Closed when the handler returns. */
  readonly descriptors: readonly number[];
}

/** Called for each message, and with null once when the other end is closed. */
export type MessageHandler = (message: Message | null) => void;

/** Milliseconds to the next attempt to accept connections. */
const RETRY = 100;

/** The readers of the open channels and listeners, by the addon's numbers. */
const readers = new Map<number, () => void>();
let watched: NativeChannels | undefined;

function channels(): NativeChannels {
  if (watched === undefined) {
    watched = native().channels;
    watched.watch(number => readers.get(number)?.());
  }
  return watched;
}

/** One end of a connection, which stays open until `close`. */
export class Channel {
  readonly peer: ReturnType<NativeChannels['peer']>;
  /** Messages are queued until there is a handler. */
  #handler: MessageHandler | null = null;
  readonly #number: number;
  #closed = false;

  private constructor(number: number) {
    this.#number = number;
    this.peer = channels().peer(number);
    readers.set(number, () => this.#read());
  }

  /** Connects to a process; null if no process listens under the name. @throws IpcError */
  static connect(name: string): Channel | null {
    const number = channels().connect(name);
    return number === null ? null : new Channel(number);
  }

  /** Listens under a name; other users are rejected. Does not keep the process alive. */
  static listen(name: string, accepted: (channel: Channel) => void): void {
    const listener = channels().listen(name);
    const accept = (): void => {
      try {
        for (let next = channels().accept(listener); next !== null; next = channels().accept(listener)) {
          const channel = new Channel(next);
          if (channel.peer.sameUser) accepted(channel);
          else channel.close();
        }
      } catch (error) {
        if (!(error instanceof StridelabError)) throw error;
        // Most likely too many open files: the connections stay queued until some are closed.
        setTimeout(accept, RETRY).unref();
      }
    };
    readers.set(listener, accept);
  }

  /** False once either end is closed. Makes a system call. */
  get alive(): boolean {
    return !this.#closed && channels().alive(this.#number);
  }

  get closed(): boolean {
    return this.#closed;
  }

  onMessage(handler: MessageHandler): void {
    this.#handler = handler;
    this.#read();
  }

  /** Returns false if the other end is closed. @throws IpcError for a message that is too large */
  send(fields: Readonly<Record<string, unknown>>, descriptors: readonly number[] = []): boolean {
    if (this.#closed) return false;
    try {
      return channels().send(this.#number, Buffer.from(JSON.stringify(fields)), descriptors);
    } catch (cause) {
      throw new IpcError(`a message to the other process could not be sent: ${messageOf(cause)}`, { cause });
    }
  }

  /** Closes this end. A second call does nothing. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#handler = null;
    readers.delete(this.#number);
    channels().close(this.#number);
  }

  #read(): void {
    while (this.#handler !== null && !this.#closed) {
      const message = channels().receive(this.#number);
      if (message === undefined) return;
      const handler: MessageHandler = this.#handler;
      if (message === null) {
        this.close();
        handler(null);
        return;
      }
      try {
        const fields = parse(message.bytes);
        if (fields !== null) handler({ fields, descriptors: message.descriptors });
      } finally {
        for (const descriptor of message.descriptors) channels().closeDescriptor(descriptor);
      }
    }
  }
}

/** Returns null for a message that is not an object: any process of this user may connect. */
function parse(bytes: Uint8Array): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Checks a timeout in milliseconds. @throws ArgumentError */
export function requireTimeout(timeout: number): void {
  if (timeout >= 0 && timeout < 2 ** 31) return;
  throw new ArgumentError(
    `timeout is ${textOf(timeout)}, expected a number of milliseconds from 0 to 2147483647`
  );
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
