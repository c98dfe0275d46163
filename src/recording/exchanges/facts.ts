/** Records of an exchange as plain JSON. Pure types. Streams are named (`stream #3`), times microseconds since the recording started. */

import type { Protocol } from '../../interchange/observer.ts';

export type Side = 'producer' | 'consumer';
type Access = 'read' | 'write';

/** Reason why no stream was made to wait. */
export type NoWait =
  /** The descriptor names no stream, or the memory was never used. */
  | 'nothing-pending'
  /** An array without elements. */
  | 'empty'
  | 'same-stream'
  /** The call has `sync: false`. */
  | 'sync-false'
  /** The variable STRIDELAB_CAI_SYNC disables the wait. */
  | 'variable'
  /** The call has `sync: 'adopt'`. */
  | 'adopt'
  /** The host waited for the producer's stream instead. */
  | 'host-waited'
  /** The stream argument of `__dlpack__` is -1. */
  | 'minus-one'
  /** The wait is deferred to the first use. */
  | 'deferred'
  /** The work is known to be complete, or the stream already waits for it. */
  | 'ordered'
  /** The legacy and the per-thread default stream synchronize with each other implicitly. */
  | 'implicit';

/** The fields of each kind of fact. */
interface FactFields {
  /** The producer's latest use of the memory before the request. `pending`: not known to be complete. */
  work: { stream: string; access: Access; pending: boolean };
  'ask-interface': object;
  /** `stream` waits for `other`, so that the descriptor can name both with one stream. */
  join: { stream: string; other: string; why: 'several' | 'per-thread' | 'version' | 'unread' };
  /** `stream` as the descriptor contains it: `None`, `1` or an address; `names`: the stream that it means. */
  descriptor: { version: number; stream: string; names: string | null; event: boolean };
  'ask-device': object;
  device: { pair: string; name: string };
  /** `stream`: the argument; `names`: the stream that it means; `options`: the other arguments in Python's notation. */
  'ask-capsule': { stream: string; names: string | null; options: string };
  /** A request through the exchange table, which passes no stream. */
  table: object;
  /** A tensor that Python exported, through the exchange table of its class or `__dlpack__`; `names` is null for host memory. */
  tensor: { stream: string; names: string | null };
  /** An export inside this library, which needs no capsule. */
  lend: { stream: string };
  /** An event was recorded at the tail of `stream`: the producer's for the export, the consumer's for the return. */
  event: { stream: string; side: Side };
  /** `stream`, on that side, waits for `other`. */
  wait: { stream: string; other: string; side: Side };
  'host-wait': { stream: string };
  'no-wait': { reason: NoWait };
  /** The producer's next write does not wait for the consumer. */
  'no-way-back': object;
  capsule: { name: string; copied: boolean };
  consume: { name: string };
  /** The consumer's array, whose work is submitted to `stream`. */
  view: { stream: string };
  use: { side: Side; stream: string; access: Access };
  /** The consumer returned an event after its work to the producer. */
  'give-back': object;
  release: object;
  'to-python': object;
  /** Python code read the attribute of that name; whether it took the memory is unknown. */
  read: { name: string };
  /** The answer of NumPy's array interface. */
  ready: { version: number };
  /** A request through the buffer protocol: `asks` as Python's flags. */
  'ask-buffer': { asks: string };
  buffer: { access: 'read-only' | 'writable' };
  'buffer-release': object;
  /** The Python consumer called a tensor's deleter. */
  deleted: object;
  /** The native log of waits overflowed. */
  lost: object;
  failed: { side: Side; message: string };
}

/** One recorded fact. */
export type FactContent = {
  [Kind in keyof FactFields]: { readonly kind: Kind } & Readonly<FactFields[Kind]>;
}[keyof FactFields];

/** A fact with its time since the recording started; null in a lesson. */
export type Fact = FactContent & { readonly time: number | null };

export interface ExchangeDescription {
  /** Counted from 1 since the recording started. */
  readonly number: number;
  readonly protocol: Protocol;
  readonly language: 'javascript' | 'python';
  /** Names of variables, or a description of the arrays: `float32 (12,)`. */
  readonly producer: string;
  readonly consumer: string;
  /** The notebook cell, `In [3]`. */
  readonly cell: string | null;
  /** `cuda:0`; null if no array was made. */
  readonly device: string | null;
  readonly facts: readonly Fact[];
  /** Whether the wait was omitted while work was pending, and no recorded wait orders the two. */
  readonly hazard: boolean;
  /** Number of later uses that are not among the facts. */
  readonly more: number;
}
