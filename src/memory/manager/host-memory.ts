/** Page-locked host memory, mapped into the device's address space or not (rule 212). */

import type { Device } from '../../core/device.ts';
import { MemoryManagerError } from '../../base/errors.ts';
import type { MemoryKind } from '../../native/binding.ts';
import { native } from '../../native/load.ts';
import { once, whenCollected, type Finalizer } from './collected.ts';
import { Allocation, MemoryPointer } from './pointer.ts';

/**
 * Host memory as an ArrayBuffer, created on demand and detached when the memory is freed. The buffer keeps the memory alive, so the
 * memory refers to it weakly: otherwise neither would ever be collected.
 */
class HostBytes {
  readonly #pointer: bigint;
  readonly #size: number;
  #buffer: WeakRef<ArrayBuffer> | undefined;

  constructor(pointer: bigint, size: number) {
    this.#pointer = pointer;
    this.#size = size;
  }

  over(memory: object): ArrayBuffer {
    const known = this.#buffer?.deref();
    if (known !== undefined && !known.detached) return known;
    const buffer =
      this.#size === 0 ? new ArrayBuffer(0) : native().raw.hostBuffer(this.#pointer, this.#size, memory);
    this.#buffer = new WeakRef(buffer);
    return buffer;
  }

  /** Returns a finalizer that detaches the buffer, whose views would read freed pages, and calls `finalizer`; at most once. */
  freeing(finalizer: Finalizer | null): Finalizer {
    return once(() => {
      const buffer = this.#buffer?.deref();
      if (buffer !== undefined && !buffer.detached) buffer.transfer(0);
      finalizer?.();
    });
  }
}

/** Page-locked host memory that the device can read and write; `pointer` is its device address. */
export class MappedMemory extends MemoryPointer {
  /** The host address of the first byte. */
  readonly hostPointer: bigint;
  readonly #bytes: HostBytes;

  /**
   * `pointer` is the host address, as in NBEP 7; the device address is queried from the driver unless given.
   * @throws MemoryManagerError if the device cannot map the memory
   */
  constructor(
    context: Device,
    pointer: bigint,
    size: number,
    owner: unknown = null,
    finalizer: Finalizer | null = null,
    devicePointer: bigint | null = size === 0 ? 0n : mappedAddress(context, pointer)
  ) {
    if (devicePointer === null)
      throw new MemoryManagerError(
        `${context.toString()} cannot map host memory: allocate or pin it with mapped: false`
      );
    const bytes = new HostBytes(pointer, size);
    const free = bytes.freeing(finalizer);
    super(context, devicePointer, size, owner, free);
    whenCollected(this, free);
    this.hostPointer = pointer;
    this.#bytes = bytes;
  }

  /** The memory kind: `pinned`. */
  override get kind(): MemoryKind {
    return 'pinned';
  }

  /** The memory as an ArrayBuffer. Do not read it while device work writes it. @throws FreedError */
  get buffer(): ArrayBuffer {
    this.requireAlive();
    return this.#bytes.over(this);
  }
}

function mappedAddress(context: Device, pointer: bigint): bigint | null {
  return context.native.pointerAttributes(pointer)?.devicePointer ?? null;
}

/** Page-locked host memory for fast copies; `pointer` is its host address, and the device does not address it directly. */
export class PinnedMemory extends Allocation {
  readonly #bytes: HostBytes;

  constructor(
    context: Device,
    pointer: bigint,
    size: number,
    owner: unknown = null,
    finalizer: Finalizer | null = null
  ) {
    const bytes = new HostBytes(pointer, size);
    const free = bytes.freeing(finalizer);
    super(context, pointer, size, owner, free);
    whenCollected(this, free);
    this.#bytes = bytes;
  }

  /** The memory as an ArrayBuffer, which keeps it alive; detached when the memory is freed. @throws FreedError */
  get buffer(): ArrayBuffer {
    this.requireAlive();
    return this.#bytes.over(this);
  }
}

/** Makes mapped or pinned memory; `device` is the device address of mapped memory, queried from the driver if left out. */
export function hostMemory(
  mapped: boolean,
  context: Device,
  host: bigint,
  size: number,
  owner: unknown = null,
  finalizer: Finalizer | null = null,
  device?: bigint | null
): MappedMemory | PinnedMemory {
  return mapped
    ? new MappedMemory(context, host, size, owner, finalizer, device)
    : new PinnedMemory(context, host, size, owner, finalizer);
}
