/** A handle under which another process opens device memory (rules 188 to 195). */

import { randomUUID } from 'node:crypto';

import { devices, type Device } from '../../core/device.ts';
import { IpcError } from '../../base/errors.ts';
import { native } from '../../native/load.ts';
import { MemoryPointer } from './pointer.ts';

/** Identifies a device across processes, whose ordinals for it may differ. */
export interface IpcSource {
  /** The PCI bus id. */
  readonly pciBusId: string;
  /** The UUID that the driver reports. */
  readonly uuid: string;
}

/** The JSON form of an IPC handle. */
export interface IpcHandleFields {
  /** The driver's 64 bytes, in base64. */
  readonly handle: string;
  /** The size of the memory in bytes. */
  readonly size: number;
  /** Bytes from the start of the driver's allocation to the memory; blocks of pools start anywhere. */
  readonly offset: number;
  /** The device that the memory is on. */
  readonly source: IpcSource;
  /** Identifies the process that created the handle. */
  readonly origin: string;
}

const HANDLE_BYTES = 64;
/** Identifies this process in its handles, because process ids are reused. */
const ORIGIN: string = randomUUID();

/**
 * A handle with which another process opens device memory (CUDA IPC). Send its JSON form to that process (rule 191: handles are
 * serializable).
 */
export class IpcHandle {
  /** The driver's CUipcMemHandle: 64 bytes. */
  readonly handle: Uint8Array;
  /** The size of the memory in bytes. */
  readonly size: number;
  /** Bytes from the start of the driver's allocation to the memory. */
  readonly offset: number;
  /** The device that the memory is on. */
  readonly source: IpcSource;
  /** Identifies the process that created the handle. */
  readonly origin: string;
  /** The exported memory, which must live while other processes have it open; null in a handle that another process created. */
  readonly base: MemoryPointer | null;
  /**
   * Opens the memory on its own device. For another device, makes a copy there through the host, which is independent of the original (rule
   * 192). Close it before the exporting process frees the memory.
   * @throws IpcError if the handle is open, in the process that exported the memory, or without that device (rules 190, 193)
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
    if (handle.byteLength !== HANDLE_BYTES)
      throw new IpcError(`an IPC handle has ${HANDLE_BYTES} bytes, not ${handle.byteLength}`);
    this.base = base;
    this.handle = handle;
    this.size = size;
    this.source = source;
    this.offset = offset;
    this.origin = origin;
  }

  /** Makes a handle from the JSON form of one that another process created (rule 191). @throws IpcError for anything else */
  static from(fields: IpcHandleFields): IpcHandle {
    const { handle, size, offset, source, origin } = fields;
    const countable = [size, offset].every(value => Number.isSafeInteger(value) && value >= 0);
    const named = [handle, origin, source?.pciBusId, source?.uuid].every(text => typeof text === 'string');
    if (!countable || !named)
      throw new IpcError('IpcHandle.from: expected the JSON form of an IPC handle (rule 191: serialization)');
    return new IpcHandle(null, Buffer.from(handle, 'base64'), size, source, offset, origin);
  }

  /** Returns the handle as plain JSON, for `IpcHandle.from` in another process. */
  toJSON(): IpcHandleFields {
    const { size, offset, source, origin } = this;
    return { handle: Buffer.from(this.handle).toString('base64'), size, offset, source, origin };
  }

  /** True while the memory is mapped. */
  get opened(): boolean {
    return this.#opened !== null;
  }

  /**
   * Maps the memory on the device that it is on.
   * @throws IpcError if the handle is open, in the process that exported the memory, or without that device
   */
  map(): MemoryPointer {
    if (this.#opened !== null)
      throw new IpcError('this IPC handle is open already: close it first (rule 190: opened once)');
    if (this.origin === ORIGIN)
      throw new IpcError(
        'the process that exported the memory cannot open its handle: use the memory (rule 190: other processes)'
      );
    requireSupported();
    const source = this.sourceDevice();
    const pointer = native().raw.ipcOpen(source.native, this.handle);
    this.#opened = new MemoryPointer(source, pointer + BigInt(this.offset), this.size, this, () => {
      this.#opened = null;
      native().raw.ipcClose(source.native, pointer);
    });
    return this.#opened;
  }

  /**
   * Unmaps the memory; releasing the last reference to it does so too. No work may still use it.
   * @throws IpcError if it is not open (rule 190)
   */
  close(): void {
    if (this.#opened === null)
      throw new IpcError('this IPC handle is not open (rule 190: open before close)');
    this.#opened.free();
  }

  /** Closes the handle if it is open. */
  [Symbol.dispose](): void {
    if (this.#opened !== null) this.close();
  }

  /** Returns the device of this process that holds the memory. @throws IpcError if it is not visible here */
  sourceDevice(): Device {
    return sourceDeviceOf(this.source);
  }
}

/** Returns the device that holds memory of another process. @throws IpcError if it is not visible here */
export function sourceDeviceOf({ pciBusId, uuid }: IpcSource): Device {
  const found = devices().find(device => device.native.pciBusId === pciBusId && device.uuid === uuid);
  if (found !== undefined) return found;
  throw new IpcError(
    `the memory is on device ${uuid} (PCI ${pciBusId}), which is not visible to this process: check CUDA_VISIBLE_DEVICES`
  );
}

/** Checks that the system supports CUDA IPC. @throws IpcError (rule 193) */
export function requireSupported(): void {
  if (process.platform === 'linux') return;
  throw new IpcError(`CUDA IPC of memory requires Linux, this is ${process.platform} (rule 193: no IPC)`);
}
