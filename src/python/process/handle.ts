/** An object of the Python in another process. */

import { FreedError } from '../../base/errors.ts';

/** The owner of a handle. */
export interface HandleOwner {
  /** Notifies the other process that the object is no longer referenced here. */
  drop(number: number): void;
}

/** The object's number in the table of the other process, which keeps the object until the number is dropped. */
export class RemoteHandle {
  readonly owner: HandleOwner;
  #number: number;

  constructor(owner: HandleOwner, number: number) {
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

const dropped = new FinalizationRegistry<{ readonly owner: HandleOwner; readonly number: number }>(
  ({ owner, number }) => owner.drop(number)
);
