/** A program that a device can launch. */

import type { Stream } from '../../core/stream.ts';
import type { Storage } from '../../memory/storage.ts';

export interface Prepared {
  /** The words of a launch, at the indices of LAUNCH_WORD. */
  readonly config: Uint32Array;
  /** The values of the arguments. */
  readonly values: DataView;
  /** The bytes of `values` as 64-bit words, for the addresses of arrays. */
  readonly addresses: BigUint64Array;
  /** The offset of each argument slot in `values`. */
  readonly offsets: readonly number[];
  /** Whether the launch needs the storages of arrays without elements too. */
  readonly passesEmpty: boolean;
  /** Submits a launch with what `config` and `values` hold; returns the number of the operation, or nothing. */
  launch(stream: Stream, storages: readonly Storage[]): number | void;
}
