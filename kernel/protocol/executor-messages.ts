/** What the front and the executor tell each other. `cell` and `id` are the `msg_id` of the request concerned. */

import type { CommMessageType, ErrorContent, JsonObject, StreamName } from './messages.ts';

export interface ExecuteRequest {
  readonly kind: 'execute';
  readonly id: string;
  /** The number shown beside the cell; cells that are not counted have none. */
  readonly count: number | null;
  readonly code: string;
  readonly silent: boolean;
  readonly expressions: Readonly<Record<string, string>>;
}

export interface CommDelivery {
  readonly kind: 'comm';
  readonly id: string;
  readonly type: CommMessageType;
  readonly content: JsonObject;
  readonly metadata: JsonObject;
}

export type ToExecutor = ExecuteRequest | CommDelivery | { readonly kind: 'exit' };

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

export type ExpressionResult =
  | { readonly status: 'ok'; readonly data: JsonObject; readonly metadata: JsonObject }
  | ({ readonly status: 'error' } & ErrorContent);

export type Outcome =
  | { readonly status: 'ok'; readonly expressions: Readonly<Record<string, ExpressionResult>> }
  /** `restart`: the process is of no more use, the front replaces it. */
  | ({ readonly status: 'error'; readonly restart?: true } & ErrorContent);

export interface StreamText {
  readonly kind: 'stream';
  readonly cell: string;
  readonly name: StreamName;
  readonly text: string;
}

export interface Publication {
  readonly kind: 'publish';
  readonly cell: string;
  readonly type: string;
  readonly content: JsonObject;
  readonly metadata: JsonObject;
}

export type FromExecutor =
  /** `heapLimit` is in bytes. */
  | { readonly kind: 'ready'; readonly heapLimit: number }
  | StreamText
  | Publication
  /** `variables`: how many the notebook has now. */
  | {
      readonly kind: 'executed';
      readonly id: string;
      readonly outcome: Outcome;
      readonly variables: number;
    }
  /** It was asked to exit and does: what it runs until then is the user's. */
  | { readonly kind: 'exiting' }
  | { readonly kind: 'handled'; readonly id: string };

/** File descriptors of the executor beside 0, 1 and 2. */
export const FRONT_OUTPUT_FD = 3;
export const FRONT_INPUT_FD = 4;
export const INTERRUPT_FD = 5;
