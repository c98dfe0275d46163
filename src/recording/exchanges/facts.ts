/**
 * What is recorded of an exchange, as plain JSON: pictures show it and notebooks save it. Pure types. Streams stand by name (`stream #3`),
 * times are microseconds since the recording began.
 */

import type { Protocol } from '../../interchange/observer.ts';

export type Side = 'producer' | 'consumer';

/** Why nothing was made to wait. */
export type NoWait =
  /** The descriptor names no stream, or nothing ever used the memory. */
  | 'nothing-pending'
  /** An array without elements. */
  | 'empty'
  | 'same-stream'
  /** `sync: false` of the call. */
  | 'sync-false'
  /** The variable STRIDELAB_CAI_SYNC. */
  | 'variable'
  /** `sync: 'adopt'`. */
  | 'adopt'
  /** The host waited for the producer's stream instead. */
  | 'host-waited'
  /** Stream -1 of `__dlpack__`. */
  | 'minus-one'
  /** Waited for at the first use. */
  | 'deferred'
  /** Work that is known to be done, or that the stream waits for already. */
  | 'ordered'
  /** The legacy and the per-thread default stream wait for each other by themselves. */
  | 'implicit'
  /** No stream was given. */
  | 'not-asked';

/** One thing that happened. */
export type FactContent =
  /** The producer's latest use of the memory before it was asked. `pending`: not known to be done. */
  | {
      readonly kind: 'work';
      readonly stream: string;
      readonly access: 'read' | 'write';
      readonly pending: boolean;
    }
  | { readonly kind: 'ask-interface' }
  /** `stream` was made to wait for `other`, so that one name covers both. */
  | {
      readonly kind: 'join';
      readonly stream: string;
      readonly other: string;
      readonly why: 'several' | 'per-thread' | 'version' | 'unread';
    }
  /** `stream` as the descriptor says it: `None`, `1` or an address; `names`: which stream that is. */
  | {
      readonly kind: 'descriptor';
      readonly version: number;
      readonly stream: string;
      readonly names: string | null;
      readonly event: boolean;
    }
  | { readonly kind: 'ask-device' }
  | { readonly kind: 'device'; readonly pair: string; readonly name: string }
  /** `stream`: the argument; `names`: which stream that is; `options`: the other arguments, as Python writes them. */
  | {
      readonly kind: 'ask-capsule';
      readonly stream: string;
      readonly names: string | null;
      readonly options: string;
    }
  /** By the exchange table, which asks for no stream. */
  | { readonly kind: 'table' }
  /** By the table or by `__dlpack__`, which native code knows alone; `names` null for host memory. */
  | { readonly kind: 'tensor'; readonly stream: string; readonly names: string | null }
  /** Inside this library, which needs no capsule. */
  | { readonly kind: 'lend'; readonly stream: string }
  /** An event was recorded at the tail of `stream`; of the producer's for the way there, of the consumer's for the way back. */
  | { readonly kind: 'event'; readonly stream: string; readonly side: Side }
  /** `stream`, of that side, waits for `other`. */
  | { readonly kind: 'wait'; readonly stream: string; readonly other: string; readonly side: Side }
  | { readonly kind: 'host-wait'; readonly stream: string }
  | { readonly kind: 'no-wait'; readonly reason: NoWait }
  /** The producer's next write is not made to wait. */
  | { readonly kind: 'no-way-back' }
  | { readonly kind: 'capsule'; readonly name: string; readonly copied: boolean }
  | { readonly kind: 'consume'; readonly name: string }
  /** The consumer's array, whose work goes to `stream`. */
  | { readonly kind: 'view'; readonly stream: string }
  | {
      readonly kind: 'use';
      readonly side: Side;
      readonly stream: string;
      readonly access: 'read' | 'write';
    }
  /** The consumer gave the producer an event behind its work. */
  | { readonly kind: 'give-back' }
  | { readonly kind: 'release' }
  | { readonly kind: 'to-python' }
  /** Python's code read the attribute of that name: whether it took the memory is unknown. */
  | { readonly kind: 'read'; readonly name: string }
  /** The answer of NumPy's interface. */
  | { readonly kind: 'ready'; readonly version: number }
  /** By the buffer protocol: `asks` as flags of Python. */
  | { readonly kind: 'ask-buffer'; readonly asks: string }
  | { readonly kind: 'buffer'; readonly access: 'read-only' | 'writable' }
  | { readonly kind: 'buffer-release' }
  /** Python's consumer is done with a tensor. */
  | { readonly kind: 'deleted' }
  /** The native log of waits was too short for what happened meanwhile. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'failed'; readonly side: Side; readonly message: string };

/** `time`: since recording began; null in a lesson. */
export type Fact = FactContent & { readonly time: number | null };

export interface ExchangeDescription {
  /** Counted from 1 since recording began. */
  readonly number: number;
  readonly protocol: Protocol;
  readonly language: 'javascript' | 'python';
  /** Names of variables, or what is known of the arrays: `float32 (12,)`. */
  readonly producer: string;
  readonly consumer: string;
  /** `In [3]`. */
  readonly cell: string | null;
  /** `cuda:0`; null where no array was made. */
  readonly device: string | null;
  readonly facts: readonly Fact[];
  /** Whether the wait was left out where work was pending, and nothing that was recorded orders the two. */
  readonly hazard: boolean;
  /** Later uses that are not among the facts. */
  readonly more: number;
}
