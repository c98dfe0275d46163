/** Bindings of the addon with which processes share memory; see `binding.ts`. */

import type { NativeDevice, NativeEvent, NativeStream } from './binding.ts';

/** A received message. The receiver owns the descriptors and closes them. */
export interface NativeMessage {
  readonly bytes: Uint8Array;
  readonly descriptors: readonly number[];
}

/**
 * Sockets between processes of one machine, by number: UNIX SEQPACKET sockets under abstract names. Nothing
 * here blocks. System errors throw kind `buffer`, a closed channel kind `freed`.
 */
export interface NativeChannels {
  /**
   * Sets a handler that is called, in a turn of the event loop, with the number of a channel that has a message, a connection to
   * accept, or a closed other end. Does not keep the event loop alive. Call it first; each handler is called for every channel.
   */
  watch(handler: (channel: number) => void): void;
  listen(name: string): number;
  /** Returns null if no process listens under the name. */
  connect(name: string): number | null;
  /** Returns null if no connection is waiting; `watch` reports the next one. */
  accept(listener: number): number | null;
  /** Identifies the process at the other end, as the system reports it. `process` is 0 if it is not visible from here. */
  peer(channel: number): { readonly process: number; readonly user: number; readonly sameUser: boolean };
  /** Returns false if the other end is closed. The caller keeps the descriptors. */
  send(channel: number, message: Uint8Array, descriptors: readonly number[]): boolean;
  /** Returns undefined if no message has arrived, in which case `watch` reports the next; null at the end of the connection. */
  receive(channel: number): NativeMessage | null | undefined;
  alive(channel: number): boolean;
  close(channel: number): void;
  closeDescriptor(descriptor: number): void;
  duplicateDescriptor(descriptor: number): number;
}

/** Device memory with its own allocation handle, mapped at an address. */
export interface NativeVirtualBlock {
  readonly pointer: bigint;
  /** Rounded up to the device's granularity. */
  readonly bytes: number;
  readonly handle: bigint;
}

/**
 * Driver calls for memory and events shared between processes. A driver that lacks a function throws kind `driver`, status 801.
 * Returned descriptors are new and closed by the caller; descriptors that are passed in stay open.
 */
export interface NativeSharing {
  /** Creates an event that other processes can open; it has no timing. */
  eventCreate(device: NativeDevice): NativeEvent;
  /** Returns the 64 bytes with which another process opens the event. */
  eventHandle(event: NativeEvent): Uint8Array;
  eventOpen(device: NativeDevice, handle: Uint8Array): NativeEvent;
  /** Creates a stream-ordered pool that can be exported and keeps its freed memory. */
  poolCreate(device: NativeDevice): bigint;
  poolDestroy(device: NativeDevice, pool: bigint): void;
  poolTrim(device: NativeDevice, pool: bigint, keep: number): void;
  /** Returns the bytes that the pool holds, in use or not. */
  poolReserved(device: NativeDevice, pool: bigint): number;
  poolExport(device: NativeDevice, pool: bigint): number;
  /** Imports a pool of another process, accessible to the device. */
  poolImport(device: NativeDevice, descriptor: number): bigint;
  /** Allocates from a pool; free with `raw.memFreeAsync`, as imported memory. */
  poolAllocate(device: NativeDevice, pool: bigint, bytes: number, stream: NativeStream): bigint;
  poolExportPointer(device: NativeDevice, pointer: bigint): Uint8Array;
  poolImportPointer(device: NativeDevice, pool: bigint, data: Uint8Array): bigint;
  virtualAllocate(device: NativeDevice, bytes: number): NativeVirtualBlock;
  virtualExport(device: NativeDevice, handle: bigint): number;
  virtualImport(device: NativeDevice, descriptor: number, bytes: number): NativeVirtualBlock;
  virtualFree(device: NativeDevice, pointer: bigint, bytes: number, handle: bigint): void;
  /** Creates zeroed host memory in an anonymous file. */
  hostAllocate(bytes: number): { readonly pointer: bigint; readonly descriptor: number };
  hostMap(descriptor: number, bytes: number): bigint;
  hostUnmap(pointer: bigint, bytes: number): void;
}
