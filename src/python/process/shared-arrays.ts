/** Numbers the arrays that a Python process and this one share, and handles messages about them. */

import { NDArray } from '../../array/array.ts';
import { DeviceLostError } from '../../base/errors.ts';
import type { MessageHandler } from '../../sharing/channel.ts';
import type { GrantedArray } from '../../sharing/granted-array.ts';
import type { SharingLink } from '../../sharing/session.ts';

export type SharingFields = Readonly<Record<string, unknown>>;
type Tell = (number: number, fields: SharingFields) => boolean;

/** An array of JavaScript that Python holds. */
interface Lent {
  readonly granted: GrantedArray;
  /** Makes another array over the memory. */
  again(): NDArray;
}

/** The link of a Python array that is open here. */
class OpenedLink implements SharingLink {
  readonly #number: number;
  readonly #tell: Tell;
  readonly #closed: (number: number) => void;
  #handler: MessageHandler | null = null;
  #alive = true;
  /** Orders Python's later work after ours; null for memory of the host. */
  handOver: (() => void) | null = null;

  constructor(number: number, tell: Tell, closed: (number: number) => void) {
    this.#number = number;
    this.#tell = tell;
    this.#closed = closed;
  }

  get alive(): boolean {
    return this.#alive;
  }

  onMessage(handler: MessageHandler): void {
    this.#handler = handler;
  }

  onHandover(order: () => void): void {
    this.handOver = order;
  }

  send(fields: SharingFields): boolean {
    return this.#alive && this.#tell(this.#number, fields);
  }

  close(): void {
    if (!this.#alive) return;
    this.#tell(this.#number, { closed: true });
    this.#alive = false;
    this.#handler = null;
    this.#closed(this.#number);
  }

  hear(fields: SharingFields): void {
    this.#handler?.({ fields, descriptors: [] });
  }

  /** Ends the link after the other process has exited; `lost` unless it was closed in order. */
  end(lost: boolean): void {
    this.#alive = !lost;
    this.#handler?.(null);
  }
}

export class SharedArrays {
  readonly #tell: Tell;
  readonly #lent = new Map<number, Lent>();
  readonly #opened = new Map<number, OpenedLink>();
  #next = 1;

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  /** Notes an array that is passed to Python; returns its number, which is valid until Python releases the array. */
  lend(granted: GrantedArray, array: NDArray): number {
    const { dtype, shape, strides, offset, stream, readOnly, storage } = array;
    const again = (): NDArray =>
      new NDArray(storage.retain(), dtype, { shape, strides, offset }, stream, readOnly);
    const number = this.#next++;
    this.#lent.set(number, { granted, again });
    return number;
  }

  /** Undoes `lend` if Python did not receive the array. */
  takeBack(number: number): void {
    const lent = this.#lent.get(number);
    this.#lent.delete(number);
    lent?.granted.close();
  }

  /** Returns an array of JavaScript that Python passes back. */
  again(number: number): NDArray {
    return (this.#lent.get(number) as Lent).again();
  }

  /** Makes a number and a link for an array of Python. */
  open(): { readonly number: number; readonly link: SharingLink } {
    const number = this.#next++;
    const link = new OpenedLink(number, this.#tell, closed => this.#opened.delete(closed));
    this.#opened.set(number, link);
    return { number, link };
  }

  /** Orders Python's later work on its arrays after all work here so far, on the device. Called before Python continues. */
  orderPython(): void {
    for (const link of this.#opened.values()) {
      try {
        link.handOver?.();
      } catch (error) {
        // A lost device runs no work, and a call that does not use it continues.
        if (!(error instanceof DeviceLostError)) throw error;
      }
    }
  }

  hear(number: number, fields: SharingFields): void {
    this.#opened.get(number)?.hear(fields);
    this.#lent.get(number)?.granted.hear(fields, reply => this.#tell(number, reply));
    if (fields['closed'] === true) this.takeBack(number);
  }

  /** Ends all arrays after the other process has exited, when its work is over. */
  end(lost: boolean): void {
    for (const number of [...this.#lent.keys()]) this.takeBack(number);
    for (const opened of this.#opened.values()) opened.end(lost);
    this.#opened.clear();
  }
}
