/** Locates the memory of a descriptor, and checks it against the driver. Rules 25, 54, 61 to 65, 99. */

import {
  defaultDevice,
  deviceAt,
  mayHaveMemory,
  toDevice,
  type Device,
  type DeviceLike
} from '../../core/device.ts';
import { ArgumentError, DeviceError } from '../../base/errors.ts';
import { locate } from '../../memory/locate.ts';
import type { MemoryKind } from '../../native/binding.ts';
import type { Stream } from '../../core/stream.ts';
import { refuse, type ParsedDescriptor } from './descriptor.ts';
import type { Validation } from '../settings.ts';

export interface Place {
  readonly device: Device;
  /** Null if the driver was not queried. */
  readonly kind: MemoryKind | null;
}

export interface PlaceOptions {
  /** The device of the array; by default that of its pointer. Managed and pinned memory work with any device (rule 99). */
  readonly device?: DeviceLike | undefined;
  readonly stream?: Stream | undefined;
}

function namedDevice({ device, stream }: PlaceOptions): Device | undefined {
  if (device === undefined) return stream?.device;
  const named = toDevice(device);
  if (stream !== undefined && stream.device !== named)
    throw new ArgumentError(
      `device is ${named.toString()}, but the stream is on ${stream.device.toString()}`
    );
  return named;
}

const hex = (address: bigint): string => `0x${address.toString(16)}`;

/** Returns true if memory can only be on this device: one GPU and no simulated memory, or simulated memory and no GPU. */
function isOnlyPlace(device: Device): boolean {
  if (!device.only) return false;
  if (device.kind === 'recording') return false;
  return device.kind === 'cuda'
    ? !mayHaveMemory('simulated') && !mayHaveMemory('recording')
    : !mayHaveMemory('cuda') && !mayHaveMemory('recording');
}

/**
 * Returns where the memory is. @throws DeviceError for memory of another device than the named one (rule 62)
 * @throws DescriptorError for an unknown address if no device is named
 */
export function placeOf(parsed: ParsedDescriptor, options: PlaceOptions, level: Validation): Place {
  const named = namedDevice(options);
  if (parsed.size === 0) return { device: named ?? defaultDevice(), kind: 'device' };
  if (level === 'none' && named !== undefined) return { device: named, kind: 'device' };
  const first = parsed.extent.start === 0 ? parsed.pointer : parsed.pointer + BigInt(parsed.extent.start);
  if (named !== undefined && level !== 'strict' && isOnlyPlace(named)) return { device: named, kind: null };
  const found = locate(first);
  if (found === null) {
    // Host memory works for a simulated device, and for a GPU that shares page tables with the host (rule 54).
    if (named !== undefined) return { device: named, kind: 'device' };
    refuse(
      'data',
      `${hex(first)} is not a known device allocation: pass the device that can read it (rule 61: the driver resolves the pointer)`
    );
  }
  const { driver, ordinal, kind } = found;
  if (named?.kind === driver && (named.ordinal === ordinal || kind !== 'device'))
    return { device: named, kind };
  const device = deviceAt(driver, ordinal);
  if (named === undefined) return { device, kind };
  throw new DeviceError(
    `address ${hex(first)} is memory of ${device.toString()}, not of ${named.toString()} (rule 62: device)`
  );
}

/**
 * Checks with the driver for freed memory, bytes outside the allocation, and elements that are not aligned.
 * @throws DescriptorError
 */
export function validateStrictly(parsed: ParsedDescriptor, device: Device): void {
  const { pointer, extent, dtype, shape, strides, size } = parsed;
  if (size === 0) return;
  const first = pointer + BigInt(extent.start);
  const attributes = device.native.pointerAttributes(first);
  if (attributes === null)
    refuse(
      'data',
      `${device.toString()} has no memory at ${hex(first)}: was it freed? (rules 54, 65: valid memory)`
    );
  const after = attributes.rangeStart + BigInt(attributes.rangeBytes);
  const end = pointer + BigInt(extent.end);
  if (first < attributes.rangeStart || end > after)
    refuse(
      'data',
      `the array spans ${hex(first)} to ${hex(end)}, outside its allocation, ${hex(attributes.rangeStart)} to ${hex(after)} (rule 25: bounds)`
    );
  if (pointer % BigInt(dtype.alignment) !== 0n)
    refuse(
      'data',
      `${hex(pointer)} is not a multiple of ${dtype.alignment} bytes, the alignment of ${dtype.name} (rule 64: alignment)`
    );
  for (const [axis, stride] of strides.entries()) {
    if ((shape[axis] as number) > 1 && stride % dtype.alignment !== 0)
      refuse(
        'strides',
        `${stride} on axis ${axis} is not a multiple of ${dtype.alignment} bytes, the alignment of ${dtype.name} (rule 64: alignment)`
      );
  }
}
