/** Finds writes outside of blocks with canaries in margins, and reads of unwritten memory with poison values. */

import type { Device } from '../../core/device.ts';
import type { OverrunReport } from '../../base/hazard-report.ts';
import { currentStack, userFrames } from '../../core/call-stack.ts';
import { hazards } from '../../core/hazards.ts';
import type { MemoryKind, NativeStorage, NativeStream } from '../../native/binding.ts';
import { native } from '../../native/load.ts';
import type { Stream } from '../../core/stream.ts';
import type { HostAllocOptions, HostMemory, MemoryManagerClass } from '../manager/base.ts';
import { MappedMemory, PinnedMemory } from '../manager/host-memory.ts';
import type { Allocation, MemoryPointer } from '../manager/pointer.ts';
import { MemoryManagerAdaptor, type Request } from './adaptor.ts';

/** Options of `GuardingAdaptor`. */
export interface GuardingOptions {
  /** Called with each write out of bounds; without it, reports go to `hazards.read()` and its listeners. */
  readonly report?: (report: OverrunReport) => void;
}

/** Bytes on each side: the alignment of cuMemAlloc, so that blocks keep their alignment. */
const MARGIN = 256;
/** Values of the bytes in margins, in memory that was not written yet (a NaN, or -1), and in freed memory. */
const CANARY = 0xc5;
const FRESH = 0xff;
const FREED = 0xfe;

/** `offset` counts from the front margin. */
type Range = readonly [offset: number, value: number, bytes: number];

interface GuardedBlock {
  /** The address of the front margin on the device, and on the host if that can access it. */
  readonly start: bigint;
  readonly host: bigint | null;
  readonly kind: MemoryKind;
  /** Bytes between the margins. */
  readonly size: number;
  readonly stack: string;
}

/**
 * Adds a margin to both ends of every block, and checks it when the block is freed and in `checkAll`, to find writes out of bounds. Slow:
 * each allocation and each free waits for the device. Memory that was pinned in place has no margins.
 */
export class GuardingAdaptor extends MemoryManagerAdaptor {
  readonly #blocks = new Map<bigint, GuardedBlock>();
  readonly #report: (report: OverrunReport) => void;
  #stream: NativeStream | undefined;

  constructor(context: Device, upstream?: MemoryManagerClass, options: GuardingOptions = {}) {
    super(context, upstream);
    // Reports do not throw, because blocks are checked when they are freed.
    this.#report = options.report ?? (report => void hazards.tell(report, false));
  }

  override memalloc(size: number): MemoryPointer {
    return between(size, bytes => super.memalloc(bytes));
  }

  override memallocAsync(size: number, stream: Stream): MemoryPointer {
    return between(size, bytes => super.memallocAsync(bytes, stream));
  }

  override memallocmanaged(size: number, attachGlobal = true): MemoryPointer {
    return between(size, bytes => super.memallocmanaged(bytes, attachGlobal));
  }

  override memhostalloc(size: number, options: HostAllocOptions = {}): HostMemory {
    if (size === 0) return super.memhostalloc(0, options);
    const whole = super.memhostalloc(size + 2 * MARGIN, options);
    const { context } = this;
    const start = whole.pointer + BigInt(MARGIN);
    const finalizer = (): void => whole.release();
    if (!('hostPointer' in whole)) return new PinnedMemory(context, start, size, whole, finalizer);
    return new MappedMemory(context, whole.hostPointer + BigInt(MARGIN), size, whole, finalizer, start);
  }

  override reset(): void {
    super.reset();
    this.#blocks.clear();
  }

  /** Checks the margins of all live blocks, reports what was overwritten and restores it. */
  checkAll(): OverrunReport[] {
    return [...this.#blocks.values()].flatMap(block => this.#check(block, 'it was checked'));
  }

  protected override allocate<M extends Allocation>(request: Request, attempt: () => M): M {
    const memory = attempt();
    if (request.size === 0 || request.kind === 'pin') return memory;
    const { pointer } = memory;
    // A block outside the driver's allocations cannot be written through this device.
    if (this.context.native.pointerAttributes(pointer) === null) return memory;
    const host = 'hostPointer' in memory ? (memory.hostPointer as bigint) : pointer;
    const block: GuardedBlock = {
      start: pointer,
      host: request.kind === 'host' ? host : null,
      kind: request.kind === 'host' ? 'pinned' : request.kind,
      size: request.size - 2 * MARGIN,
      stack: currentStack()
    };
    const ready = 'ready' in memory ? (memory.ready as Stream | null) : null;
    const fresh: Range = [MARGIN, FRESH, block.size];
    const after: Range = [MARGIN + block.size, CANARY, MARGIN];
    this.#fill(block, [[0, CANARY, MARGIN], fresh, after], ready?.native);
    this.#blocks.set(pointer, block);
    return memory;
  }

  protected override freed(_request: Request, pointer: bigint): void {
    const block = this.#blocks.get(pointer);
    if (block === undefined) return;
    this.#blocks.delete(pointer);
    this.#check(block, 'it was freed');
    this.#fill(block, [[0, FREED, block.size + 2 * MARGIN]]);
  }

  #check(block: GuardedBlock, when: string): OverrunReport[] {
    const reports: OverrunReport[] = [];
    for (const offset of [0, MARGIN + block.size]) {
      const margin = this.#read(block, offset);
      const first = margin.findIndex(byte => byte !== CANARY);
      if (first < 0) continue;
      const last = margin.findLastIndex(byte => byte !== CANARY);
      reports.push(overrunReport(block, offset + first, offset + last, when));
      this.#fill(block, [[offset, CANARY, MARGIN]]);
    }
    for (const report of reports) this.#report(report);
    return reports;
  }

  /** Writes ranges in the order of `ready`, otherwise immediately. */
  #fill(block: GuardedBlock, ranges: readonly Range[], ready?: NativeStream): void {
    if (block.host !== null) {
      for (const [offset, value, bytes] of ranges) hostBytes(block.host, offset, bytes).fill(value);
      return;
    }
    const stream = ready ?? this.#guardStream();
    const memory = this.#adopt(block);
    try {
      for (const [offset, value, bytes] of ranges) memory.fill(offset, 1, value, bytes, stream);
      if (ready === undefined) stream.synchronize();
    } finally {
      memory.release();
    }
  }

  #read(block: GuardedBlock, offset: number): Uint8Array {
    if (block.host !== null) return hostBytes(block.host, offset, MARGIN);
    const margin = new Uint8Array(MARGIN);
    const memory = this.#adopt(block);
    try {
      memory.readToHost(offset, margin, this.#guardStream());
    } finally {
      memory.release();
    }
    return margin;
  }

  #adopt({ start, size, kind }: GuardedBlock): NativeStorage {
    return native().adopt(this.context.native, start, size + 2 * MARGIN, kind, null);
  }

  /** Does not synchronize with other streams, so that checking a margin does not block the program's work. */
  #guardStream(): NativeStream {
    return (this.#stream ??= native().createStream(this.context.native, { blocking: false, priority: 0 }));
  }
}

/** Allocates `size` bytes between two margins, which live as long as the bytes. Empty memory has no margins. */
function between(size: number, allocate: (bytes: number) => MemoryPointer): MemoryPointer {
  if (size === 0) return allocate(0);
  const whole = allocate(size + 2 * MARGIN);
  const inner = whole.view(MARGIN, whole.size - MARGIN);
  whole.release();
  return inner;
}

function hostBytes(start: bigint, offset: number, bytes: number): Uint8Array {
  return new Uint8Array(native().raw.hostBuffer(start + BigInt(offset), bytes, {}));
}

function overrunReport(block: GuardedBlock, first: number, last: number, when: string): OverrunReport {
  const pointer = block.start + BigInt(MARGIN);
  const at = block.start + BigInt(first);
  const bytes = last - first + 1;
  const before = first < MARGIN;
  const distance = before ? MARGIN - first : last - MARGIN - block.size + 1;
  const side = before ? 'before the start' : 'past the end';
  const stack = userFrames(block.stack);
  const text = [
    `write out of bounds: ${bytes} bytes at 0x${at.toString(16)} changed, up to ${distance} bytes ${side} of a block of ` +
      `${block.size} bytes at 0x${pointer.toString(16)}, found when ${when}`,
    `  the block was allocated`,
    ...stack.map(frame => `    ${frame}`)
  ].join('\n');
  return {
    kind: 'write out of bounds',
    pointer: at,
    bytes,
    block: { pointer, bytes: block.size, stack },
    text
  };
}

export { GuardingAdaptor as _stridelab_memory_manager };
