/** Asks the executor for the members that a value has, without waiting for an executor that is busy. */

import type { LiveMember, MembersAnswer, MembersQuestion } from '../protocol/executor-messages.ts';

export type { LiveMember };

/** While a cell runs, which may be in a loop or may wait: people do not notice this. */
const RUNNING_DEADLINE_MS = 10;
/** An idle executor answers in well under a millisecond, on a machine that is not overloaded. */
const IDLE_DEADLINE_MS = 500;

export class LiveMembers {
  readonly #send: (question: MembersQuestion) => void;
  readonly #isRunning: () => boolean;
  readonly #waiting = new Map<number, (members: readonly LiveMember[] | undefined) => void>();
  #count = 0;

  /** `isRunning` tells whether cells run. */
  constructor(send: (question: MembersQuestion) => void, isRunning: () => boolean) {
    this.#send = send;
    this.#isRunning = isRunning;
  }

  /**
   * Members of the value at the end of the path: a variable's name, then keys. Undefined where there is no such value,
   * where finding it would run code, and where the executor is busy.
   */
  ask(path: readonly string[]): Promise<readonly LiveMember[] | undefined> {
    const running = this.#isRunning();
    // A cell that runs and has left a question without an answer is in a loop: it need not be asked again.
    if (running && this.#waiting.size > 0) return Promise.resolve(undefined);
    this.#count += 1;
    const id = this.#count;
    const time = running ? RUNNING_DEADLINE_MS : IDLE_DEADLINE_MS;
    return new Promise(resolve => {
      const deadline = setTimeout(() => resolve(undefined), time);
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
