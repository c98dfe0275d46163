/** Storage: one block of device memory, shared by an array and its views, freed when the last of them is disposed or collected. */

import type { Device } from '../device.ts';
import { FreedError } from '../errors.ts';
import type { Access, MemoryKind, NativeStorage, PointerAttributes } from '../native/binding.ts';
import { native } from '../native/load.ts';
import { Stream } from '../stream.ts';

export type { Access, MemoryKind };

/** A stream that used the storage: which operation of it, and whether that is known to be done. */
export interface Use {
  readonly stream: Stream;
  readonly access: Access;
  readonly sequence: number;
  readonly complete: boolean;
}

/** How many streams are remembered for pictures; the native list forgets a use as soon as order no longer needs it. */
const REMEMBERED_STREAMS = 8;

export class Storage {
  readonly device: Device;
  /** The native half; for the library's own use. */
  readonly native: NativeStorage;
  readonly bytes: number;
  readonly kind: MemoryKind;
  /** Address of the first byte, valid until released: kept here because asking native code costs more than an export may. */
  readonly #pointer: bigint;
  readonly #listeners = new Set<() => void>();
  /** The latest use of each stream, oldest first. */
  readonly #recent = new Map<Stream, { readonly access: Access; readonly sequence: number }>();
  #references = 1;
  #released = false;
  /** The stream of every use so far, null where there were several. */
  #soleStream: Stream | null | undefined;

  private constructor(device: Device, nativeStorage: NativeStorage) {
    this.native = nativeStorage;
    this.device = device;
    this.bytes = nativeStorage.bytes;
    this.kind = nativeStorage.kind;
    this.#pointer = nativeStorage.pointer;
  }

  /** @throws DriverError when the device is out of memory. */
  static allocate(device: Device, bytes: number, kind: MemoryKind = 'device'): Storage {
    return new Storage(device, native().allocate(device.native, bytes, kind));
  }

  get released(): boolean {
    return this.#released;
  }

  /** First byte; 0n for an empty block. @throws FreedError */
  get pointer(): bigint {
    if (this.#released) throw new FreedError('the memory was freed');
    return this.#pointer;
  }

  /** The stream of every use so far; undefined before the first, null where there were several. */
  get soleStream(): Stream | null | undefined {
    return this.#soleStream;
  }

  /** Adds a reference, for another view (rule 102). @throws FreedError */
  retain(): this {
    if (this.released) throw new FreedError('the memory was freed');
    this.#references++;
    return this;
  }

  /** Drops one reference; the last one frees the memory, after all work that uses it. */
  release(): void {
    if (--this.#references > 0) return;
    this.#released = true;
    this.native.release();
    this.#recent.clear();
    this.#notify();
  }

  /** What the driver says of an address in this storage; null where it knows nothing of it. */
  pointerAttributes(pointer: bigint): PointerAttributes | null {
    return this.native.device.pointerAttributes(pointer);
  }

  /** Orders `stream` after earlier uses, on the device; call before submitting work. */
  prepare(stream: Stream, access: Access): void {
    this.native.prepare(stream.native, access);
  }

  /** Tells that work was submitted to `stream`, by whoever launched it. */
  recordUse(stream: Stream, access: Access): void {
    this.native.recordUse(stream.native, access);
    this.#note(stream, access);
  }

  /** Pending uses and the latest ones, oldest first. */
  uses(): Use[] {
    return this.native.uses().map(use => ({ ...use, stream: Stream.of(use.stream) }));
  }

  /** The latest use by each of the last few streams, oldest first: for people, where `uses` is for order. */
  recentUses(): Use[] {
    return [...this.#recent].map(([stream, { access, sequence }]) => ({
      stream,
      access,
      sequence,
      complete: stream.native.completed >= sequence
    }));
  }

  /** The stream that a consumer waits for, joined with the others on the device; null when nothing is pending (rules 79 to 82). */
  join(readOnly: boolean): Stream | null {
    const joined = this.native.join(readOnly);
    return joined === null ? null : Stream.of(joined);
  }

  writeFromHost(offset: number, source: NodeJS.ArrayBufferView, stream: Stream): void {
    // As bytes: Node-API cannot describe every typed array (Float16Array is unknown to it).
    const bytes = new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    this.native.writeFromHost(offset, bytes, stream.native);
    this.#note(stream, 'write');
  }

  /** Blocks until `target` is filled. `quiet` spares listeners: looking at an array must not count as using it. */
  readToHost(offset: number, target: NodeJS.ArrayBufferView, stream: Stream, quiet = false): void {
    this.native.readToHost(offset, target, stream.native);
    if (!quiet) this.#note(stream, 'read');
  }

  async readToHostAsync(offset: number, target: NodeJS.ArrayBufferView, stream: Stream): Promise<void> {
    const done = this.native.readToHostAsync(offset, target, stream.native);
    this.#note(stream, 'read');
    await done;
  }

  copyFrom(offset: number, source: Storage, sourceOffset: number, bytes: number, stream: Stream): void {
    this.native.copyFrom(offset, source.native, sourceOffset, bytes, stream.native);
    this.#note(stream, 'write');
    source.#note(stream, 'read');
  }

  fill(offset: number, width: 1 | 2 | 4, pattern: number, count: number, stream: Stream): void {
    this.native.fill(offset, width, pattern, count, stream.native);
    this.#note(stream, 'write');
  }

  /** Calls `listener` after each use and after the memory is freed; returns the call that ends it. */
  onUse(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #note(stream: Stream, access: Access): void {
    if (this.#soleStream !== stream) this.#soleStream = this.#soleStream === undefined ? stream : null;
    this.#recent.delete(stream);
    this.#recent.set(stream, { access, sequence: stream.native.sequence });
    if (this.#recent.size > REMEMBERED_STREAMS)
      this.#recent.delete(this.#recent.keys().next().value as Stream);
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
