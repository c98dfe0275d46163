/** Keeps the output of runs, also for a while after their end, for pages that are loaded in that time (src/notebook/cell-outputs.ts). */

import type { CellOutputsContent } from '../../../src/notebook/cell-outputs.ts';
import type { JsonObject, JupyterMessage } from '../../protocol/messages.ts';
import { KeptOutput } from './kept-output.ts';
import type { OutgoingMessage } from '../sockets/wire.ts';

/** Maximum bytes of output kept for all runs. The largest run drops its oldest output first. */
const MAX_BYTES = 4 * 2 ** 20;
/** Time for which a run is kept after its end. */
const KEPT_MS = 60_000;
const MAX_ENDED = 1_000;

export interface CellOutputsHost {
  /** Answers a `follow_cell_request`. */
  reply(request: JupyterMessage, content: object): void;
  /** Publishes that the request was handled. */
  idle(request: JupyterMessage): void;
}

interface Run {
  readonly request: JupyterMessage;
  readonly cellId: string;
  readonly output: KeptOutput;
  /** Requests of pages that wait for the end of the run. */
  readonly followers: JupyterMessage[];
  latest: string | null;
  reply: object | undefined;
  ended: string | null;
  timer: NodeJS.Timeout | undefined;
  /** Whether the cell was run again, so that it shows the later run. */
  outdated: boolean;
}

export class CellOutputs {
  readonly #host: CellOutputsHost;
  readonly #runs = new Map<string, Run>();
  #bytes = 0;

  constructor(host: CellOutputsHost) {
    this.#host = host;
  }

  /** Adds the run of an `execute_request`. Only notebooks report which cell they run. */
  add(request: JupyterMessage): void {
    const { header, metadata, content } = request;
    const cellId = metadata['cellId'];
    if (typeof cellId !== 'string' || content['silent'] === true) return;
    for (const [id, run] of this.#runs) if (run.cellId === cellId) this.#outdate(id, run);
    this.#runs.set(header.msg_id, {
      request: { ...request, content: {}, metadata: {}, buffers: [] },
      cellId,
      output: new KeptOutput(),
      followers: [],
      latest: null,
      reply: undefined,
      ended: null,
      timer: undefined,
      outdated: false
    });
  }

  has(id: string): boolean {
    return this.#runs.has(id);
  }

  /** Records a message published on iopub: its `msg_id`, and the size of its content in bytes. */
  note({ type, content, parent, metadata = {} }: OutgoingMessage, id: string, bytes: number): void {
    const run = parent.msg_id === undefined ? undefined : this.#runs.get(parent.msg_id);
    if (run === undefined || run.outdated) return;
    run.latest = id;
    this.#change(run, () => run.output.add({ type, content: content as JsonObject, metadata }, bytes));
    while (this.#bytes > MAX_BYTES) this.#shorten();
  }

  /** Called when the run's `execute_reply` was sent. */
  replied(id: string, content: object): void {
    const run = this.#runs.get(id);
    if (run === undefined) return;
    run.reply = content;
    for (const request of run.followers.splice(0)) this.#host.reply(request, content);
  }

  /** Called when the run's idle status was published. */
  ended(id: string): void {
    const run = this.#runs.get(id);
    if (run === undefined || run.ended !== null) return;
    if (run.outdated) return this.#forget(id);
    run.ended = new Date().toISOString();
    run.timer = setTimeout(() => this.#forget(id), KEPT_MS).unref();
    const ended = [...this.#runs].filter(([, { ended }]) => ended !== null);
    if (ended.length > MAX_ENDED) this.#forget(ended[0]![0]);
  }

  /** Replies once the run has ended; returns false if it already has. */
  follow(request: JupyterMessage): boolean {
    const { msg_id } = request.header;
    const run = this.#runs.get(msg_id);
    if (run === undefined) {
      const evalue = `unknown run "${msg_id}": runs are kept for ${KEPT_MS / 1000} seconds after their end`;
      this.#host.reply(request, { status: 'error', ename: 'UnknownRun', evalue, traceback: [] });
    } else if (run.reply === undefined) {
      run.followers.push(request);
      return true;
    } else {
      this.#host.reply(request, run.reply);
      // The page may have been loaded after the status was published.
      if (run.ended !== null) this.#host.idle(run.request);
    }
    return false;
  }

  /** Time at which the latest run ended; now if one is running, null if there is none (ISO 8601). */
  get until(): string | null {
    const ends = this.#shown.map(([, { ended }]) => ended ?? new Date().toISOString());
    return ends.sort().at(-1) ?? null;
  }

  content(): CellOutputsContent {
    return {
      status: 'ok',
      runs: this.#shown.map(([id, { request, cellId, ended, latest, output }]) => ({
        id,
        cell_id: cellId,
        session: request.header.session,
        ended,
        latest,
        shortened: output.shortened,
        messages: output.messages
      }))
    };
  }

  get #shown(): readonly (readonly [string, Run])[] {
    return [...this.#runs].filter(([, { outdated }]) => !outdated);
  }

  #shorten(): void {
    const longest = [...this.#runs.values()].reduce((a, b) => (b.output.bytes > a.output.bytes ? b : a));
    this.#change(longest, () => longest.output.dropOldest());
  }

  #change({ output }: Run, change: () => void): void {
    const before = output.bytes;
    change();
    this.#bytes += output.bytes - before;
  }

  #outdate(id: string, run: Run): void {
    if (run.ended !== null) return this.#forget(id);
    run.outdated = true;
    this.#change(run, () => run.output.clear());
  }

  #forget(id: string): void {
    const run = this.#runs.get(id);
    if (run === undefined) return;
    clearTimeout(run.timer);
    this.#change(run, () => run.output.clear());
    this.#runs.delete(id);
  }
}
