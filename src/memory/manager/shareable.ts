/** Memory that was allocated to be shared with other processes, and how it is passed. */

import type { Device } from '../../core/device.ts';

/** How memory is passed to another process; `docs/sharing.md` compares the ways. */
export type SharingWay = 'legacy' | 'pool' | 'vmm' | 'memfd';

/** What another process needs to open a block. */
export interface ShareableParts {
  /** JSON values with which the other process opens the block. */
  readonly fields: Readonly<Record<string, string | number>>;
  /** A file descriptor, which the receiver of this object closes. */
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

/** Registers a block, for the manager that allocated it. Call the result before the block is freed. */
export function noteShareable(block: ShareableBlock): () => void {
  blocks.set(block.pointer, block);
  return () => {
    if (blocks.get(block.pointer) === block) blocks.delete(block.pointer);
  };
}

export function findShareable(pointer: bigint, bytes: number): ShareableBlock | undefined {
  const exact = blocks.get(pointer);
  if (exact !== undefined && bytes <= exact.bytes) return exact;
  for (const block of blocks.values()) {
    const offset = pointer - block.pointer;
    if (offset >= 0n && offset + BigInt(bytes) <= BigInt(block.bytes)) return block;
  }
  return undefined;
}
