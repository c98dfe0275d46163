/**
 * Records of an exchange as plain JSON, which pictures show and notebooks save. Pure types. Streams are given
 * by name (`stream #3`), times in microseconds since the recording started.
 */

import type { Protocol } from '../../interchange/observer.ts';

export type Side = 'producer' | 'consumer';

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
  | 'implicit'
  /** No stream was passed. */
  | 'not-asked';

/** One recorded fact. */
export type FactContent =
  /** The producer's latest use of the memory before the request. `pending`: not known to be complete. */
  | {
      readonly kind: 'work';
      readonly stream: string;
      readonly access: 'read' | 'write';
      readonly pending: boolean;
    }
  | { readonly kind: 'ask-interface' }
  /** `stream` waits for `other`, so that the descriptor can name both with one stream. */
  | {
      readonly kind: 'join';
      readonly stream: string;
      readonly other: string;
      readonly why: 'several' | 'per-thread' | 'version' | 'unread';
    }
  /** `stream` as the descriptor contains it: `None`, `1` or an address; `names`: the stream that it means. */
  | {
      readonly kind: 'descriptor';
      readonly version: number;
      readonly stream: string;
      readonly names: string | null;
      readonly event: boolean;
    }
  | { readonly kind: 'ask-device' }
  | { readonly kind: 'device'; readonly pair: string; readonly name: string }
  /** `stream`: the argument; `names`: the stream that it means; `options`: the other arguments in Python's notation. */
  | {
      readonly kind: 'ask-capsule';
      readonly stream: string;
      readonly names: string | null;
      readonly options: string;
    }
  /** A request through the exchange table, which passes no stream. */
  | { readonly kind: 'table' }
  /** An export through the table or `__dlpack__`, logged by native code; `names` is null for host memory. */
  | { readonly kind: 'tensor'; readonly stream: string; readonly names: string | null }
  /** An export inside this library, which needs no capsule. */
  | { readonly kind: 'lend'; readonly stream: string }
  /** An event was recorded at the tail of `stream`: the producer's for the export, the consumer's for the return. */
  | { readonly kind: 'event'; readonly stream: string; readonly side: Side }
  /** `stream`, on that side, waits for `other`. */
  | { readonly kind: 'wait'; readonly stream: string; readonly other: string; readonly side: Side }
  | { readonly kind: 'host-wait'; readonly stream: string }
  | { readonly kind: 'no-wait'; readonly reason: NoWait }
  /** The producer's next write does not wait for the consumer. */
  | { readonly kind: 'no-way-back' }
  | { readonly kind: 'capsule'; readonly name: string; readonly copied: boolean }
  | { readonly kind: 'consume'; readonly name: string }
  /** The consumer's array, whose work is submitted to `stream`. */
  | { readonly kind: 'view'; readonly stream: string }
  | {
      readonly kind: 'use';
      readonly side: Side;
      readonly stream: string;
      readonly access: 'read' | 'write';
    }
  /** The consumer returned an event after its work to the producer. */
  | { readonly kind: 'give-back' }
  | { readonly kind: 'release' }
  | { readonly kind: 'to-python' }
  /** Python code read the attribute of that name; whether it took the memory is unknown. */
  | { readonly kind: 'read'; readonly name: string }
  /** The answer of NumPy's array interface. */
  | { readonly kind: 'ready'; readonly version: number }
  /** A request through the buffer protocol: `asks` as Python's flags. */
  | { readonly kind: 'ask-buffer'; readonly asks: string }
  | { readonly kind: 'buffer'; readonly access: 'read-only' | 'writable' }
  | { readonly kind: 'buffer-release' }
  /** The Python consumer called a tensor's deleter. */
  | { readonly kind: 'deleted' }
  /** The native log of waits overflowed. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'failed'; readonly side: Side; readonly message: string };

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
