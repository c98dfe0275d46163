/** Asks the executor what its values are, without waiting for an executor that is busy. */

import type { LiveMember, MembersAnswer, MembersQuestion } from '../../protocol/executor-messages.ts';
import type { PythonAnswer, PythonQuestion, PythonSubject } from '../../protocol/python-questions.ts';

export type { LiveMember };

export interface FoundMembers {
  readonly members: readonly LiveMember[];
  /** They are all there are, whatever the types say. */
  readonly complete: boolean;
}

/** While a cell runs, which may be in a loop or may wait: people do not notice this. */
const RUNNING_DEADLINE_MS = 10;
/** An idle executor answers in well under a millisecond, on a machine that is not overloaded. */
const IDLE_DEADLINE_MS = 500;
/** Python's own modules for it are loaded by the first question. */
const PYTHON_DEADLINE_MS = 2_000;

type Question = MembersQuestion | PythonQuestion;
type Answer = MembersAnswer | PythonAnswer;

export class LiveMembers {
  readonly #send: (question: Question) => void;
  readonly #isRunning: () => boolean;
  readonly #waiting = new Map<number, (answer: Answer | undefined) => void>();
  #count = 0;

  /** `isRunning` tells whether cells run. */
  constructor(send: (question: Question) => void, isRunning: () => boolean) {
    this.#send = send;
    this.#isRunning = isRunning;
  }

  /**
   * Members of the value at the end of the path: a variable's name, then keys. Undefined where there is no such value,
   * where finding it would run code, and where the executor is busy.
   */
  async ask(path: readonly string[]): Promise<FoundMembers | undefined> {
    const answer = await this.#ask(id => ({ kind: 'members', id, path }), IDLE_DEADLINE_MS);
    if (answer?.kind !== 'members' || answer.members === null) return undefined;
    return { members: answer.members, complete: answer.complete === true };
  }

  /** Undefined where Python does not run or knows nothing, and where the executor is busy. */
  async askPython<Result>(subject: PythonSubject): Promise<Result | undefined> {
    const answer = await this.#ask(id => ({ kind: 'python', id, subject }), PYTHON_DEADLINE_MS);
    return answer?.kind === 'python' && answer.answer !== null ? (answer.answer as Result) : undefined;
  }

  answered(answer: Answer): void {
    this.#waiting.get(answer.id)?.(answer);
    this.#waiting.delete(answer.id);
  }

  /** The executor is gone, and with it the answers. */
  reset(): void {
    for (const resolve of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
  }

  #ask(question: (id: number) => Question, idleTime: number): Promise<Answer | undefined> {
    const running = this.#isRunning();
    // A cell that runs and has left a question without an answer is in a loop: it need not be asked again.
    if (running && this.#waiting.size > 0) return Promise.resolve(undefined);
    this.#count += 1;
    const id = this.#count;
    return new Promise(resolve => {
      const deadline = setTimeout(() => resolve(undefined), running ? RUNNING_DEADLINE_MS : idleTime);
      this.#waiting.set(id, answer => {
        clearTimeout(deadline);
        resolve(answer);
      });
      this.#send(question(id));
    });
  }
}
