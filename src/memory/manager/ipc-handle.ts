/** A handle under which another process opens device memory (rules 188 to 195). */

import { randomUUID } from 'node:crypto';

import { devices, type Device } from '../../core/device.ts';
import { IpcError } from '../../base/errors.ts';
import { native } from '../../native/load.ts';
import { MemoryPointer } from './pointer.ts';

/** Which device the memory lies on, as other processes can tell: their numbers for it may differ. */
export interface IpcSource {
  readonly pciBusId: string;
  readonly uuid: string;
}

/** What `JSON.stringify` writes, and `IpcHandle.from` reads. */
export interface IpcHandleFields {
  /** The driver's 64 bytes, as base64. */
  readonly handle: string;
  /** Bytes of the memory. */
  readonly size: number;
  /** Bytes from the start of the driver's allocation to the memory: a pool's blocks start anywhere. */
  readonly offset: number;
  readonly source: IpcSource;
  /** Names the process that made the handle. */
  readonly origin: string;
}

const HANDLE_BYTES = 64;
/** This process, in the handles it makes: process numbers are used again. */
const ORIGIN: string = randomUUID();

export class IpcHandle {
  /** The driver's CUipcMemHandle, 64 bytes. */
  readonly handle: Uint8Array;
  readonly size: number;
  readonly offset: number;
  readonly source: IpcSource;
  readonly origin: string;
  /** The exported memory, which must live while others have it open; null in a handle that came from elsewhere. */
  readonly base: MemoryPointer | null;
  /**
   * The memory, on its own device; for another device a copy there, made over the host, that belongs to nobody else (rule 192).
   * Closing it frees or unmaps; close before the exporting process frees.
   * @throws IpcError when open already, in the process that exported, or without that device (rules 190, 193)
   */
  declare readonly open: (device?: Device) => MemoryPointer;
  #opened: MemoryPointer | null = null;

  constructor(
    base: MemoryPointer | null,
    handle: Uint8Array,
    size: number,
    source: IpcSource,
    offset = 0,
    origin = ORIGIN
  ) {
    if (handle.byteLength !== HANDLE_BYTES) {
      throw new IpcError(`an IPC handle has ${HANDLE_BYTES} bytes, not ${handle.byteLength}`);
    }
    this.base = base;
    this.handle = handle;
    this.size = size;
    this.source = source;
    this.offset = offset;
    this.origin = origin;
  }

  /** A handle from what `toJSON` gave, in another process (rule 191). @throws IpcError for anything else */
  static from(fields: IpcHandleFields): IpcHandle {
    const { handle, size, offset, source, origin } = fields;
    const countable = [size, offset].every(value => Number.isSafeInteger(value) && value >= 0);
    const named = [handle, origin, source?.pciBusId, source?.uuid].every(text => typeof text === 'string');
    if (!countable || !named) throw new IpcError('these are not the fields of an IPC handle (rule 191)');
    return new IpcHandle(null, Buffer.from(handle, 'base64'), size, source, offset, origin);
  }

  toJSON(): IpcHandleFields {
    const { size, offset, source, origin } = this;
    return { handle: Buffer.from(this.handle).toString('base64'), size, offset, source, origin };
  }

  get opened(): boolean {
    return this.#opened !== null;
  }

  /** Maps the memory on the device it lies on. @throws IpcError when open already, in the process that exported, or without that device */
  map(): MemoryPointer {
    if (this.#opened !== null)
      throw new IpcError('this IPC handle is open already: close it first (rule 190)');
    if (this.origin === ORIGIN) {
      throw new IpcError(
        'the process that exported the memory cannot open its own handle: use the memory (rule 190)'
      );
    }
    requireSupported();
    const source = this.sourceDevice();
    const pointer = native().raw.ipcOpen(source.native, this.handle);
    this.#opened = new MemoryPointer(source, pointer + BigInt(this.offset), this.size, this, () => {
      this.#opened = null;
      native().raw.ipcClose(source.native, pointer);
    });
    return this.#opened;
  }

  /** Ends the mapping, as the last reference to the memory does. No work may still use it. @throws IpcError when not open (rule 190) */
  close(): void {
    if (this.#opened === null) throw new IpcError('this IPC handle is not open (rule 190)');
    this.#opened.free();
  }

  /** Closes the handle if it is open. */
  [Symbol.dispose](): void {
    if (this.#opened !== null) this.close();
  }

  /** The device of this process that the memory lies on. @throws IpcError where this process does not see it */
  sourceDevice(): Device {
    return sourceDeviceOf(this.source);
  }
}

/** The device that memory of another process lies on. @throws IpcError where this process does not see it */
export function sourceDeviceOf({ pciBusId, uuid }: IpcSource): Device {
  const found = devices().find(device => device.native.pciBusId === pciBusId && device.uuid === uuid);
  if (found !== undefined) return found;
  throw new IpcError(
    `the memory lies on device ${uuid} (PCI ${pciBusId}), which this process does not see: check CUDA_VISIBLE_DEVICES`
  );
}

/** @throws IpcError where the system has no CUDA IPC (rule 193) */
export function requireSupported(): void {
  if (process.platform === 'linux') return;
  throw new IpcError(`CUDA IPC of memory is for Linux, this is ${process.platform} (rule 193)`);
}
