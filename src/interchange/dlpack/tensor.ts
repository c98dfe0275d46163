/** What the numbers of a foreign tensor mean here: its layout, and the device that has its memory. Rules 123 to 135. */

import { devices, type Device } from '../../core/device.ts';
import { dtypeFromDlpack } from '../../dtype/dlpack.ts';
import type { DType } from '../../dtype/dtype.ts';
import { BufferError, DTypeError } from '../../base/errors.ts';
import type { Shape } from '../../layout/shape.ts';
import type { Strides } from '../../layout/strides.ts';
import { DLDeviceType, formatDlpackDevice, type DLDevice } from '../../protocols/dlpack-device.ts';
import { FLAG, type TensorFields } from './fields.ts';
import { foldPacked, isPacked } from './packed.ts';
import { gpuOf } from './targets.ts';

export interface TensorLayout {
  readonly dtype: DType;
  readonly shape: Shape;
  /** Bytes. */
  readonly strides: Strides;
}

/** @throws BufferError for a dtype that is not known */
export function layoutOf(tensor: TensorFields): TensorLayout {
  const folded =
    isPacked(tensor.dtype) && (tensor.flags & FLAG.SUBBYTE_PADDED) === 0 ? foldPacked(tensor) : tensor;
  try {
    const dtype = dtypeFromDlpack(folded.dtype);
    const { itemsize } = dtype;
    const strides: number[] = [];
    for (const stride of folded.strides) strides.push(stride * itemsize);
    return { dtype, shape: Object.freeze(folded.shape), strides: Object.freeze(strides) };
  } catch (error) {
    if (error instanceof DTypeError) throw new BufferError(error.message, { cause: error });
    throw error;
  }
}

/** The devices of this process, which stay the same. */
interface Places {
  /** The one whose memory is the host's. */
  readonly host: Device;
  readonly gpus: readonly Device[];
}
let places: Places | undefined;

function placesOf(all: readonly Device[]): Places {
  const host = all.find(candidate => candidate.simulated) as Device;
  return { host, gpus: all.filter(candidate => !candidate.simulated) };
}

/** The device that holds an address: producers may number devices in another way, so the driver is asked (rules 134, 135). */
export function deviceOfTensor(device: DLDevice, address: bigint): Device {
  places ??= placesOf(devices());
  if (device[0] === DLDeviceType.kDLCPU) return places.host;
  const { gpus } = places;
  const [first] = gpus;
  if (first === undefined) {
    throw new BufferError(
      `DLPack tensor on ${formatDlpackDevice(device)}, but this process has no CUDA device`
    );
  }
  const asked = gpus.length > 1 && address !== 0n;
  const actual = asked ? (first.native.pointerAttributes(address)?.deviceOrdinal ?? null) : null;
  const found = gpuOf(gpus, device[1], actual);
  if (found !== undefined) return found;
  throw new BufferError(
    `DLPack tensor on ${formatDlpackDevice(device)}: there are ${gpus.length} CUDA devices`
  );
}
