/** Shares of this process: what they keep, who has them open, and when they end. */

import { randomBytes } from 'node:crypto';

import type { NDArray } from '../array.ts';
import { IpcError, StridelabError } from '../errors.ts';
import type { IpcSource } from '../memory/manager/ipc-handle.ts';
import type { Storage } from '../memory/storage.ts';
import { Channel, messageOf } from './channel.ts';
import type { ExportedMemory } from './exported-memory.ts';
import type { Grant, GrantedView, GrantedWay } from './grant.ts';
import { makeSharedEvent, takeBack, type SharedEvent } from './order.ts';
import { makeToken, tokenText, type ShareToken } from './token.ts';

/** Shares that can be opened, by key. */
const leases = new Map<string, Lease>();
let listeningAs: string | undefined;

/** Name of this process's socket; undefined before the first share. */
export function ownSocket(): string | undefined {
  return listeningAs;
}

function listen(): string {
  if (listeningAs === undefined) {
    const name = `stridelab-${process.pid}-${randomBytes(8).toString('hex')}`;
    Channel.listen(name, greet);
    listeningAs = name;
  }
  return listeningAs;
}

/** The first message of a connection says what it wants to open. */
function greet(channel: Channel): void {
  channel.onMessage(message => {
    if (message === null) return;
    const { open } = message.fields;
    const lease = typeof open === 'string' ? leases.get(open) : undefined;
    if (lease !== undefined) {
      lease.admit(channel);
      return;
    }
    refuse(channel, 'the share was released, or its memory freed: share the array again');
  });
}

function refuse(channel: Channel, reason: string): void {
  try {
    channel.send({ refused: reason });
  } catch (error) {
    if (!(error instanceof StridelabError)) throw error;
  } finally {
    channel.close();
  }
}

/**
 * The share of an array: it keeps the memory until it is released and every process that opened it has let go or ended. A lease that
 * is forgotten goes on, since its token may be anywhere; it ends with the process.
 */
export class Lease implements Disposable {
  /** What another process opens the array by; `JSON.stringify` and `String` of the lease give it as well. */
  readonly token: ShareToken;
  /** How the memory goes there; `none` for an array without elements. */
  readonly way: GrantedWay;
  readonly #storage: Storage;
  readonly #memory: ExportedMemory;
  readonly #view: GrantedView;
  readonly #source: IpcSource;
  readonly #openers = new Set<Channel>();
  /** Undefined before it is needed, null where the driver has none. */
  #event: SharedEvent | null | undefined;
  #released = false;
  #ended = false;
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** For the library's own use: call `share`. */
  constructor(array: NDArray, memory: ExportedMemory, view: GrantedView, timeout: number | undefined) {
    const { device } = array;
    this.token = makeToken(listen(), randomBytes(16).toString('hex'));
    this.way = memory.way;
    this.#memory = memory;
    this.#view = view;
    this.#source = { pciBusId: device.native.pciBusId, uuid: device.uuid };
    this.#storage = array.storage.retain();
    leases.set(this.token.key, this);
    if (timeout !== undefined) this.#timer = setTimeout(() => this.release(), timeout).unref();
  }

  /** How many have it open now, as far as the event loop has learnt. */
  get openers(): number {
    return this.#openers.size;
  }

  /** True once nobody can open it any more. */
  get released(): boolean {
    return this.#released;
  }

  /** Nobody may open it from now on; the memory stays until those who have it open are done. A second call does nothing. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    clearTimeout(this.#timer);
    leases.delete(this.token.key);
    this.#endIfDone();
  }

  /** Resolves when the lease is released and nobody has it open any more. Keeps the process alive meanwhile. */
  drained(): Promise<void> {
    if (this.#ended) return Promise.resolve();
    // A promise keeps no process alive; a timer does.
    const hold = setInterval(() => undefined, 2 ** 30);
    return new Promise(resolve => {
      this.#waiting.push(() => {
        clearInterval(hold);
        resolve();
      });
    });
  }

  [Symbol.dispose](): void {
    this.release();
  }

  toJSON(): ShareToken {
    return this.token;
  }

  toString(): string {
    return tokenText(this.token);
  }

  /** For the library's own use: lets a process in, after the work that is pending on the memory. */
  admit(channel: Channel): void {
    this.#openers.add(channel);
    channel.onMessage(message => {
      if (message === null) this.#dismiss(channel);
      else this.#takeBack(channel, message.fields['used']);
    });
    void this.#grant(channel).catch((error: unknown) => {
      refuse(channel, messageOf(error));
      this.#dismiss(channel);
    });
  }

  async #grant(channel: Channel): Promise<void> {
    if (this.#storage.released) throw new IpcError('the memory was freed by a reset of its memory manager');
    const event = await this.#markPending();
    const { way, fields, descriptors } = this.#memory;
    const grant: Grant = { way, source: this.#source, view: this.#view, memory: fields, event };
    channel.send({ ...grant }, descriptors);
  }

  /** The handle of an event behind everything that was submitted; null where nothing is pending any more. */
  async #markPending(): Promise<string | null> {
    const stream = this.#storage.join(this.#view.readOnly);
    if (stream === null) return null;
    if (stream.capturing) throw new IpcError('the array is being captured into a graph: open it after that');
    if (this.#event === undefined) this.#event = makeSharedEvent(stream.device);
    if (this.#event === null) {
      await stream.synchronizeAsync();
      return null;
    }
    this.#event.recordOn(stream);
    return this.#event.handle;
  }

  #takeBack(channel: Channel, handle: unknown): void {
    if (typeof handle !== 'string') return;
    try {
      takeBack(this.#storage, handle, this.#view.readOnly);
      channel.send({ waited: true });
    } catch (error) {
      // Of an opener who does not take messages, or a device that is lost: it learns of that by itself.
      if (!(error instanceof StridelabError)) throw error;
    }
  }

  #dismiss(channel: Channel): void {
    this.#openers.delete(channel);
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (this.#ended || !this.#released || this.#openers.size > 0) return;
    this.#ended = true;
    this.#event?.[Symbol.dispose]();
    this.#memory.close();
    this.#storage.release();
    for (const done of this.#waiting) done();
  }
}
