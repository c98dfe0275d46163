/**
 * How a page that is loaded in the middle of a run gets to the output of that run. Jupyter gives output to the page that asked for
 * the cell, so a new page asks the kernel for what it missed, and then follows what comes. Both requests go over the control channel.
 */

/** Answered by `CellOutputsContent`. */
export const CELL_OUTPUTS_REQUEST = 'cell_outputs_request';
/**
 * Its `msg_id` is that of the request that runs the cell, so that the page takes the output for its own. It has no status of its own;
 * its reply comes when the run ends, with the content of the `execute_reply`.
 */
export const FOLLOW_CELL_REQUEST = 'follow_cell_request';

export interface CellOutputsContent {
  readonly status: 'ok';
  readonly runs: readonly CellRun[];
}

export interface CellRun {
  /** `msg_id` of the `execute_request`. */
  readonly id: string;
  readonly cell_id: string;
  /** The client that asked for the run. */
  readonly session: string;
  /** ISO 8601; null for a run that has not ended. */
  readonly ended: string | null;
  /** `msg_id` of the latest message in `messages`: SESSION_NUMBER. Later ones have higher numbers. Null where there was none. */
  readonly latest: string | null;
  /** The oldest output was dropped. */
  readonly shortened: boolean;
  readonly messages: readonly OutputMessage[];
}

/** A message of the iopub channel. */
export interface OutputMessage {
  readonly type: string;
  readonly content: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}
