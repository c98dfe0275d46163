/** Messages on the control channel with which a page that is loaded during a run requests the output that it missed, and then follows the run. */

/** The request that `CellOutputsContent` answers. */
export const CELL_OUTPUTS_REQUEST = 'cell_outputs_request';
/** The request to follow a run, with the `msg_id` of the request that runs the cell. Its reply comes at the end, with the `execute_reply`. */
export const FOLLOW_CELL_REQUEST = 'follow_cell_request';

export interface CellOutputsContent {
  readonly status: 'ok';
  readonly runs: readonly CellRun[];
}

export interface CellRun {
  /** `msg_id` of the `execute_request`. */
  readonly id: string;
  readonly cell_id: string;
  /** The client that requested the run. */
  readonly session: string;
  /** The time of its end in ISO 8601; null while the run continues. */
  readonly ended: string | null;
  /** `msg_id` of the latest message in `messages`: SESSION_NUMBER. Later ones have higher numbers. Null if there was none. */
  readonly latest: string | null;
  /** Whether the oldest output was dropped. */
  readonly shortened: boolean;
  readonly messages: readonly OutputMessage[];
}

/** A message of the iopub channel. */
export interface OutputMessage {
  readonly type: string;
  readonly content: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}
