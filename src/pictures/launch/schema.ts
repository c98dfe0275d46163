/** Data of a launch's picture as plain JSON, for kernel and page. Pure. */

/** Incremented when a field changes its meaning; a view rejects other versions instead of guessing. */
export const LAUNCH_PICTURE_VERSION = 2;

/** Along x, y and z. */
export type Triple = readonly [x: number, y: number, z: number];

/** An array of the kernel: a parameter in global memory, or one in shared memory. */
export interface LaunchArray {
  readonly name: string;
  readonly space: 'global' | 'shared';
  /** The element type, as kernels name it. */
  readonly element: string;
  readonly bytes: number;
  /** Lengths of the axes if the elements lie in row-major order without gaps; otherwise null. */
  readonly shape: readonly number[] | null;
  /** The address of the first element, modulo 128. */
  readonly base: number;
}

/** One access by a warp. */
export interface WarpAccess {
  /** The number of the block, and of the warp in it. */
  readonly block: number;
  readonly warp: number;
  /** How often this warp ran the access before. */
  readonly turn: number;
  /** The active lanes, a bit for each. */
  readonly lanes: number;
  /** Bytes from the array's first element, for each active lane; only the first number if the others follow at equal distances. */
  readonly offsets: readonly number[];
  /** That distance; null if the offsets are listed. */
  readonly step: number | null;
}

/** Units of memory: sectors of global memory, passes over the banks of shared memory. */
interface Units {
  readonly units: number;
  /** How few would do for the bytes that are used. */
  readonly least: number;
}

/** A place in the source that accesses an array. The figures are of all recorded blocks. */
export interface AccessSite extends Units {
  readonly kind: 'read' | 'write' | 'atomic';
  /** Index in the picture's rows. */
  readonly row: number;
  readonly column: number;
  /** Index in the picture's arrays. */
  readonly array: number;
  /** The bytes that a lane accesses at once, if they are those of several elements. */
  readonly bytes?: number;
  /** The number of warps that ran it, how often they did, and their active lanes, all together. */
  readonly warps: number;
  readonly runs: number;
  readonly lanes: number;
  /** The most lanes of one warp at one address. */
  readonly together: number;
  /** The first accesses in detail. */
  readonly accesses: readonly WarpAccess[];
}

/** A branch or loop, with the number of warps that came there, and of those whose lanes went different ways. */
export interface BranchSite {
  readonly row: number;
  readonly column: number;
  readonly warps: number;
  readonly divergent: number;
}

/** A line of the kernel; behind these, the lines of the helpers that access memory. */
export interface SourceRow {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** Set on the first line of a helper. */
  readonly starts?: true;
}

interface LaunchFault {
  /** Index in the rows. */
  readonly row: number;
  readonly kind: string;
  readonly message: string;
}

/** What the launch needs on the GPU, and how fast it is there. */
interface LaunchOnGpu {
  readonly registers: number;
  readonly sharedBytes: number;
  readonly localBytes: number;
  readonly blocksPerMultiprocessor: number;
  readonly activeThreads: number;
  /** The microseconds of a launch; null for a kernel that was not timed, because it has faults or prints. */
  readonly time: number | null;
  /** The bytes of the arrays that it reads, and of those that it writes, all together. */
  readonly bytes: number;
}

export interface LaunchPicture {
  readonly version: number;
  readonly kernel: string;
  readonly file: string;
  readonly device: string;
  readonly simulated: boolean;
  readonly grid: Triple;
  readonly block: Triple;
  /** The number of blocks that the figures cover; `complete`: all of what they did. */
  readonly blocks: number;
  readonly complete: boolean;
  readonly rows: readonly SourceRow[];
  readonly arrays: readonly LaunchArray[];
  readonly sites: readonly AccessSite[];
  readonly branches: readonly BranchSite[];
  readonly faults: readonly LaunchFault[];
  /** Null on a simulated device. */
  readonly gpu: LaunchOnGpu | null;
}
