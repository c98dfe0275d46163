/** Messages between the front and the executor. `cell` and `id` are the `msg_id` of the request concerned. */

import type { Payload } from '../../src/notebook/payload.ts';
import type { CellOrigin } from './cell-origin.ts';
import type { CommMessageType, ErrorContent, JsonObject, StreamName } from './messages.ts';

export interface ExecuteRequest {
  readonly kind: 'execute';
  readonly id: string;
  /** Execution count of the cell; null if it is not counted. */
  readonly count: number | null;
  readonly code: string;
  /** Present for a cell of a script. */
  readonly origin?: CellOrigin;
  readonly silent: boolean;
  readonly expressions: Readonly<Record<string, string>>;
  /** Present while the debugger is attached: the compiled cell waits until its breakpoints are set. */
  readonly debug?: true;
}

export interface CommDelivery {
  readonly kind: 'comm';
  readonly id: string;
  readonly type: CommMessageType;
  readonly content: JsonObject;
  readonly metadata: JsonObject;
}

/** Asks for the members of the value at the end of a path of keys that starts at a variable. */
export interface MembersQuestion {
  readonly kind: 'members';
  readonly id: number;
  readonly path: readonly string[];
}

export interface LiveMember {
  readonly name: string;
  /** `method` or `property`; for Python objects Python's kinds as well. */
  readonly type: string;
}

export interface MembersAnswer {
  readonly kind: 'members';
  readonly id: number;
  /** Null if there is no such value, or if finding it would run code. */
  readonly members: readonly LiveMember[] | null;
  /** Whether the list is complete, whatever the types say. */
  readonly complete?: boolean;
}

/** Subject of a question about Python; the executor answers between two turns of its event loop, or not at all. */
export type PythonSubject =
  /** Describes an attribute at the end of a path of names that starts at a variable of the notebook. */
  | { readonly about: 'attribute'; readonly path: readonly string[]; readonly detail: number }
  /** Cursors count code points in the Python code of a cell. */
  | { readonly about: 'completions'; readonly source: string; readonly cursor: number }
  | { readonly about: 'name'; readonly source: string; readonly cursor: number; readonly detail: number }
  | { readonly about: 'completeness'; readonly source: string };

export interface PythonQuestion {
  readonly kind: 'python';
  readonly id: number;
  readonly subject: PythonSubject;
}

export interface PythonAnswer {
  readonly kind: 'python';
  readonly id: number;
  /** The result of src/python/interpreter/notebook.ts; null if Python does not run or has no answer. */
  readonly answer: unknown;
}

/** An input request of code in `cell` to the user of the client that runs it. */
export interface InputQuestion {
  readonly kind: 'ask';
  readonly id: number;
  readonly cell: string;
  readonly prompt: string;
  readonly password: boolean;
  /** The executor's main thread is blocked: the answer goes to its interrupt thread. */
  readonly blocking: boolean;
}

/** Answer to a question if the client cannot be asked, or can no longer answer. */
export interface InputFailure {
  readonly kind: 'answer';
  readonly id: number;
  readonly failure: 'not-implemented' | 'closed';
  readonly reason: string;
}

export type InputAnswer =
  { readonly kind: 'answer'; readonly id: number; readonly value: string } | InputFailure;

export type ToExecutor =
  | ExecuteRequest
  | CommDelivery
  | MembersQuestion
  | PythonQuestion
  | InputAnswer
  /** Answers `compiled`: the cell's breakpoints are set. */
  | { readonly kind: 'run'; readonly id: string }
  /** Starts the interrupt thread, which otherwise starts with the first cell. */
  | { readonly kind: 'watch' }
  /** Asks for `settled`, sent when no rejections, and with `work` no timers, processes or sockets, are pending. */
  | { readonly kind: 'settle'; readonly work: boolean }
  /** Asks for a `device-usage` message. */
  | { readonly kind: 'device-usage' }
  | { readonly kind: 'exit' };

/** Memory of one device, used by all processes, in bytes. */
export interface DeviceUsage {
  /** `cuda:0`, `sim:0`. */
  readonly device: string;
  readonly name: string;
  readonly simulated: boolean;
  readonly total: number;
  readonly used: number;
}

/** Sent to the executor's interrupt thread, on a separate descriptor. */
export interface InterruptOrder {
  readonly kind: 'interrupt';
  /** The cell to interrupt: the number of cells sent to this executor so far. */
  readonly cell: number;
}

/** Processes and threads that an interrupt did not end. */
export interface LeftRunningNotice {
  readonly kind: 'left-running';
  readonly cell: number;
  readonly programs: readonly { readonly pid: number; readonly command: string }[];
  /** Number of threads that run native code. */
  readonly threads: number;
}

/** Sent back on that descriptor, at most once of each kind for each order. */
export type InterruptNotice =
  /** The main thread is in a call that cannot be interrupted. */
  { readonly kind: 'in-native-code'; readonly cell: number } | LeftRunningNotice;

export type ToInterruptThread = InterruptOrder | InputAnswer;

export type ExpressionResult =
  | { readonly status: 'ok'; readonly data: JsonObject; readonly metadata: JsonObject }
  | ({ readonly status: 'error' } & ErrorContent);

export type Outcome =
  | { readonly status: 'ok'; readonly expressions: Readonly<Record<string, ExpressionResult>> }
  | ({
      readonly status: 'error';
      /** The process is no longer usable; the front replaces it. */
      readonly restart?: true;
      /** Names declared by the cell that were assigned; absent if the cell never ran. */
      readonly assigned?: readonly string[];
      /** Metadata of the `error` message, for programs. */
      readonly metadata?: JsonObject;
    } & ErrorContent);

/** Head of a stream frame; its one buffer is UTF-8, which may begin and end within a character. */
export interface StreamHead {
  readonly kind: 'stream';
  readonly cell: string;
  readonly name: StreamName;
  /** Native output before the mark of this number precedes this text. */
  readonly mark?: number | undefined;
}

export interface Publication {
  readonly kind: 'publish';
  readonly cell: string;
  readonly type: string;
  readonly content: JsonObject;
  readonly metadata: JsonObject;
  /** Number of the mark, as in a stream. */
  readonly mark?: number | undefined;
}

export type FromExecutor =
  /** `heapLimit` is in bytes. */
  | { readonly kind: 'ready'; readonly heapLimit: number }
  | StreamHead
  /** A cell under the debugger is compiled as the script `file`, and waits for `run`. */
  | { readonly kind: 'compiled'; readonly id: string; readonly file: string }
  /** A kernel of these cells and files has a breakpoint; its code for the debugger is the script `file`, and waits until the gate `id` is opened. */
  | {
      readonly kind: 'kernel-compiled';
      readonly id: number;
      readonly file: string;
      /** The text of each cell, or the path of each file. */
      readonly origins: readonly { readonly source: string; readonly path?: string }[];
    }
  | Publication
  /** `variables`: the current number of the notebook's variables. */
  | {
      readonly kind: 'executed';
      readonly id: string;
      readonly outcome: Outcome;
      readonly payload: readonly Payload[];
      readonly variables: number;
    }
  /** Acknowledges `exit`: until the process ends, only exit handlers of the user still run. */
  | { readonly kind: 'exiting' }
  | MembersAnswer
  | PythonAnswer
  | InputQuestion
  /** `errors`: number of errors outside of cells so far. */
  | { readonly kind: 'settled'; readonly errors: number }
  /** The process now has memory on a device. */
  | { readonly kind: 'device-used' }
  | { readonly kind: 'device-usage'; readonly devices: readonly DeviceUsage[] }
  | { readonly kind: 'handled'; readonly id: string };

/** File descriptors of the executor in addition to 0, 1 and 2. */
export const FRONT_OUTPUT_FD = 3;
export const FRONT_INPUT_FD = 4;
export const INTERRUPT_FD = 5;
