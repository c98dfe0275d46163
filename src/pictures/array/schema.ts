/** Data of an array's picture as plain JSON, for kernel and page. Pure. Addresses are hexadecimal text (`0x7f…`), sizes bytes. */

import type { StatisticsDescription } from './statistics-schema.ts';

/** Incremented when a field changes its meaning; a view rejects newer versions instead of guessing. */
export const DESCRIPTION_VERSION = 2;

/** `live`: valid. `freed`: freed. `lost`: lost with its device (rule 88). `snapshot`: described at one moment, without a kernel. */
export type Lifetime = 'live' | 'freed' | 'lost' | 'snapshot';
export type Verdict = 'ok' | 'note' | 'violation';

/** A row of the descriptor table: one CAI key, or a value derived from several (`derived`). Rows on DLPack have the same form. */
export interface DescriptorRow {
  readonly key: string;
  readonly value: string;
  /** One sentence for a reader who does not know the protocol. */
  readonly meaning: string;
  readonly verdict: Verdict;
  /** The rule behind the verdict, in words, with its source: "CAI v3: strides are null when C-contiguous (rule 19)". */
  readonly rule: string;
  readonly derived: boolean;
}

export interface DeviceDescription {
  /** `cuda:0` or `sim:0`. */
  readonly label: string;
  /** The driver's name of the device. */
  readonly name: string;
  readonly simulated: boolean;
  readonly totalBytes: number;
}

/** Result of `__dlpack_device__()`: the pair, and the name of its first half in dlpack.h. */
export interface DlpackDeviceDescription {
  readonly typeName: string;
  readonly type: number;
  readonly id: number;
  readonly meaning: string;
}

/** The block of memory that contains the elements. */
export interface StorageDescription {
  /** Address of its first byte. */
  readonly address: string;
  readonly bytes: number;
  /** Byte offset of the first logical element. */
  readonly offset: number;
}

/** State of a stream. `lost`: its device is lost, so its work will not complete. */
export type StreamState = 'idle' | 'busy' | 'destroyed' | 'lost';

/** A stream that used the array's memory. */
export interface StreamUseDescription {
  /** Small number of the stream, as its `toString` shows it. */
  readonly id: number;
  readonly label: string;
  /** The handle as in the protocol: `1`, `2` or hexadecimal text. */
  readonly handle: string;
  readonly state: StreamState;
  readonly access: 'read' | 'write';
  /** Number of that operation on its stream, and of the last one known to be complete. */
  readonly sequence: number;
  readonly completed: number;
  /** True for the stream that the descriptor would export. */
  readonly exported: boolean;
}

/** The first values, as text, row-major over the last two axes; null if nothing was copied. */
export interface PreviewDescription {
  readonly rows: readonly (readonly string[])[];
  readonly truncated: boolean;
  /** Bytes copied to the host, and the stream of the copy. */
  readonly copiedBytes: number;
  readonly stream: string;
}

export interface ArrayDescription {
  readonly version: number;
  readonly lifetime: Lifetime;
  /** Expressions that refer to the array: `w`, `layers[0].weight`. Empty if no variable holds it; absent if variables were not searched. */
  readonly names?: readonly string[];
  /** True if the array was collected: no variable held it, and it was not disposed. */
  readonly collected?: boolean;
  readonly dtype: string;
  readonly typestr: string;
  readonly itemsize: number;
  readonly shape: readonly number[];
  /** Bytes per axis, always explicit, even if the descriptor has null. */
  readonly strides: readonly number[];
  readonly size: number;
  readonly bytes: number;
  readonly pointer: string;
  readonly readOnly: boolean;
  readonly device: DeviceDescription;
  readonly descriptor: readonly DescriptorRow[];
  /** Null for a freed array. */
  readonly storage: StorageDescription | null;
  readonly dlpack: DlpackDeviceDescription;
  /** The fields of the tensor that `__dlpack__` would export; none for a freed array. */
  readonly tensor: readonly DescriptorRow[];
  /** Effect of each stream argument. */
  readonly streamArguments: readonly DescriptorRow[];
  /** Capsules exported for this memory, oldest first; null if not tracked, as in a static picture. */
  readonly capsules: readonly DescriptorRow[] | null;
  /** Empty if no work was ever submitted or pending. Oldest first. */
  readonly streams: readonly StreamUseDescription[];
  readonly preview: PreviewDescription | null;
  readonly statistics: StatisticsDescription;
  /** Printed form of the array, for pictures that start with it: results of cells do, `inspect` does not. */
  readonly text?: string;
}
