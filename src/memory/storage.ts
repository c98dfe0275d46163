/** Storage: one block of device memory, shared by an array and its views, freed when the last of them is disposed or collected. */

import { deviceOf, noteMemoryOn, type Device } from '../core/device.ts';
import { DeviceLostError, DriverError, FreedError, HazardError, MemoryManagerError } from '../base/errors.ts';
import type { Access, MemoryKind, NativeStorage, PointerAttributes } from '../native/binding.ts';
import { hostWaited } from '../core/host-wait.ts';
import { isLooking } from '../core/look.ts';
import { keyed } from '../native/keyed.ts';
import type { NativeKey } from '../native/keyed-binding.ts';
import { KeyedObject } from '../native/keyed-object.ts';
import { native } from '../native/load.ts';
import { isCaptured, Stream } from '../core/stream.ts';
import { allocateMemory, type AllocatedMemory } from './allocate.ts';
import { locate } from './locate.ts';
import { memoryObserver } from './manager/observer.ts';
import type { MemoryPointer } from './manager/pointer.ts';
import type { MemoryContext } from './registry.ts';
import { noteWaiting } from './manager/waiting.ts';

export type { Access, MemoryKind };

/** A use of the storage: the stream, the number of its operation, and whether that is known to be complete. */
export interface Use {
  readonly stream: Stream;
  readonly access: Access;
  readonly sequence: number;
  readonly complete: boolean;
}

/** A description of imported memory, which is registered with native code when the storage is first used. */
export interface ForeignMemory {
  readonly device: Device;
  /** The address of the first byte; 0n for an empty block. */
  readonly pointer: bigint;
  readonly bytes: number;
  /** Null if unknown; read from the driver when needed (rule 63). */
  readonly kind: MemoryKind | null;
  /** Kept until the last reference is released and all device work through the storage is done (rule 96). */
  readonly owner: unknown;
  /** A stream with pending work on the memory; it must live as long as the owner (rule 93). */
  readonly pending: Stream | null;
  /** The stream of the owner's later work, which waits for each use (rule 73). */
  readonly producer: Stream | null;
  /** Called once when the last reference is released, before waiting for the work. */
  readonly releasing: (() => void) | null;
  /** Called once when the work is also done; not for an unused array that is collected, since its owner is collected too. */
  readonly released: (() => void) | null;
}

/** Hooks into the uses and the release of a storage. */
export interface StorageHooks {
  /** Called before each use; an error that it throws fails the use. */
  readonly guard: () => void;
  /** Called once when the last reference is released, before waiting for the work. */
  readonly releasing: () => void;
}

interface RecentUse {
  readonly stream: Stream;
  access: Access;
  sequence: number;
}

/** The number of streams remembered for pictures; the native list drops uses that ordering no longer needs. */
const REMEMBERED_STREAMS = 8;

export class Storage {
  readonly device: Device;
  readonly bytes: number;
  #kind: MemoryKind | null;
  /** Null for imported memory that native code has not registered: most imports are only inspected or passed on. */
  #native: KeyedObject<NativeStorage> | null;
  /** Null for memory that was not imported, and after it is freed. */
  #foreign: ForeignMemory | null = null;
  /** Null unless the memory belongs to another process. */
  #hooks: StorageHooks | null = null;
  #origin: string | null = null;
  /** The address of the first byte, valid until freed. Cached, because a call of native code would slow down exports. */
  readonly #pointer: bigint;
  /** The manager that allocated the memory, and its reset count at that time; null for imported memory. */
  readonly #context: MemoryContext | null;
  readonly #epoch: number;
  /** The manager's pointer; null for imported and for empty memory. */
  readonly #memory: MemoryPointer | null;
  /** The stream that the memory was allocated for. */
  readonly #firstStream: Stream | null;
  #listeners: Set<() => void> | undefined;
  /** The latest use, updated in place while one stream uses the memory. */
  #latest: RecentUse | undefined;
  /** The latest use of each stream, oldest first; undefined until a second stream uses the memory. */
  #recent: Map<Stream, RecentUse> | undefined;
  #references = 1;
  #freed = false;
  /** The Python library that owns imported immutable memory, such as `jax`, and may import it back. Null for other memory. */
  immutableOf: string | null = null;
  /** The stream of every use so far; null if several streams used it. */
  #soleStream: Stream | null | undefined;

  private constructor(
    device: Device,
    nativeStorage: KeyedObject<NativeStorage> | null,
    memory: { readonly pointer: bigint; readonly bytes: number; readonly kind: MemoryKind | null },
    context: MemoryContext | null = null,
    managed: MemoryPointer | null = null,
    firstStream: Stream | null = null
  ) {
    if (device.simulated) noteMemoryOn(device);
    this.#native = nativeStorage;
    this.device = device;
    this.bytes = memory.bytes;
    this.#kind = memory.kind;
    this.#pointer = memory.pointer;
    this.#context = context;
    this.#epoch = context?.epoch ?? 0;
    this.#memory = managed;
    this.#firstStream = firstStream;
  }

  /**
   * Allocates memory from the manager in force. `stream` will use it first, so a pool can reuse blocks that
   * this stream freed; `collectable` is false if anything other than JavaScript objects holds it.
   * @throws OutOfMemoryError, MemoryManagerError
   */
  static allocate(
    device: Device,
    bytes: number,
    kind: MemoryKind = 'device',
    stream?: Stream,
    collectable = true
  ): Storage {
    const observer = isLooking() ? null : memoryObserver.current;
    const firstStream = stream ?? null;
    let allocated: AllocatedMemory;
    try {
      allocated = allocateMemory(device, bytes, kind, stream, collectable);
    } catch (error) {
      observer?.refused({ device, bytes, kind, stream: firstStream }, error);
      throw error;
    }
    const { memory, context } = allocated;
    const managed = context === null ? null : memory;
    const facts = { pointer: memory.pointer, bytes, kind };
    const storage = new Storage(device, allocated.storage, facts, context, managed, firstStream);
    // The allocation, or work of the block's previous owner, may be pending on this stream, so an early export names it.
    if (memory.ready !== null) storage.#soleStream = memory.ready;
    if (observer !== null && context !== null)
      observer.allocated({ device, bytes, kind, stream: firstStream }, context.manager, memory, storage);
    return storage;
  }

  /** Makes a storage over adopted memory. `origin` describes the owner for people; null for the library's own memory. */
  static adopt(
    nativeStorage: NativeStorage,
    origin: string | null = null,
    hooks: StorageHooks | null = null
  ): Storage {
    const storage = new Storage(
      deviceOf(nativeStorage.device),
      new KeyedObject(nativeStorage),
      nativeStorage
    );
    storage.#origin = origin;
    storage.#hooks = hooks;
    memoryObserver.current?.borrowed(storage);
    return storage;
  }

  /** Makes a storage over imported memory, without a native call until its first use. */
  static foreign(memory: ForeignMemory): Storage {
    const storage = new Storage(memory.device, null, memory);
    storage.#foreign = memory;
    if (memory.pending !== null) storage.#soleStream = memory.pending;
    memoryObserver.current?.borrowed(storage);
    return storage;
  }

  /**
   * Makes a storage over a pointer: takes over one reference, which is released after all work that uses the storage. `origin` describes
   * the owner of memory that is not the library's own.
   */
  static over(memory: MemoryPointer, origin: string | null = null): Storage {
    const { context, pointer, size, kind } = memory;
    const adopted = native().adopt(context.native, pointer, size, kind, () => memory.release());
    return Storage.adopt(adopted, origin);
  }

  /** Whether a memory manager allocated the memory for this storage; imported storages may overlap it. */
  get managed(): boolean {
    return this.#context !== null;
  }

  /** A phrase for the owner of memory that no object here owns, such as `another process`; otherwise null. */
  get origin(): string | null {
    return this.#origin;
  }

  /** True for imported memory until it is freed. */
  get borrowed(): boolean {
    return this.#foreign !== null;
  }

  /** The object that keeps imported memory; undefined for other memory, and without an owner. */
  get owner(): unknown {
    return this.#foreign?.owner ?? undefined;
  }

  /** The native half; for the library's own use. @throws FreedError */
  get native(): NativeStorage {
    return this.#guarded().native;
  }

  /** Names the native half in launches; for the library's own use. @throws FreedError */
  get key(): NativeKey<NativeStorage> {
    return this.#guarded().key;
  }

  // A method: each read of a private getter calls V8's runtime.
  #guarded(): KeyedObject<NativeStorage> {
    if (this.#hooks !== null && !this.freed && !isLooking()) this.#hooks.guard();
    return this.#unguarded();
  }

  #unguarded(): KeyedObject<NativeStorage> {
    if (this.freed) throw new FreedError('the memory was freed');
    return this.#native ?? this.#adoptForeign();
  }

  /** The kind of memory, from the allocation or the driver. */
  get kind(): MemoryKind {
    this.#kind ??= locate(this.#pointer)?.kind ?? 'device';
    return this.#kind;
  }

  /** True after the last reference was released, and after a reset of the memory manager (rule 103). */
  get freed(): boolean {
    return this.#freed || (this.#context !== null && this.#context.epoch !== this.#epoch);
  }

  /** The address of the first byte; 0n for an empty block. @throws FreedError */
  get pointer(): bigint {
    if (this.freed) throw new FreedError('the memory was freed');
    return this.#pointer;
  }

  /** The stream of every use so far; undefined before the first, null if there were several. */
  get soleStream(): Stream | null | undefined {
    return this.#soleStream;
  }

  /** Makes native code's list of uses the only source of order, because this object does not see all uses. */
  leaveOrderToNative(): void {
    this.#soleStream = null;
  }

  /** Adds a reference, for another view (rule 102). @throws FreedError */
  retain(): this {
    if (this.freed) throw new FreedError('the memory was freed');
    this.#references++;
    return this;
  }

  /** Drops one reference; the last one frees the memory, after all work that uses it. */
  release(): void {
    if (--this.#references > 0) return;
    const current = !this.freed;
    try {
      if (current) {
        this.#foreign?.releasing?.();
        this.#hooks?.releasing();
      }
    } catch (error) {
      // A lost device has no last use to wait for (rule 103).
      if (!(error instanceof DeviceLostError)) throw error;
    } finally {
      this.#finish(current);
    }
  }

  #finish(current: boolean): void {
    if (current && memoryObserver.current !== null)
      memoryObserver.current.released(this, this.#native !== null && !keyed().unshared(this.#native.key));
    this.#freed = true;
    const block = this.#memory?.block ?? null;
    // A pool's block is returned with its list of uses, which its next owner waits for on the device, unless the list is shared.
    const nativeStorage = this.#native;
    const foreign = this.#foreign;
    this.#foreign = null;
    if (nativeStorage === null) {
      // Nothing used the memory through this storage, so no work is pending.
      foreign?.released?.();
    } else if (current && block !== null && keyed().unshared(nativeStorage.key)) {
      // Unused memory is cached for the stream for which it was allocated.
      const stream = this.#soleStream === undefined ? this.#firstStream : this.#soleStream;
      block.give(nativeStorage, stream);
    } else {
      const last = nativeStorage.native.release();
      if (last && current && this.#memory?.freed === false) noteWaiting(this.device, this.#pointer);
    }
    this.#recent = undefined;
    this.#latest = undefined;
    this.#notify();
  }

  /** Returns the driver's attributes of an address in this storage, or null for an unknown address. */
  pointerAttributes(pointer: bigint): PointerAttributes | null {
    return this.device.native.pointerAttributes(pointer);
  }

  /** Orders `stream` after earlier uses, on the device; call before submitting work. */
  prepare(stream: Stream, access: Access): void {
    this.native.prepare(stream.native, access);
  }

  /** Notes a use by work that the caller submitted to `stream`. */
  recordUse(stream: Stream, access: Access): void {
    this.#submit(stream, access, () => this.native.recordUse(stream.native, access));
  }

  /** Returns pending uses and the latest ones, oldest first. */
  uses(): Use[] {
    return this.#unguarded()
      .native.uses()
      .map(use => ({ ...use, stream: Stream.of(use.stream) }));
  }

  /** Returns the latest use by each of the last few streams, oldest first, for pictures; ordering is based on `uses`. */
  recentUses(): Use[] {
    const first = this.#latest === undefined ? [] : [this.#latest];
    return [...(this.#recent?.values() ?? first)].map(use => ({
      ...use,
      complete: use.stream.native.completed >= use.sequence
    }));
  }

  /** Returns the stream that a consumer waits for, joined with the others on the device; null if nothing is pending (rules 79 to 82). */
  join(readOnly: boolean): Stream | null {
    const joined = this.native.join(readOnly);
    return joined === null ? null : Stream.of(joined);
  }

  writeFromHost(offset: number, source: NodeJS.ArrayBufferView, stream: Stream): void {
    // As bytes: Node-API cannot describe every typed array (Float16Array is unknown to it).
    const bytes = new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    const staging = stagingFor(stream, bytes);
    this.#submit(stream, 'write', () => {
      if (staging === null) this.native.writeFromHost(offset, bytes, stream.native);
      else this.native.writeStaged(offset, bytes, stream.native, staging.native);
    });
  }

  /** Blocks until `target` is filled. */
  readToHost(offset: number, target: NodeJS.ArrayBufferView, stream: Stream): void {
    const staging = stagingFor(stream, target);
    if (staging === null) this.native.readToHost(offset, target, stream.native);
    else this.native.readStaged(offset, target, stream.native, staging.native);
    // The read of a look is complete on return, so nothing waits for it.
    if (!isLooking()) this.#note(stream, 'read');
    hostWaited();
  }

  async readToHostAsync(offset: number, target: NodeJS.ArrayBufferView, stream: Stream): Promise<void> {
    const done = this.native.readToHostAsync(offset, target, stream.native);
    this.#note(stream, 'read');
    await done;
    hostWaited();
  }

  copyFrom(offset: number, source: Storage, sourceOffset: number, bytes: number, stream: Stream): void {
    source.#submit(stream, 'read', () =>
      this.#submit(stream, 'write', () =>
        this.native.copyFrom(offset, source.native, sourceOffset, bytes, stream.native)
      )
    );
  }

  fill(offset: number, width: 1 | 2 | 4, pattern: number, count: number, stream: Stream): void {
    this.#submit(stream, 'write', () => this.native.fill(offset, width, pattern, count, stream.native));
  }

  /** Calls `listener` after each use and after the memory is freed; returns a function that removes the listener. */
  onUse(listener: () => void): () => void {
    const listeners = (this.#listeners ??= new Set());
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  #adoptForeign(): KeyedObject<NativeStorage> {
    const { owner, pending, producer, released, pointer, bytes } = this.#foreign as ForeignMemory;
    // The function keeps the owner until native code has called it.
    const release = (): void => {
      void owner;
      released?.();
    };
    const made = native().adopt(this.device.native, pointer, bytes, this.kind, release, 0);
    if (pending !== null) made.notePending(pending.native);
    if (producer !== null) made.setProducer(producer.native);
    return (this.#native = new KeyedObject(made));
  }

  /** Notes, for pictures, a use that native code has noted for ordering: operation `sequence` of a stream used the storage. */
  noteUse(stream: Stream, access: Access, sequence: number): void {
    if (isLooking()) {
      // A look does not change the stream of exports; native code makes later writes wait for it.
      if (this.#soleStream !== undefined && this.#soleStream !== stream) this.#soleStream = null;
      return;
    }
    // A captured operation may later run on any stream without this object's knowledge. Asking about a capture is a native call.
    if (this.#soleStream !== null) {
      if (isCaptured(stream)) this.#soleStream = null;
      else if (this.#soleStream !== stream) this.#soleStream = this.#soleStream === undefined ? stream : null;
    }
    if (this.#latest?.stream === stream) {
      this.#latest.access = access;
      this.#latest.sequence = sequence;
    } else {
      this.#remember({ stream, access, sequence });
    }
    this.#notify();
  }

  #note(stream: Stream, access: Access): void {
    this.noteUse(stream, access, stream.native.sequence);
  }

  #remember(use: RecentUse): void {
    const earlier = this.#latest;
    this.#latest = use;
    if (earlier === undefined) return;
    const recent = (this.#recent ??= new Map([[earlier.stream, earlier]]));
    recent.delete(use.stream);
    recent.set(use.stream, use);
    if (recent.size > REMEMBERED_STREAMS) recent.delete(recent.keys().next().value as Stream);
  }

  /**
   * Runs `work`, which submits one use, and notes the use, even if hazard detection throws after the submission. `work` may return the number
   * of the operation, which is read otherwise.
   */
  #submit<Result extends number | void>(stream: Stream, access: Access, work: () => Result): Result {
    let result: Result;
    try {
      result = work();
    } catch (error) {
      if (error instanceof HazardError) this.#note(stream, access);
      throw error;
    }
    if (typeof result === 'number') this.noteUse(stream, access, result);
    else this.#note(stream, access);
    return result;
  }

  #notify(): void {
    if (this.#listeners !== undefined) for (const listener of this.#listeners) listener();
  }
}

/** Pinned staging memory for large copies, per device; allocated by the manager in force, and again after its reset. */
const stagings = new WeakMap<Device, Storage>();
/** Sixteen of the largest slots into which the native core divides it. */
const STAGING_BYTES = 32 * 2 ** 20;
/** Below this size the driver's staging is as fast. */
const LEAST_STAGED = 2 * 2 ** 20;

/** Returns the staging memory; null for direct copies: on simulated devices, for few bytes, and if no memory can be pinned. */
function stagingFor(stream: Stream, bytes: NodeJS.ArrayBufferView): Storage | null {
  const { device } = stream;
  if (device.simulated || bytes.byteLength < LEAST_STAGED || stream.capturing) return null;
  const known = stagings.get(device);
  if (known !== undefined && !known.freed) return known;
  try {
    const made = Storage.allocate(device, STAGING_BYTES, 'pinned');
    stagings.set(device, made);
    return made;
  } catch (error) {
    if (error instanceof DriverError || error instanceof MemoryManagerError) return null;
    throw error;
  }
}
