/**
 * What a picture of an array needs to know, as plain JSON: the one schema shared by the kernel half and the page half.
 * Pure types and constants; imports neither Node nor the DOM. Addresses are hexadecimal text (`0x7f…`), sizes bytes.
 */

import type { StatisticsDescription } from './statistics-schema.ts';

/** Raised when a field changes its meaning; a view that meets a newer number says so instead of guessing. */
export const DESCRIPTION_VERSION = 2;

/**
 * `live`: memory is there. `freed`: it is gone. `lost`: its device is lost to the process, and the values with it (rule 88). `snapshot`: told
 * about at one moment, no kernel behind it.
 */
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
  /** As the driver names it. */
  readonly name: string;
  readonly simulated: boolean;
  readonly totalBytes: number;
}

/** `__dlpack_device__()`: the pair, and the name of its first half in dlpack.h. */
export interface DlpackDeviceDescription {
  readonly typeName: string;
  readonly type: number;
  readonly id: number;
  readonly meaning: string;
}

/** The block of memory that the elements lie in. */
export interface StorageDescription {
  /** Address of its first byte. */
  readonly address: string;
  readonly bytes: number;
  /** Bytes from there to the first logical element. */
  readonly offset: number;
}

/** `lost`: its device is, so that nothing it was to do will be done. */
export type StreamState = 'idle' | 'busy' | 'destroyed' | 'lost';

/** A stream that used the array's memory. */
export interface StreamUseDescription {
  /** Small number of the stream, as its `toString` shows it. */
  readonly id: number;
  readonly label: string;
  /** The handle as the protocol carries it: `1`, `2` or hexadecimal text. */
  readonly handle: string;
  readonly state: StreamState;
  readonly access: 'read' | 'write';
  /** Number of that operation on its stream, and the last one known to be complete. */
  readonly sequence: number;
  readonly completed: number;
  /** True for the stream that the descriptor would export. */
  readonly exported: boolean;
}

/** The first values, as text, row-major over the last two axes; null where nothing was copied. */
export interface PreviewDescription {
  readonly rows: readonly (readonly string[])[];
  readonly truncated: boolean;
  /** Bytes copied to the host for it, and the stream the copy ran on. */
  readonly copiedBytes: number;
  readonly stream: string;
}

export interface ArrayDescription {
  readonly version: number;
  readonly lifetime: Lifetime;
  /** How code reaches it: `w`, `layers[0].weight`. Empty for an array that no variable holds; absent if variables were not searched. */
  readonly names?: readonly string[];
  /** True if the array was collected: no variable held it any more, and it was not disposed. */
  readonly collected?: boolean;
  readonly dtype: string;
  readonly typestr: string;
  readonly itemsize: number;
  readonly shape: readonly number[];
  /** Bytes per axis, always explicit, also where the descriptor says null. */
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
  /** The fields of the tensor that `__dlpack__` would hand over; none for a freed array. */
  readonly tensor: readonly DescriptorRow[];
  /** What it does with each stream argument. */
  readonly streamArguments: readonly DescriptorRow[];
  /** Capsules exported for this memory, oldest first; null where they are not tracked, as in a static picture. */
  readonly capsules: readonly DescriptorRow[] | null;
  /** Empty when nothing is pending and nothing ever ran. Oldest first. */
  readonly streams: readonly StreamUseDescription[];
  readonly preview: PreviewDescription | null;
  readonly statistics: StatisticsDescription;
  /** What the array prints, for pictures that begin with it: results of cells do, `inspect` does not. */
  readonly text?: string;
}
