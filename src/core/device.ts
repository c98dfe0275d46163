/** Devices: the GPUs that the CUDA driver lists, and at least one simulated device. */

import { hostWaited } from './host-wait.ts';
import { DeviceError, DriverUnavailableError } from '../base/errors.ts';
import type { DriverKind, NativeDevice } from '../native/binding.ts';
import { native } from '../native/load.ts';
import { DISPLAY_METHOD, notebookHost, type MimeBundle } from '../notebook/host.ts';
import { textOf } from '../base/value-text.ts';

/** The size of a device's memory, in bytes. */
export interface MemoryInfo {
  /** Bytes that are not allocated. */
  readonly free: number;
  /** Bytes in total. */
  readonly total: number;
}

/** The prefix of device labels for each kind of driver. */
const LABELS: Readonly<Record<DriverKind, string>> = { cuda: 'cuda', simulated: 'sim', recording: 'rec' };

/** A CUDA device or a simulated device. `devices()` returns them; each device has exactly one object. */
export class Device {
  /** The native half; for the library's own use. */
  readonly native: NativeDevice;
  /** `cuda:0` or `sim:0`; `rec:0` for the device of tests that records every driver call. */
  readonly label: string;

  /** The driver: `cuda`, `sim` (simulated) or, in tests, `rec` (records every driver call). */
  readonly kind: DriverKind;
  /** The device's number within its driver, from 0. */
  readonly ordinal: number;
  /** True for a device that computes in host memory and models its timing. */
  readonly simulated: boolean;

  /** True if the driver has no other device. */
  readonly only: boolean;
  /** Returns the display of the device in a notebook: memory, properties, libraries and peers. */
  declare readonly [DISPLAY_METHOD]: () => MimeBundle;

  /** Internal: use `devices()`. */
  constructor(nativeDevice: NativeDevice, only: boolean) {
    this.native = nativeDevice;
    this.kind = nativeDevice.kind;
    this.ordinal = nativeDevice.ordinal;
    this.only = only;
    this.simulated = this.kind !== 'cuda';
    this.label = `${LABELS[this.kind]}:${this.ordinal}`;
  }

  /** The product name that the driver reports. */
  get name(): string {
    return this.native.name;
  }

  /** The UUID that the driver reports, as text. */
  get uuid(): string {
    return this.native.uuid;
  }

  /** The compute capability, as major and minor version. */
  get computeCapability(): readonly [number, number] {
    return this.native.computeCapability;
  }

  /** The size of the device memory, in bytes. */
  get totalMemory(): number {
    return this.native.totalMemory;
  }

  /** Returns free and total bytes of device memory, as the driver reports them now. */
  memoryInfo(): MemoryInfo {
    return this.native.memoryInfo();
  }

  /**
   * Reports whether this device can access the memory of `peer` directly, over NVLink or PCIe. Copies work between all devices of a driver;
   * without direct access they go through host memory. False for the device itself and between drivers.
   * @throws DriverError
   */
  canAccessPeer(peer: Device): boolean {
    return this.native.canAccessPeer(peer.native);
  }

  /** The least and the greatest stream priority; greater priorities are lower numbers. */
  get streamPriorities(): { readonly least: number; readonly greatest: number } {
    return this.native.streamPriorities();
  }

  /** Blocks JavaScript until all work submitted to the device is done. @throws InterruptedError, DriverError */
  synchronize(): void {
    this.native.synchronize();
    hostWaited();
  }

  /** Returns the label, for example `cuda:0` or `sim:0 (simulated)`. */
  toString(): string {
    return this.simulated ? `${this.label} (simulated)` : this.label;
  }
}

/** A device, or its label, such as `cuda:0`. */
export type DeviceLike = Device | string;

/** Drivers whose memory this process is known to use. */
const driversInUse = new Set<DriverKind>();
const devicesInUse = new Set<Device>();

/** Notes that a device has memory in this process; called for each allocation and adoption. */
export function noteMemoryOn(device: Device): void {
  if (devicesInUse.has(device)) return;
  devicesInUse.add(device);
  driversInUse.add(device.kind);
  notebookHost()?.deviceUsed?.(device);
}

/** Returns false if no address in this process can belong to such a driver: it does not exist, or never allocated memory. */
export function mayHaveMemory(kind: DriverKind): boolean {
  return kind === 'cuda' ? (devices()[0] as Device).kind === 'cuda' : driversInUse.has(kind);
}

let known: readonly Device[] | undefined;
/** Why there are no CUDA devices, for messages. */
let cudaAbsence: string | undefined;

/** Returns every device of this process: CUDA devices in the driver's order, then the simulated ones (STRIDELAB_SIM_DEVICES, default 1). */
export function devices(): readonly Device[] {
  if (known !== undefined) return known;
  const found: NativeDevice[] = [];
  try {
    found.push(...native().devices('cuda'));
  } catch (error) {
    if (!(error instanceof DriverUnavailableError)) throw error;
    cudaAbsence = error.message;
  }
  found.push(...native().devices('simulated'));
  known = wrapped(found);
  return known;
}

function wrapped(found: readonly NativeDevice[]): readonly Device[] {
  const isOnly = (wanted: DriverKind): boolean => found.filter(({ kind }) => kind === wanted).length === 1;
  return Object.freeze(found.map(device => new Device(device, isOnly(device.kind))));
}

let recording: readonly Device[] | undefined;

/** Returns the devices whose driver logs every call: not in `devices()`, created when a test names one. */
function recordingDevices(): readonly Device[] {
  recording ??= wrapped(native().devices('recording'));
  return recording;
}

/** Returns the device object of a native device. */
export function deviceOf(nativeDevice: NativeDevice): Device {
  return deviceAt(nativeDevice.kind, nativeDevice.ordinal);
}

/** Returns a driver's device by ordinal. @throws DeviceError */
export function deviceAt(kind: DriverKind, ordinal: number): Device {
  const all = kind === 'recording' ? recordingDevices() : devices();
  const found = all.find(device => device.kind === kind && device.ordinal === ordinal);
  if (found === undefined) throw new DeviceError(`unknown device ${kind}:${ordinal}`);
  return found;
}

/**
 * Returns the device for a label (`cuda:0`, `sim:0`, or `cuda` and `sim` for the first), or the default
 * device without one: `STRIDELAB_DEVICE` if set, else the first CUDA device, else the first simulated device.
 * @throws DeviceError that names the label and the available devices
 */
export function toDevice(value?: DeviceLike): Device {
  const all = devices();
  if (value instanceof Device) return value;
  const label = value ?? process.env['STRIDELAB_DEVICE'];
  if (label === undefined || label === '') return all[0] as Device;
  const wanted = String(label).includes(':') ? label : `${label}:0`;
  const found = (wanted.startsWith('rec:') ? recordingDevices() : all).find(
    device => device.label === wanted
  );
  if (found !== undefined) return found;
  const origin = value === undefined ? ' (from STRIDELAB_DEVICE)' : '';
  const absence = wanted.startsWith('cuda') && cudaAbsence !== undefined ? `; ${cudaAbsence}` : '';
  throw new DeviceError(
    `no device '${typeof label === 'string' ? label : textOf(label)}'${origin}; available: ${all.map(device => device.label).join(', ')}${absence}`
  );
}

/** Returns the device that arrays are created on if none is named. */
export function defaultDevice(): Device {
  return toDevice();
}
