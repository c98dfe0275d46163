/** Data of a device's picture as plain JSON, for kernel and page. Pure. Sizes are bytes. */

/** Incremented when a field changes its meaning; a view rejects other versions instead of guessing. */
export const DEVICE_PICTURE_VERSION = 1;

export interface DeviceMemoryPicture {
  readonly total: number;
  readonly free: number;
  /** Bytes in blocks that this process references. */
  readonly ours: number;
  /** Bytes in released blocks that wait for the device or the event loop. Absent in pictures saved by older versions. */
  readonly waiting?: number;
}

/** Use of a device at one moment. */
export interface DeviceUseSample {
  /** Milliseconds since 1970. The sample is valid until the next one. */
  readonly at: number;
  /** Bytes in use by any process, and bytes in blocks that this process references. */
  readonly used: number;
  readonly ours: number;
  /** Percent of the last second in which a kernel of any process ran; null if not reported. */
  readonly busy: number | null;
}

/** A longer interval between samples, in ms, is a gap between sampling periods. */
export const DEVICE_USE_GAP = 8000;

/** One line of the card: `Multiprocessors`, `132`, and an explanation if the name is not enough. */
export interface DeviceFact {
  readonly name: string;
  readonly value: string;
  readonly meaning: string;
}

/** State of a library. `in use`: open in this process. `found`: a file exists. `missing`: none was found. */
export type LibraryState = 'in use' | 'found' | 'missing';

export interface LibraryPicture {
  readonly name: string;
  readonly state: LibraryState;
  readonly version: string;
  /** The library's file, or how to install it. */
  readonly detail: string;
  /** The features that need it. */
  readonly purpose: string;
}

/** How a device accesses another's memory: over NVLink or PCIe, by copies through the host, or not at all. */
export type Reach = 'direct' | 'copies' | 'never';

export interface PeerPicture {
  readonly label: string;
  readonly name: string;
  readonly reach: Reach;
  /** Access in the other direction, which may differ. */
  readonly reached: Reach;
}

export interface DevicePicture {
  readonly version: number;
  /** `cuda:0` or `sim:0`. */
  readonly label: string;
  readonly name: string;
  readonly uuid: string;
  /** Whether arrays are created on it by default. */
  readonly isDefault: boolean;
  /** The profile of a GPU slice (MIG), such as `1g.10gb`; null for a whole GPU. */
  readonly slice: string | null;
  /** Null for a GPU; otherwise how a simulated device schedules submitted work, with an explanation. */
  readonly simulated: { readonly schedule: 'eager' | 'hazard'; readonly meaning: string } | null;
  /** Null if the driver does not answer: `problem` has the reason. */
  readonly memory: DeviceMemoryPicture | null;
  readonly problem: string | null;
  /** Samples of a live card since it was opened, oldest first. */
  readonly use?: readonly DeviceUseSample[];
  /** The current memory manager, outermost first if one wraps another. */
  readonly manager: readonly string[];
  readonly facts: readonly DeviceFact[];
  readonly libraries: readonly LibraryPicture[];
  readonly peers: readonly PeerPicture[];
}
