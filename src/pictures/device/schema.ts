/**
 * What the picture of a device needs to know, as plain JSON, shared by the kernel half and the page half. Pure types and constants;
 * imports neither Node nor the DOM. Sizes are bytes.
 */

/** Raised when a field changes its meaning; a view that meets another number says so instead of guessing. */
export const DEVICE_PICTURE_VERSION = 1;

export interface DeviceMemoryPicture {
  readonly total: number;
  readonly free: number;
  /** Of the blocks that something in this process references. */
  readonly ours: number;
  /** Of blocks that were given back and wait for the device or the event loop. Absent in pictures that older versions saved. */
  readonly waiting?: number;
}

/** How a device was used at one moment. */
export interface DeviceUseSample {
  /** Milliseconds since 1970. It holds until the next sample. */
  readonly at: number;
  /** Bytes in use, by whomever, and those in blocks that something in this process references. */
  readonly used: number;
  readonly ours: number;
  /** Percent of the last second in which a kernel of any process ran; null where it is not reported. */
  readonly busy: number | null;
}

/** A longer time without a sample, in ms, is a gap between sampling periods. */
export const DEVICE_USE_GAP = 8000;

/** One line of the card: `multiprocessors`, `132`, and what that means where the name alone does not tell. */
export interface DeviceFact {
  readonly name: string;
  readonly value: string;
  readonly meaning: string;
}

/** `in use`: open in this process. `found`: a file is there. `missing`: none where one is looked for. */
export type LibraryState = 'in use' | 'found' | 'missing';

export interface LibraryPicture {
  readonly name: string;
  readonly state: LibraryState;
  readonly version: string;
  /** Its file, or what to do where there is none. */
  readonly detail: string;
  /** What needs it. */
  readonly purpose: string;
}

/** How work of the card's device reaches the memory of another: over NVLink or PCIe, by copies over the host, or not at all. */
export type Reach = 'direct' | 'by the host' | 'never';

export interface PeerPicture {
  readonly label: string;
  readonly name: string;
  readonly reach: Reach;
  /** The other way round, which a driver need not answer alike. */
  readonly reached: Reach;
}

export interface DevicePicture {
  readonly version: number;
  /** `cuda:0` or `sim:0`. */
  readonly label: string;
  readonly name: string;
  readonly uuid: string;
  /** Whether arrays are made on it when no device is named. */
  readonly isDefault: boolean;
  /** The profile of a slice of a GPU (MIG), such as `1g.10gb`; null for a whole one. */
  readonly slice: string | null;
  /** Null for a GPU; else what a simulated device does with work that is submitted to it, and what that means. */
  readonly simulated: { readonly schedule: 'eager' | 'hazard'; readonly meaning: string } | null;
  /** Null where the driver does not answer: then `problem` says why. */
  readonly memory: DeviceMemoryPicture | null;
  readonly problem: string | null;
  /** Of a live card: samples since somebody looks, the oldest first. */
  readonly use?: readonly DeviceUseSample[];
  /** The memory manager in force, outermost first where one wraps another. */
  readonly manager: readonly string[];
  readonly facts: readonly DeviceFact[];
  readonly libraries: readonly LibraryPicture[];
  readonly peers: readonly PeerPicture[];
}
