/** Executes cells one after the other, as the protocol orders it, and aborts those queued behind a failure. */

import type { Outcome } from '../protocol/executor-messages.ts';
import type { JsonObject, JupyterMessage } from '../protocol/messages.ts';
import type { History } from './history/history.ts';
import type { RequestChannel } from './sockets.ts';

export interface ExecutionJob {
  readonly channel: RequestChannel;
  readonly message: JupyterMessage;
  readonly code: string;
  readonly silent: boolean;
  readonly storeHistory: boolean;
  readonly stopOnError: boolean;
  readonly expressions: Readonly<Record<string, string>>;
}

/** What the queue needs of the kernel around it. */
export interface ExecutionHost {
  busy(job: ExecutionJob): void;
  idle(job: ExecutionJob): void;
  publish(job: ExecutionJob, type: string, content: object, metadata?: JsonObject): void;
  reply(job: ExecutionJob, content: object): void;
  /** Starts the code; `finish` is called with what came of it. */
  run(job: ExecutionJob, count: number | null): void;
  /** Stops the running code. */
  interrupt(): void;
  /** Resolves once everything the job showed was published. */
  outputPublished(): Promise<void>;
  executed(job: ExecutionJob, outcome: Outcome): void;
}

/** A cell that is still running this long after an interrupt is interrupted again: it may not have begun the first time. */
const INTERRUPT_AGAIN_MS = 500;

export class ExecutionQueue {
  readonly #host: ExecutionHost;
  readonly #history: History;
  #waiting: ExecutionJob[] = [];
  #running: ExecutionJob | undefined;
  #finishing = false;
  #count = 0;

  constructor(host: ExecutionHost, history: History) {
    this.#host = host;
    this.#history = history;
  }

  get running(): ExecutionJob | undefined {
    return this.#running;
  }

  add(job: ExecutionJob): void {
    this.#waiting.push(job);
    this.#next();
  }

  interrupt(): void {
    const running = this.#running;
    this.#host.interrupt();
    if (running === undefined) return;
    setTimeout(() => {
      if (this.#running === running && !this.#finishing) this.interrupt();
    }, INTERRUPT_AGAIN_MS).unref();
  }

  /** Ends the running job; ignored for one that was ended otherwise. */
  async finish(id: string, outcome: Outcome): Promise<void> {
    const job = this.#running;
    if (job === undefined || this.#finishing || job.message.header.msg_id !== id) return;
    this.#finishing = true;
    await this.#host.outputPublished();
    if (outcome.status === 'error' && !job.silent)
      this.#host.publish(job, 'error', errorFields(outcome), outcome.metadata);
    this.#host.executed(job, outcome);
    this.#host.reply(job, this.#replyContent(outcome));
    this.#running = undefined;
    this.#finishing = false;
    this.#host.idle(job);
    if (outcome.status === 'error' && job.stopOnError) this.#abortWaiting();
    this.#next();
  }

  #next(): void {
    if (this.#running !== undefined) return;
    const job = this.#waiting.shift();
    if (job === undefined) return;
    const counted = job.storeHistory && !job.silent;
    if (counted) this.#count += 1;
    const count = counted ? this.#count : null;
    this.#running = job;
    this.#host.busy(job);
    if (!job.silent)
      this.#host.publish(job, 'execute_input', { code: job.code, execution_count: this.#count });
    if (counted) this.#history.add(this.#count, job.code);
    this.#host.run(job, count);
  }

  #abortWaiting(): void {
    const aborted = this.#waiting;
    this.#waiting = [];
    for (const job of aborted) {
      this.#host.busy(job);
      const evalue = 'Not executed, because a cell before it failed';
      this.#host.reply(job, this.#replyContent({ status: 'error', ename: 'Aborted', evalue, traceback: [] }));
      this.#host.idle(job);
    }
  }

  #replyContent(outcome: Outcome): object {
    if (outcome.status === 'error')
      return { status: 'error', execution_count: this.#count, ...errorFields(outcome) };
    return {
      status: 'ok',
      execution_count: this.#count,
      user_expressions: outcome.expressions,
      payload: []
    };
  }
}

function errorFields({ ename, evalue, traceback }: Outcome & { status: 'error' }): object {
  return { ename, evalue, traceback };
}
