/** The main shell and its subshells (JEP 91) in one process: cells of one run while those of the others await. */

import { randomUUID } from 'node:crypto';
import type { Payload } from '../../../src/notebook/payload.ts';
import type { Outcome } from '../../protocol/executor-messages.ts';
import type { JupyterMessage } from '../../protocol/messages.ts';
import { ExecutionQueue, type ExecutionHost, type ExecutionJob } from './execution-queue.ts';
import type { History } from '../history/history.ts';

export interface ShellsHost extends ExecutionHost {
  interrupt(): void;
}

export class UnknownSubshellError extends Error {
  constructor(id: string) {
    super(
      `unknown subshell "${id}": list_subshell_request lists the existing ones, create_subshell_request creates one`
    );
    this.name = 'UnknownSubshellError';
  }
}

/** Delay before the interrupt is repeated: a cell may not have started at the first one. */
const INTERRUPT_AGAIN_MS = 500;

export class Shells {
  readonly #host: ShellsHost;
  readonly #newQueue: () => ExecutionQueue;
  readonly #main: ExecutionQueue;
  readonly #subshells = new Map<string, ExecutionQueue>();
  /** Deleted subshells whose last cell is still running. */
  readonly #leaving = new Set<ExecutionQueue>();

  constructor(host: ShellsHost, history: History) {
    this.#host = host;
    const count = { value: 0 };
    this.#newQueue = () => new ExecutionQueue(host, history, count);
    this.#main = this.#newQueue();
  }

  create(): string {
    const id = randomUUID();
    this.#subshells.set(id, this.#newQueue());
    return id;
  }

  /** Deletes a subshell; a running cell continues to its end. Throws `UnknownSubshellError`. */
  delete(id: string): void {
    const queue = this.#subshells.get(id);
    if (queue === undefined) throw new UnknownSubshellError(id);
    this.#subshells.delete(id);
    queue.abortWaiting('Not executed, because its subshell was deleted');
    if (queue.running !== undefined) this.#leaving.add(queue);
  }

  list(): string[] {
    return [...this.#subshells.keys()];
  }

  /** Throws `UnknownSubshellError` if the message names an unknown subshell. */
  check(message: JupyterMessage): void {
    this.#queueOf(message);
  }

  /** Queues a job. Throws `UnknownSubshellError`. */
  add(job: ExecutionJob): void {
    this.#queueOf(job.message).add(job);
  }

  /** The running jobs, that of the main shell first. */
  get running(): readonly ExecutionJob[] {
    return this.#queues.flatMap(({ running }) => running ?? []);
  }

  async finish(id: string, outcome: Outcome, payload: readonly Payload[] = []): Promise<void> {
    await Promise.all(this.#queues.map(queue => queue.finish(id, outcome, payload)));
    for (const queue of this.#leaving) if (queue.running === undefined) this.#leaving.delete(queue);
  }

  interrupt(): void {
    const stopping = this.running;
    this.#host.interrupt();
    if (stopping.length === 0) return;
    setTimeout(() => {
      if (this.#queues.some(queue => stopping.some(job => queue.isRunning(job)))) this.interrupt();
    }, INTERRUPT_AGAIN_MS).unref();
  }

  get #queues(): readonly ExecutionQueue[] {
    return [this.#main, ...this.#subshells.values(), ...this.#leaving];
  }

  #queueOf({ header }: JupyterMessage): ExecutionQueue {
    const id = header.subshell_id;
    if (typeof id !== 'string') return this.#main;
    const queue = this.#subshells.get(id);
    if (queue === undefined) throw new UnknownSubshellError(id);
    return queue;
  }
}
