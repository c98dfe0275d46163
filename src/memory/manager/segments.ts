/** The device memory that a manager holds at one moment, for pictures and reports. */

/** `used`: allocated. `kept`: freed, but cached for the stream that used it, or a free that is pending. `free`: available. */
export type BlockState = 'used' | 'kept' | 'free';

/** One block inside a memory segment. */
export interface MemoryBlock {
  /** The address of the first byte. */
  readonly pointer: bigint;
  /** The size in bytes. */
  readonly bytes: number;
  /** Whether the block is in use, cached or free. */
  readonly state: BlockState;
  /** True for a `kept` block whose storage is kept too, and counts as live, because a new array may take both. */
  readonly reusable?: boolean;
}

/**
 * `slab`: memory that the manager divides into blocks without gaps. `block`: one allocation of the driver. `pool`: the driver's own pool,
 * whose size is known but not its addresses.
 */
export type SegmentKind = 'slab' | 'block' | 'pool';

/** A stretch of device memory that a memory manager holds. */
export interface MemorySegment {
  /** How the segment was obtained and divided. */
  readonly kind: SegmentKind;
  /** The address of the first byte; null for a `pool`. */
  readonly pointer: bigint | null;
  /** Bytes of device memory that the segment takes. */
  readonly bytes: number;
  /** The blocks inside, by address. */
  readonly blocks: readonly MemoryBlock[];
}

/** Makes segments of one block each. */
export function blockSegments(
  blocks: Iterable<Omit<MemoryBlock, 'state'>>,
  state: BlockState
): MemorySegment[] {
  return Array.from(blocks, ({ pointer, bytes, reusable = false }) => ({
    kind: 'block',
    pointer,
    bytes,
    blocks: [{ pointer, bytes, state, reusable }]
  }));
}
