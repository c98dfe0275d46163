/** What the process that runs cells does for widgets. In a plain program there is none: widgets then keep their state and nobody sees it. */

import type { CommMessageType, JsonObject } from '../../protocol/messages.ts';

/** How comm messages leave for the page. */
export type CommSender = (
  type: CommMessageType,
  content: JsonObject,
  metadata: JsonObject,
  buffers: readonly Uint8Array[]
) => void;

/** One thing that a cell put out, as an iopub message: its type and content. */
export interface CellOutput {
  readonly type: string;
  readonly content: JsonObject;
}

/** Takes output; false leaves it to the cell. */
export type OutputSink = (output: CellOutput) => boolean;

/** Runs work on behalf of a cell that was remembered. */
export type CellContext = <Result>(work: () => Result) => Result;

export interface WidgetHost {
  /** Sends a comm message on behalf of the running request. */
  readonly send: CommSender;
  /** Remembers the running cell: where output goes of work that is run by what it gives. */
  bindCell(): CellContext;
  /** Gives `sink` what is put out under `id` by work that `redirect` runs, also after its awaits and in its timers. */
  addSink(id: string, sink: OutputSink): void;
  removeSink(id: string): void;
  redirect<Result>(id: string, work: () => Result): Result;
  /** A page was loaded: output of earlier cells can no longer appear below them. */
  pageLoaded(): void;
  /** Hands over the output that is still gathered. */
  flushOutput(): void;
  /** Shows an error in the running cell, whose own outcome it does not change. */
  reportError(error: unknown): void;
  /** The notebook's variables, by name, as they are now. */
  variables(): Readonly<Record<string, unknown>>;
  /** Iterates over the notebook's variables, each read when it is requested. */
  eachVariable(): Iterable<readonly [string, unknown]>;
  /** Calls `listener` after each cell; returns the call that ends it. */
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

/** Called by the executor before any cell runs; undefined detaches. */
export function attachWidgetHost(host: WidgetHost | undefined): void {
  attached = host ?? PLAIN;
}

export function widgetHost(): WidgetHost {
  return attached;
}
