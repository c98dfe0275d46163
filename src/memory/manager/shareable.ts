/** Memory that was made to be shared with other processes, and how it goes there. */

import type { Device } from '../../core/device.ts';

/** How memory reaches another process; `docs/sharing.md` compares them. */
export type SharingWay = 'legacy' | 'pool' | 'vmm' | 'memfd';

/** What another process is given to open a block. */
export interface ShareableParts {
  /** JSON, read by the same way at the other end. */
  readonly fields: Readonly<Record<string, string | number>>;
  /** A descriptor that goes along, which the receiver of this object closes. */
  readonly descriptor: number;
}

/** A block that a memory manager allocated so that it can be shared. */
export interface ShareableBlock {
  readonly way: Exclude<SharingWay, 'legacy'>;
  readonly device: Device;
  readonly pointer: bigint;
  readonly bytes: number;
  /** @throws DriverError */
  export(): ShareableParts;
}

const blocks = new Map<bigint, ShareableBlock>();

/** For the manager that allocated the block; call the result before it is freed. */
export function noteShareable(block: ShareableBlock): () => void {
  blocks.set(block.pointer, block);
  return () => {
    if (blocks.get(block.pointer) === block) blocks.delete(block.pointer);
  };
}

/** The block that holds the bytes; undefined where none does. */
export function findShareable(pointer: bigint, bytes: number): ShareableBlock | undefined {
  const exact = blocks.get(pointer);
  if (exact !== undefined && bytes <= exact.bytes) return exact;
  for (const block of blocks.values()) {
    const offset = pointer - block.pointer;
    if (offset >= 0n && offset + BigInt(bytes) <= BigInt(block.bytes)) return block;
  }
  return undefined;
}
