/** Services of the process that runs cells. A plain program has none: its widgets keep their state but are not shown. */

import type { CommMessageType, JsonObject } from '../../protocol/messages.ts';

export type CommSender = (
  type: CommMessageType,
  content: JsonObject,
  metadata: JsonObject,
  buffers: readonly Uint8Array[]
) => void;

/** One output of a cell, as an iopub message: its type and content. */
export interface CellOutput {
  readonly type: string;
  readonly content: JsonObject;
}

/** Receives output; returns false to leave it to the cell. */
export type OutputSink = (output: CellOutput) => boolean;

/** Runs work on behalf of a remembered cell. */
export type CellContext = <Result>(work: () => Result) => Result;

export interface WidgetHost {
  /** Sends a comm message on behalf of the running request. */
  readonly send: CommSender;
  /** Remembers the running cell; the returned function runs work whose output goes there. */
  bindCell(): CellContext;
  /** Passes `sink` the output that work run by `redirect` produces under `id`, also after awaits and in timers. */
  addSink(id: string, sink: OutputSink): void;
  removeSink(id: string): void;
  redirect<Result>(id: string, work: () => Result): Result;
  /** Called on a page load: output of earlier cells can no longer appear below them. */
  pageLoaded(): void;
  flushOutput(): void;
  /** Shows an error in the running cell without changing its outcome. */
  reportError(error: unknown): void;
  variables(): Readonly<Record<string, unknown>>;
  /** Iterates over the notebook's variables, each read when it is requested. */
  eachVariable(): Iterable<readonly [string, unknown]>;
  /** Calls `listener` after each cell; returns a function that removes it. */
  onCellEnd(listener: () => void): () => void;
}

const PLAIN: WidgetHost = {
  send: () => {},
  bindCell: () => work => work(),
  addSink: () => {},
  removeSink: () => {},
  redirect: (_id, work) => work(),
  pageLoaded: () => {},
  flushOutput: () => {},
  reportError: error => void process.emit('uncaughtException', error as Error),
  variables: () => ({}),
  eachVariable: () => [],
  onCellEnd: () => () => {}
};

let attached = PLAIN;

/** Attaches the host before any cell runs; undefined detaches it. */
export function attachWidgetHost(host: WidgetHost | undefined): void {
  attached = host ?? PLAIN;
}

export function widgetHost(): WidgetHost {
  return attached;
}
