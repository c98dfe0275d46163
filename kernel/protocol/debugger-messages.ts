/** Messages between the front and the executor's debugger thread: commands and events of V8's inspector. */

import type { JsonObject } from './messages.ts';

/** A place in a script or a source; both count from 0, as in the inspector. */
export interface InspectorPlace {
  readonly line: number;
  readonly column: number;
}

export type ToDebugger =
  /** `connect` comes first, and again after a `disconnect`; otherwise the inspector is off. */
  | { readonly kind: 'connect' }
  | { readonly kind: 'disconnect' }
  | { readonly kind: 'post'; readonly id: number; readonly method: string; readonly params: object }
  /** Asks where a cell that has not run could stop; answered with `InspectorPlace[]` in the cell's text. */
  | { readonly kind: 'breakable'; readonly id: number; readonly code: string };

export type FromDebugger =
  | { readonly kind: 'event'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly message: string };

/** Sent to the executor's interrupt thread, which always listens, to start the debugger thread. */
export interface DebuggerOrder {
  readonly kind: 'debugger';
}

/** A file descriptor of the executor in addition to those of `executor-messages.ts`, open in both directions. */
export const DEBUGGER_FD = 6;

/** Global symbol of the object through which the debugger accesses the notebook. */
export const NOTEBOOK_ACCESS = 'stridelab.debugger';

/** A place in the text of a cell. `line` is null for code that the kernel added. Lines count from 1, columns from 0. */
export interface CellPlaceAnswer {
  readonly label: string;
  readonly source: string;
  /** Set for a kernel in a file, which has no `source` here. */
  readonly path?: string;
  readonly line: number | null;
  readonly column: number;
  /**
   * Set in the code that runs the threads of a kernel, where only the lines of the kernel have a place: the start of a line, where
   * breakpoints stop; its rest, where only a step stops that comes from a helper; and the call of a helper, where nothing stops.
   */
  readonly inKernel?: 'start' | 'rest' | 'call';
}

/** The lines with breakpoints of a cell or a file. */
export interface BreakpointLines {
  /** The text of the cell, or the path of the file. */
  readonly key: string;
  readonly lines: readonly number[];
}

/** How a value is identified and described to the client. */
export interface ValueAnswer {
  /** Identifies the object for its lifetime; 0 if the value is not an object. */
  readonly id: number;
  /** A line with which the object describes itself; null if it does not. Absent in a critical section, where its code must not run. */
  readonly text?: string | null;
}

/** A place in a script; `line` from 1, `column` from 0. */
export type PlaceQuery = readonly [file: string, line: number, column: number];
