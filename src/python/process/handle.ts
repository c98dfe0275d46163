/** An object of the Python in another process. */

import { FreedError } from '../../base/errors.ts';
import type { Connection } from './connection.ts';

/** The object's number in the table of the other process, which keeps the object until the number is dropped. */
export class RemoteHandle {
  readonly owner: Connection;
  #number: number;

  constructor(owner: Connection, number: number) {
    this.owner = owner;
    this.#number = number;
    dropped.register(this, { owner, number }, this);
  }

  /** The number. @throws FreedError */
  get number(): number {
    if (this.#number === 0) throw new FreedError('this Python object was freed');
    return this.#number;
  }

  /** Releases the object. A second call does nothing. */
  release(): void {
    if (this.#number === 0) return;
    dropped.unregister(this);
    this.owner.drop(this.#number);
    this.#number = 0;
  }
}

const dropped = new FinalizationRegistry<{ readonly owner: Connection; readonly number: number }>(
  ({ owner, number }) => owner.drop(number)
);
