/** Asks the executor about live values, without waiting for a busy executor. */

import type {
  LiveMember,
  MembersAnswer,
  MembersQuestion,
  PythonAnswer,
  PythonQuestion,
  PythonSubject
} from '../../protocol/executor-messages.ts';

/** Timeout while a cell runs, which may be in a loop or may await: too short for people to notice. */
const RUNNING_DEADLINE_MS = 10;
/** Timeout for an idle executor, which answers in well under a millisecond on a machine that is not overloaded. */
const IDLE_DEADLINE_MS = 500;
/** Timeout for Python, which loads its completion modules at the first question. */
const PYTHON_DEADLINE_MS = 2_000;

type Question = MembersQuestion | PythonQuestion;
type Answer = MembersAnswer | PythonAnswer;

export class LiveMembers {
  readonly #send: (question: Question) => void;
  readonly #isRunning: () => boolean;
  readonly #waiting = new Map<number, (answer: Answer | undefined) => void>();
  #count = 0;

  /** Constructs the client. `isRunning` returns whether cells run. */
  constructor(send: (question: Question) => void, isRunning: () => boolean) {
    this.#send = send;
    this.#isRunning = isRunning;
  }

  /** Returns the members of the value at a path of a variable and keys; undefined if that would run code, or the executor is busy. */
  async ask(
    path: readonly string[]
  ): Promise<{ members: readonly LiveMember[]; complete: boolean } | undefined> {
    const answer = await this.#ask(id => ({ kind: 'members', id, path }), IDLE_DEADLINE_MS);
    if (answer?.kind !== 'members' || answer.members === null) return undefined;
    return { members: answer.members, complete: answer.complete === true };
  }

  /** Asks Python. Returns undefined if Python does not run or has no answer, or if the executor is busy. */
  async askPython<Result>(subject: PythonSubject): Promise<Result | undefined> {
    const answer = await this.#ask(id => ({ kind: 'python', id, subject }), PYTHON_DEADLINE_MS);
    return answer?.kind === 'python' && answer.answer !== null ? (answer.answer as Result) : undefined;
  }

  answered(answer: Answer): void {
    this.#waiting.get(answer.id)?.(answer);
    this.#waiting.delete(answer.id);
  }

  /** Resolves all open questions without an answer: the executor has exited. */
  reset(): void {
    for (const resolve of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
  }

  #ask(question: (id: number) => Question, idleTime: number): Promise<Answer | undefined> {
    const running = this.#isRunning();
    // A running cell that left a question unanswered is in a loop: do not ask again.
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
