/** Executes the cells of one shell in order, and aborts those that were sent before their client could know of a failure. */

import type { Payload } from '../../../src/notebook/payload.ts';
import type { Outcome } from '../../protocol/executor-messages.ts';
import type { CellOrigin } from '../../protocol/cell-origin.ts';
import type { JsonObject, JupyterMessage } from '../../protocol/messages.ts';
import type { History } from '../history/history.ts';
import type { RequestChannel } from '../sockets/sockets.ts';

export interface ExecutionJob {
  readonly channel: RequestChannel;
  readonly message: JupyterMessage;
  /** Milliseconds of the kernel's own clock. */
  readonly receivedAt: number;
  readonly code: string;
  readonly origin: CellOrigin | undefined;
  readonly silent: boolean;
  readonly storeHistory: boolean;
  readonly stopOnError: boolean;
  readonly expressions: Readonly<Record<string, string>>;
}

export interface ExecutionHost {
  busy(job: ExecutionJob): void;
  idle(job: ExecutionJob): void;
  publish(job: ExecutionJob, type: string, content: object, metadata?: JsonObject): void;
  reply(job: ExecutionJob, content: object): void;
  /** Starts the code; `finish` is called with its outcome. */
  run(job: ExecutionJob, count: number | null): void;
  /** Resolves once all output of the job has been published. */
  outputPublished(): Promise<void>;
  executed(job: ExecutionJob, outcome: Outcome): void;
}

/** The number of the latest cell, shared by all shells. */
export interface ExecutionCount {
  value: number;
}

interface Running {
  readonly job: ExecutionJob;
  /** Count in the reply: that of the latest counted cell if this one is not counted. */
  readonly count: number;
  finishing: boolean;
}

export class ExecutionQueue {
  readonly #host: ExecutionHost;
  readonly #history: History;
  readonly #count: ExecutionCount;
  #waiting: ExecutionJob[] = [];
  #running: Running | undefined;
  /** Set after a failure: returns whether a cell was sent before its client could know of the failure. */
  #wasUnaware: ((job: ExecutionJob) => boolean) | undefined;

  constructor(host: ExecutionHost, history: History, count: ExecutionCount) {
    this.#host = host;
    this.#history = history;
    this.#count = count;
  }

  get running(): ExecutionJob | undefined {
    return this.#running?.job;
  }

  /** Returns whether the job is running and has no outcome yet. */
  isRunning(job: ExecutionJob): boolean {
    return this.#running?.job === job && !this.#running.finishing;
  }

  add(job: ExecutionJob): void {
    if (this.#wasUnaware?.(job) === true) return this.#abort(job, AFTER_FAILURE);
    this.#waiting.push(job);
    this.#next();
  }

  /** Ends the running job; ignored if it has already ended. */
  async finish(id: string, outcome: Outcome, payload: readonly Payload[]): Promise<void> {
    const running = this.#running;
    if (running === undefined || running.finishing || running.job.message.header.msg_id !== id) return;
    const { job, count } = running;
    running.finishing = true;
    await this.#host.outputPublished();
    if (outcome.status === 'error' && !job.silent)
      this.#host.publish(job, 'error', errorFields(outcome), outcome.metadata);
    const failed = outcome.status === 'error' && job.stopOnError && !job.silent;
    // Before the reply: its client may send the next cell as soon as it has it.
    if (failed) this.#wasUnaware = unawareOf(job);
    this.#host.reply(job, replyContent(count, outcome, payload));
    this.#running = undefined;
    this.#host.idle(job);
    // After the reply, which need not wait for it, and before the next cell, which uses its names.
    this.#host.executed(job, outcome);
    if (failed) this.abortWaiting(AFTER_FAILURE);
    this.#next();
  }

  /** Aborts all cells that have not started, with `reason` as the message of their replies. */
  abortWaiting(reason: string): void {
    for (const job of this.#waiting.splice(0)) this.#abort(job, reason);
  }

  #next(): void {
    if (this.#running !== undefined) return;
    const job = this.#waiting.shift();
    if (job === undefined) return;
    const counted = job.storeHistory && !job.silent;
    if (counted) this.#count.value += 1;
    const count = this.#count.value;
    this.#running = { job, count, finishing: false };
    this.#host.busy(job);
    if (!job.silent) this.#host.publish(job, 'execute_input', { code: job.code, execution_count: count });
    if (counted) this.#history.add(count, job.code);
    this.#host.run(job, counted ? count : null);
  }

  #abort(job: ExecutionJob, evalue: string): void {
    this.#host.busy(job);
    const outcome: Outcome = { status: 'error', ename: 'Aborted', evalue, traceback: [] };
    this.#host.reply(job, replyContent(this.#count.value, outcome, []));
    this.#host.idle(job);
  }
}

const AFTER_FAILURE = 'Not executed, because an earlier cell failed';

function replyContent(count: number, outcome: Outcome, payload: readonly Payload[]): object {
  if (outcome.status === 'error') return { status: 'error', execution_count: count, ...errorFields(outcome) };
  return { status: 'ok', execution_count: count, user_expressions: outcome.expressions, payload };
}

function errorFields({ ename, evalue, traceback }: Outcome & { status: 'error' }): object {
  return { ename, evalue, traceback };
}

/** Resolution of the times that clients send. */
const RESOLUTION_MS = 1;

/** Recognizes cells sent before now, when their client cannot know of a failure, as by "run all". Compares only times of the client's clock. */
function unawareOf({ message, receivedAt }: ExecutionJob): (job: ExecutionJob) => boolean {
  const { session, date } = message.header;
  const sent = Date.parse(date);
  const known = sent + (performance.now() - receivedAt) - RESOLUTION_MS;
  return ({ message: { header } }) => {
    const time = Date.parse(header.date);
    return header.session === session && time >= sent && time <= known;
  };
}
