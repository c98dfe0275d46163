/** What a manager holds of its device at one moment, as pictures and figures of memory want it. */

/** `used`: handed out. `kept`: given back, for the stream that used it or until frees are carried out. `free`: a hole. */
export type BlockState = 'used' | 'kept' | 'free';

export interface MemoryBlock {
  readonly pointer: bigint;
  readonly bytes: number;
  readonly state: BlockState;
}

/**
 * `slab`: a stretch that the manager cuts blocks from, which fill it without gaps. `block`: one allocation of the driver's. `pool`: the
 * driver's own pool, which tells how much it holds and not where.
 */
export type SegmentKind = 'slab' | 'block' | 'pool';

export interface MemorySegment {
  readonly kind: SegmentKind;
  /** Null for a `pool`. */
  readonly pointer: bigint | null;
  /** What the segment takes of the device. */
  readonly bytes: number;
  /** By address. */
  readonly blocks: readonly MemoryBlock[];
}

/** Segments that are one block each. */
export function blockSegments(
  blocks: Iterable<{ readonly pointer: bigint; readonly bytes: number }>,
  state: BlockState
): MemorySegment[] {
  return Array.from(blocks, ({ pointer, bytes }) => ({
    kind: 'block',
    pointer,
    bytes,
    blocks: [{ pointer, bytes, state }]
  }));
}
