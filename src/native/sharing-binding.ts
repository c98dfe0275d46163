/** The part of the addon by which processes share memory; beside `binding.ts`. */

import type { NativeDevice, NativeEvent, NativeStream } from './binding.ts';

/** A message as it arrived. Whoever takes it owns the descriptors and closes them. */
export interface NativeMessage {
  readonly bytes: Uint8Array;
  readonly descriptors: readonly number[];
}

/**
 * Sockets between processes of one machine: UNIX sockets of kind SEQPACKET under abstract names, by number. Nothing here blocks. What
 * the system refuses is kind `buffer`, a closed channel kind `freed`.
 */
export interface NativeChannels {
  /**
   * Called with the number of a channel that can be received from or accepted at, or whose other end is closed, in a turn of the
   * event loop, which it does not keep alive. Before all else; each handler hears of every channel.
   */
  watch(handler: (channel: number) => void): void;
  listen(name: string): number;
  /** Null where nobody listens. */
  connect(name: string): number | null;
  /** Null where nobody waits any more; then `watch` tells of the next. */
  accept(listener: number): number | null;
  /** Who made the other end, by the system's word. `process` is 0 where it cannot be seen from here. */
  peer(channel: number): { readonly process: number; readonly user: number; readonly sameUser: boolean };
  /** False where the other end is closed. The descriptors stay the caller's. */
  send(channel: number, message: Uint8Array, descriptors: readonly number[]): boolean;
  /** Undefined where nothing has come yet, then `watch` tells of the next; null where nothing will. */
  receive(channel: number): NativeMessage | null | undefined;
  alive(channel: number): boolean;
  close(channel: number): void;
  closeDescriptor(descriptor: number): void;
  duplicateDescriptor(descriptor: number): number;
}

/** Device memory behind a handle of its own, mapped at an address. */
export interface NativeVirtualBlock {
  readonly pointer: bigint;
  /** Rounded up to the device's unit. */
  readonly bytes: number;
  readonly handle: bigint;
}

/**
 * Driver calls for memory and events that several processes use. A driver that lacks a function is kind `driver`, status 801. What
 * gives a descriptor gives a new one, which is the caller's to close; what takes one leaves it to the caller.
 */
export interface NativeSharing {
  /** An event that other processes can open; keeps no time. */
  eventCreate(device: NativeDevice): NativeEvent;
  /** The 64 bytes under which another process opens the event. */
  eventHandle(event: NativeEvent): Uint8Array;
  eventOpen(device: NativeDevice, handle: Uint8Array): NativeEvent;
  /** A stream-ordered pool that can be exported, and keeps what it has. */
  poolCreate(device: NativeDevice): bigint;
  poolDestroy(device: NativeDevice, pool: bigint): void;
  poolTrim(device: NativeDevice, pool: bigint, keep: number): void;
  /** Bytes that the pool holds now, in use or not. */
  poolReserved(device: NativeDevice, pool: bigint): number;
  poolExport(device: NativeDevice, pool: bigint): number;
  /** A pool of another process, accessible to the device. */
  poolImport(device: NativeDevice, descriptor: number): bigint;
  /** Freed by `raw.memFreeAsync`, as imported memory is. */
  poolAllocate(device: NativeDevice, pool: bigint, bytes: number, stream: NativeStream): bigint;
  poolExportPointer(device: NativeDevice, pointer: bigint): Uint8Array;
  poolImportPointer(device: NativeDevice, pool: bigint, data: Uint8Array): bigint;
  virtualAllocate(device: NativeDevice, bytes: number): NativeVirtualBlock;
  virtualExport(device: NativeDevice, handle: bigint): number;
  virtualImport(device: NativeDevice, descriptor: number, bytes: number): NativeVirtualBlock;
  virtualFree(device: NativeDevice, pointer: bigint, bytes: number, handle: bigint): void;
  /** Host memory in a file without a name, of zeros. */
  hostAllocate(bytes: number): { readonly pointer: bigint; readonly descriptor: number };
  hostMap(descriptor: number, bytes: number): bigint;
  hostUnmap(pointer: bigint, bytes: number): void;
}
