/** Asks the executor for the members that a value has, without waiting for an executor that is busy. */

import type { LiveMember, MembersAnswer, MembersQuestion } from '../protocol/executor-messages.ts';

export type { LiveMember };

/** An idle executor answers in well under a millisecond; people do not notice this wait. */
const DEADLINE_MS = 15;

export class LiveMembers {
  readonly #send: (question: MembersQuestion) => void;
  readonly #waiting = new Map<number, (members: readonly LiveMember[] | undefined) => void>();
  #count = 0;

  constructor(send: (question: MembersQuestion) => void) {
    this.#send = send;
  }

  /**
   * Members of the value at the end of the path: a variable's name, then keys. Undefined where there is no such value,
   * where finding it would run code, and where the executor is busy.
   */
  ask(path: readonly string[]): Promise<readonly LiveMember[] | undefined> {
    // An executor that has not answered yet is in a loop: it need not be asked again.
    if (this.#waiting.size > 0) return Promise.resolve(undefined);
    this.#count += 1;
    const id = this.#count;
    return new Promise(resolve => {
      const deadline = setTimeout(() => resolve(undefined), DEADLINE_MS);
      this.#waiting.set(id, members => {
        clearTimeout(deadline);
        resolve(members);
      });
      this.#send({ kind: 'members', id, path });
    });
  }

  answered({ id, members }: MembersAnswer): void {
    this.#waiting.get(id)?.(members ?? undefined);
    this.#waiting.delete(id);
  }

  /** The executor is gone, and with it the answers. */
  reset(): void {
    for (const resolve of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
  }
}
