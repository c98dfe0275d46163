/** The meaning of the `stream` argument of `__dlpack__` on each kind of device (rules 151 to 155). Pure. */

import { ArgumentError } from '../../base/errors.ts';
import { dlpackTypeName, DLDeviceType } from '../../protocols/dlpack-device.ts';
import { textOf } from '../../base/value-text.ts';

/** The handle of the stream that must wait; `none` requests no synchronization, `host` data that is ready on return. */
export type StreamRequest = bigint | 'none' | 'host';

const LEGACY = 1n;

function refuse(stream: unknown, type: number, rest: string): never {
  throw new ArgumentError(`stream ${textOf(stream)} for ${dlpackTypeName(type)}: ${rest}`);
}

/** Returns the meaning of a stream argument. @throws ArgumentError for a stream that the device type does not allow */
export function streamRequest(type: number, stream: bigint | number | null | undefined): StreamRequest {
  switch (type) {
    case DLDeviceType.kDLCUDA:
    case DLDeviceType.kDLCUDAManaged:
      return cudaRequest(type, stream);
    case DLDeviceType.kDLROCM:
      return rocmRequest(type, stream);
    default:
      if (stream === null || stream === undefined) return 'host';
      return refuse(stream, type, 'memory of the host takes none, pass null (rule 153)');
  }
}

function handleOf(type: number, stream: bigint | number): bigint | 'none' {
  if (typeof stream !== 'bigint' && !Number.isSafeInteger(stream)) {
    return refuse(stream, type, 'it must be a bigint or a whole number');
  }
  const handle = BigInt(stream);
  if (handle === -1n) return 'none';
  return handle < 0n || handle >= 2n ** 64n ? refuse(stream, type, 'it is no address of a stream') : handle;
}

function cudaRequest(type: number, stream: bigint | number | null | undefined): StreamRequest {
  if (stream === null || stream === undefined) return LEGACY;
  const handle = handleOf(type, stream);
  if (handle !== 0n) return handle;
  return refuse(
    stream,
    type,
    'ambiguous, pass 1 for the legacy or 2 for the per-thread default stream (rule 151)'
  );
}

/** ROCm has one default stream, 0; 1 and 2 are not valid (rule 152). */
function rocmRequest(type: number, stream: bigint | number | null | undefined): StreamRequest {
  if (stream === null || stream === undefined) return 0n;
  const handle = handleOf(type, stream);
  if (handle !== 1n && handle !== 2n) return handle;
  return refuse(stream, type, 'not a stream of ROCm, pass 0 for the default one (rule 152)');
}
