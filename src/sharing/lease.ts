/** Leases: what this process shares, which processes have it open, and when it ends. */

import { randomBytes } from 'node:crypto';

import type { NDArray } from '../array/array.ts';
import { StridelabError } from '../base/errors.ts';
import { Channel, messageOf } from './channel.ts';
import type { ExportedMemory } from './exported-memory.ts';
import type { GrantedView, GrantedWay } from './grant.ts';
import { GrantedArray } from './granted-array.ts';
import { makeToken, tokenText, type ShareToken } from './token.ts';

/** Shares that can be opened, by key. */
const leases = new Map<string, Lease>();
let listeningAs: string | undefined;

/** Returns the name of this process's socket; undefined before the first share. */
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

/** Handles the first message of a connection, which names the share to open. */
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
 * A shared array, as its owner sees it. The lease keeps the memory until it is released and every process that opened the array has
 * released it or exited. A lease that is not released lasts until the process exits.
 */
export class Lease implements Disposable {
  /** The token with which another process opens the array; `JSON.stringify` and `String` of the lease return it too. */
  readonly token: ShareToken;
  /** How the memory is passed; `none` for an array without elements. */
  readonly way: GrantedWay;
  readonly #array: GrantedArray;
  readonly #openers = new Set<Channel>();
  #freed = false;
  #drained = false;
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** For the library's own use: call `share`. */
  constructor(array: NDArray, memory: ExportedMemory, view: GrantedView, timeout: number | undefined) {
    this.token = makeToken(listen(), randomBytes(16).toString('hex'));
    this.way = memory.way;
    this.#array = new GrantedArray(array, memory, view);
    leases.set(this.token.key, this);
    if (timeout !== undefined) this.#timer = setTimeout(() => this.release(), timeout).unref();
  }

  /** The number of processes that have the array open, as far as the event loop has noticed. */
  get openers(): number {
    return this.#openers.size;
  }

  /** True after `release` or the timeout: no further process can open the array. */
  get freed(): boolean {
    return this.#freed;
  }

  /**
   * Ends the lease: no further process can open the array. The memory stays until those that have it open release it. A second call does
   * nothing.
   */
  release(): void {
    if (this.#freed) return;
    this.#freed = true;
    clearTimeout(this.#timer);
    leases.delete(this.token.key);
    this.#endIfDone();
  }

  /** Resolves when the lease is released and no process has the array open. Keeps this process alive until then. */
  drained(): Promise<void> {
    if (this.#drained) return Promise.resolve();
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

  /** Returns the token. */
  toJSON(): ShareToken {
    return this.token;
  }

  /** Returns the token as JSON text. */
  toString(): string {
    return tokenText(this.token);
  }

  /** Admits a process after the pending work on the memory; for the library's own use. */
  admit(channel: Channel): void {
    this.#openers.add(channel);
    channel.onMessage(message => {
      if (message === null) this.#dismiss(channel);
      else this.#array.hear(message.fields, fields => channel.send(fields));
    });
    void this.#grant(channel).catch((error: unknown) => {
      refuse(channel, messageOf(error));
      this.#dismiss(channel);
    });
  }

  async #grant(channel: Channel): Promise<void> {
    const { grant, after } = this.#array.grant();
    await after?.synchronizeAsync();
    channel.send({ ...grant }, this.#array.memory.descriptors);
  }

  #dismiss(channel: Channel): void {
    this.#openers.delete(channel);
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (this.#drained || !this.#freed || this.#openers.size > 0) return;
    this.#drained = true;
    this.#array.close();
    for (const done of this.#waiting) done();
  }
}
