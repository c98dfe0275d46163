/** Bindings of the addon for what programs call most often; see `binding.ts`. */

import type { NativeEvent, NativeStorage, NativeStream } from './binding.ts';
import type { NativeKernel } from './compiler-binding.ts';

declare const named: unique symbol;

/**
 * The number that names a native object while it lives: native code finds the object by it in a fraction of the time that it takes to
 * read the object itself.
 */
export type NativeKey<Named> = number & { readonly [named]: Named };

/** Functions of keys. Each throws kind `argument` for a number that is no key of such an object. */
export interface NativeKeyed {
  /**
   * Orders the stream after earlier uses of the operands, launches, and notes the uses. `operands` is the number of entries of the
   * kernel's `operands` that count. Returns the number of the operation.
   */
  launch(kernel: NativeKey<NativeKernel>, stream: NativeKey<NativeStream>, operands: number): number;
  /** True while the object with that key holds the only reference: no export, no read in progress, no other environment. False after release. */
  unshared(storage: NativeKey<NativeStorage>): boolean;
  /** Records an event, which must belong to the stream's device. */
  record(stream: NativeKey<NativeStream>, event: NativeKey<NativeEvent>): void;
  /**
   * Makes later work of the stream wait for the event, on the device. An event recorded on a capturing stream adds this
   * stream to the capture; a capturing stream rejects events from outside with kind `argument`.
   */
  wait(stream: NativeKey<NativeStream>, event: NativeKey<NativeEvent>): void;
}
