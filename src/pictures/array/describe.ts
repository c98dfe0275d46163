/** Describes an array as plain JSON, for the widget and for the static picture. */

import type { NDArray } from '../../array/array.ts';
import { dlpackDevice, dlpackTypeName } from '../../protocols/dlpack-device.ts';
import { DeviceLostError } from '../../base/errors.ts';
import { look } from '../../core/look.ts';
import { deviceMeaning, streamArgumentRows, tensorRows } from './dlpack-rows.ts';
import { formatAddress, formatHandle } from './row.ts';
import { descriptorRows } from './rows.ts';
import {
  DESCRIPTION_VERSION,
  type ArrayDescription,
  type Lifetime,
  type PreviewDescription,
  type StreamState,
  type StreamUseDescription
} from './schema.ts';
import { shortTexts } from '../../base/short-texts.ts';
import { measureNow, notAutomatic } from './statistics.ts';
import type { StatisticsDescription } from './statistics-schema.ts';
import { exportedStream, isPending, requireDevice, streamToLook } from '../kit/streams.ts';
import { affordableElements } from '../kit/look-budget.ts';
import { readValues } from './values-page.ts';

export interface DescribeOptions {
  /** Whether the first values are copied: `true` waits for pending work, `false` never copies. By default, if nothing is pending. */
  readonly preview?: boolean | undefined;
  /** Known statistics. If omitted, they are measured if the preview may be copied and the array is not too large. */
  readonly statistics?: StatisticsDescription | undefined;
  /** Default: `live`, or `freed` when the array is. */
  readonly lifetime?: Lifetime | undefined;
}

const PREVIEW_ROWS = 6;
const PREVIEW_COLUMNS = 8;

/** Fields that describe an array's memory, and are reset when it is freed. */
type MemoryDescription = Pick<
  ArrayDescription,
  | 'lifetime'
  | 'pointer'
  | 'descriptor'
  | 'storage'
  | 'dlpack'
  | 'tensor'
  | 'streamArguments'
  | 'streams'
  | 'preview'
  | 'statistics'
>;

const FREED: MemoryDescription = {
  lifetime: 'freed',
  pointer: 'freed',
  descriptor: [],
  storage: null,
  dlpack: { typeName: '-', type: 0, id: 0, meaning: 'The memory was freed.' },
  tensor: [],
  streamArguments: [],
  streams: [],
  preview: null,
  statistics: { state: 'missing', reason: 'The memory was freed.', measurable: false }
};

const UNMEASURED: StatisticsDescription = {
  state: 'missing',
  reason: 'Not measured for this description.',
  measurable: true
};

/** Describes an array that was freed or collected, from its last description. */
export function describeFreed(last: ArrayDescription): ArrayDescription {
  // A dispose() would have been reported before.
  const collected = last.collected === true || last.lifetime === 'live';
  return { ...last, ...FREED, collected };
}

/** Describes an array; `lifetime` reports a freed array or a lost device. No recorder, listener or stream counter notices the read. */
export function describeArray(array: NDArray, options: DescribeOptions = {}): ArrayDescription {
  return look(() => {
    try {
      requireDevice(array);
      return describeNow(array, options);
    } catch (error) {
      if (!(error instanceof DeviceLostError)) throw error;
      return describeLost(describeNow(array, { ...options, preview: false }), error);
    }
  });
}

/** Describes an array on a lost device: its address and descriptor remain valid, its values do not. */
function describeLost(last: ArrayDescription, { message }: DeviceLostError): ArrayDescription {
  return {
    ...last,
    lifetime: 'lost',
    streams: last.streams.map(use => (use.state === 'destroyed' ? use : { ...use, state: 'lost' })),
    statistics: { state: 'missing', reason: message, measurable: false }
  };
}

function describeNow(array: NDArray, options: DescribeOptions): ArrayDescription {
  const { dtype, shape, strides, size, nbytes, readOnly, device } = array;
  return shortTexts({
    version: DESCRIPTION_VERSION,
    dtype: dtype.name,
    typestr: dtype.typestr ?? 'none',
    itemsize: dtype.itemsize,
    shape,
    strides,
    size,
    bytes: nbytes,
    readOnly,
    device: {
      label: device.label,
      name: device.name,
      simulated: device.simulated,
      totalBytes: device.totalMemory
    },
    capsules: null,
    ...(array.freed ? FREED : describeMemory(array, options))
  });
}

function describeMemory(array: NDArray, options: DescribeOptions): MemoryDescription {
  // Reading waits for pending work, so the streams are described after it.
  const asked = options.preview === true ? previewOf(array) : null;
  const streams = describeStreams(array);
  const look = options.preview ?? streams.every(use => use.state !== 'busy');
  const { storage, offset } = array;
  const [type, id] = dlpackDevice(storage);
  return {
    lifetime: options.lifetime ?? 'live',
    pointer: formatAddress(array.pointer),
    descriptor: descriptorRows(array),
    storage: { address: formatAddress(storage.pointer), bytes: storage.bytes, offset },
    dlpack: { typeName: dlpackTypeName(type), type, id, meaning: deviceMeaning(array) },
    tensor: tensorRows(array),
    streamArguments: streamArgumentRows(array),
    streams,
    preview: asked ?? (look ? previewOf(array) : null),
    statistics: options.statistics ?? (look ? measureNow(array) : (notAutomatic(array) ?? UNMEASURED))
  };
}

/** Describes the latest use of each stream, oldest first. */
function describeStreams(array: NDArray): StreamUseDescription[] {
  const exported = exportedStream(array.storage, array.exportedReadOnly);
  return array.storage.recentUses().map(({ stream, access, sequence }) => {
    const state: StreamState = stream.destroyed ? 'destroyed' : isPending(stream) ? 'busy' : 'idle';
    return {
      id: stream.id,
      label: stream.toString(),
      handle: formatHandle(stream.handle),
      state,
      access,
      sequence,
      // A read for a picture does not update the stream's count of completed work.
      completed: state === 'idle' ? stream.native.sequence : stream.native.completed,
      exported: stream === exported
    };
  });
}

/** Reads the first values over the last two axes, on the stream that last used the array. */
function previewOf(array: NDArray): PreviewDescription | null {
  if (streamToLook(array).destroyed || affordableElements(array) === 0) return null;
  const page = readValues(array, { rows: array.ndim === 1 ? 1 : PREVIEW_ROWS, columns: PREVIEW_COLUMNS });
  const { copiedBytes, stream, cells: rows } = page;
  const shown = rows.reduce((sum, row) => sum + row.length, 0);
  if (shown === 0) return { rows, truncated: false, copiedBytes, stream: '-' };
  return { rows, truncated: shown < array.size, copiedBytes, stream };
}
