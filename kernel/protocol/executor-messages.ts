/** What the front and the executor tell each other. `cell` and `id` are the `msg_id` of the request concerned. */

import type { Payload } from '../../src/notebook/payload.ts';
import type { CellOrigin } from './cell-origin.ts';
import type { PythonAnswer, PythonQuestion } from './python-questions.ts';
import type { CommMessageType, ErrorContent, JsonObject, StreamName } from './messages.ts';

export interface ExecuteRequest {
  readonly kind: 'execute';
  readonly id: string;
  /** The number shown beside the cell; cells that are not counted have none. */
  readonly count: number | null;
  readonly code: string;
  /** Present for a cell of a script. */
  readonly origin?: CellOrigin;
  readonly silent: boolean;
  readonly expressions: Readonly<Record<string, string>>;
  /** Present while the debugger is attached: compiled, the cell waits until its breakpoints are set. */
  readonly debug?: true;
}

export interface CommDelivery {
  readonly kind: 'comm';
  readonly id: string;
  readonly type: CommMessageType;
  readonly content: JsonObject;
  readonly metadata: JsonObject;
}

/** Asks what can follow a path of keys that begins at a variable. */
export interface MembersQuestion {
  readonly kind: 'members';
  readonly id: number;
  readonly path: readonly string[];
}

export interface LiveMember {
  readonly name: string;
  /** `method` or `property`; of Python objects their own kinds as well. */
  readonly type: string;
}

export interface MembersAnswer {
  readonly kind: 'members';
  readonly id: number;
  /** Null where there is no such value, or where finding it would run code. */
  readonly members: readonly LiveMember[] | null;
  /** They are all there are, whatever the types say. */
  readonly complete?: boolean;
}
/** A question of the code of `cell` to the person in front of the client that runs it. */
export interface InputQuestion {
  readonly kind: 'ask';
  readonly id: number;
  readonly cell: string;
  readonly prompt: string;
  readonly password: boolean;
  /** The executor's main thread stands still: the answer goes to its interrupt thread. */
  readonly blocking: boolean;
}

/** Nobody can be asked, or nobody can answer any more. */
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
  /** Asks for `settled` back, once what the cells left behind is done: rejections, and with `work` timers, programs and sockets. */
  | { readonly kind: 'settle'; readonly work: boolean }
  /** Asks for a `device-usage` back. */
  | { readonly kind: 'device-usage' }
  | { readonly kind: 'exit' };

/** Memory of one device, of all processes; bytes. */
export interface DeviceUsage {
  /** `cuda:0`, `sim:0`. */
  readonly device: string;
  readonly name: string;
  readonly simulated: boolean;
  readonly total: number;
  readonly used: number;
}

/** Goes to the executor's interrupt thread, on a descriptor of its own. */
export interface InterruptOrder {
  readonly kind: 'interrupt';
  /** The cell that is meant: how many this executor was given so far. */
  readonly cell: number;
}

/** Comes back on that descriptor, at most once for each order. */
export interface InterruptNotice {
  /** The main thread is in a call that cannot be interrupted. */
  readonly kind: 'in-native-code';
  readonly cell: number;
}

export type ToInterruptThread = InterruptOrder | InputAnswer;

export type ExpressionResult =
  | { readonly status: 'ok'; readonly data: JsonObject; readonly metadata: JsonObject }
  | ({ readonly status: 'error' } & ErrorContent);

export type Outcome =
  | { readonly status: 'ok'; readonly expressions: Readonly<Record<string, ExpressionResult>> }
  | ({
      readonly status: 'error';
      /** The process is of no more use, the front replaces it. */
      readonly restart?: true;
      /** Of the names that the cell declares those that it came to assign; absent for a cell that never ran. */
      readonly assigned?: readonly string[];
      /** Of the `error` message, for programs. */
      readonly metadata?: JsonObject;
    } & ErrorContent);

/** Its one buffer is UTF-8, which may begin and end within a character. */
export interface StreamHead {
  readonly kind: 'stream';
  readonly cell: string;
  readonly name: StreamName;
  /** What native code printed before the mark of this number came before. */
  readonly mark?: number | undefined;
}

export interface Publication {
  readonly kind: 'publish';
  readonly cell: string;
  readonly type: string;
  readonly content: JsonObject;
  readonly metadata: JsonObject;
  /** As of a stream. */
  readonly mark?: number | undefined;
}

export type FromExecutor =
  /** `heapLimit` is in bytes. */
  | { readonly kind: 'ready'; readonly heapLimit: number }
  | StreamHead
  /** A cell under the debugger is compiled, as the script `file`, and waits for `run`. */
  | { readonly kind: 'compiled'; readonly id: string; readonly file: string }
  | Publication
  /** `variables`: how many the notebook has now. */
  | {
      readonly kind: 'executed';
      readonly id: string;
      readonly outcome: Outcome;
      readonly payload: readonly Payload[];
      readonly variables: number;
    }
  /** It was asked to exit and does: what it runs until then is the user's. */
  | { readonly kind: 'exiting' }
  | MembersAnswer
  | PythonAnswer
  | InputQuestion
  /** `errors`: those that came outside of cells so far. */
  | { readonly kind: 'settled'; readonly errors: number }
  /** The process has memory on a device now. */
  | { readonly kind: 'device-used' }
  | { readonly kind: 'device-usage'; readonly devices: readonly DeviceUsage[] }
  | { readonly kind: 'handled'; readonly id: string };

/** File descriptors of the executor beside 0, 1 and 2. */
export const FRONT_OUTPUT_FD = 3;
export const FRONT_INPUT_FD = 4;
export const INTERRUPT_FD = 5;
