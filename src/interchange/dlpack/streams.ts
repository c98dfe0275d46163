/** The meaning of the `stream` argument of `__dlpack__` on each kind of device (rules 151 to 155). Pure. */

import { ArgumentError } from '../../base/errors.ts';
import { dlpackTypeName, DLDeviceType } from '../../protocols/dlpack-device.ts';
import { textOf } from '../../base/value-text.ts';

/** The handle of the stream that must wait; `none` requests no synchronization, `host` data that is ready on return. */
export type StreamRequest = bigint | 'none' | 'host';

interface StreamRules {
  /** The stream that null means. */
  readonly standard: bigint;
  readonly forbidden: readonly bigint[];
  readonly why: string;
}

const CUDA: StreamRules = {
  standard: 1n,
  forbidden: [0n],
  why: 'ambiguous, pass 1 for the legacy or 2 for the per-thread default stream (rule 151: streams)'
};
const ROCM: StreamRules = {
  standard: 0n,
  forbidden: [1n, 2n],
  why: 'not a stream of ROCm, pass 0 for the default one (rule 152: ROCm)'
};
const RULES: Readonly<Record<number, StreamRules>> = {
  [DLDeviceType.kDLCUDA]: CUDA,
  [DLDeviceType.kDLCUDAManaged]: CUDA,
  [DLDeviceType.kDLROCM]: ROCM
};

/** Returns the meaning of a stream argument. @throws ArgumentError for a stream that the device type does not allow */
export function streamRequest(type: number, stream: bigint | number | null | undefined): StreamRequest {
  const rules = RULES[type];
  if (stream === null || stream === undefined) return rules?.standard ?? 'host';
  if (rules === undefined)
    return refuse(stream, type, 'host memory has no stream, pass null (rule 153: host memory)');
  if (typeof stream !== 'bigint' && !Number.isSafeInteger(stream))
    return refuse(stream, type, 'expected a bigint or a whole number');
  const handle = BigInt(stream);
  if (handle === -1n) return 'none';
  if (handle < 0n || handle >= 2n ** 64n) return refuse(stream, type, 'not a stream handle');
  return rules.forbidden.includes(handle) ? refuse(stream, type, rules.why) : handle;
}

function refuse(stream: unknown, type: number, reason: string): never {
  throw new ArgumentError(`stream ${textOf(stream)} for ${dlpackTypeName(type)}: ${reason}`);
}
