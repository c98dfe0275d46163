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
  type DlpackDeviceDescription,
  type Lifetime,
  type PreviewDescription,
  type StorageDescription,
  type StreamState,
  type StreamUseDescription
} from './schema.ts';
import { shortTexts } from '../../base/short-texts.ts';
import { measureNow, notUnasked } from './statistics.ts';
import type { StatisticsDescription } from './statistics-schema.ts';
import { exportedStream, isPending, requireDevice, streamToLook } from '../kit/streams.ts';
import { affordableElements } from '../kit/look-budget.ts';
import { readValues } from './values-page.ts';

export interface DescribeOptions {
  /**
   * Whether the first values are copied to the host: `true` waits for pending work, `false` never copies.
   * If omitted, they are copied when nothing is pending.
   */
  readonly preview?: boolean | undefined;
  /** Known statistics. If omitted, they are measured if the preview may be copied and the array is not too large. */
  readonly statistics?: StatisticsDescription | undefined;
  /** Default: `live`, or `freed` when the array is. */
  readonly lifetime?: Lifetime | undefined;
}

/** Number of rows and columns in a preview. */
const PREVIEW_ROWS = 6;
const PREVIEW_COLUMNS = 8;

const FREED_DLPACK: DlpackDeviceDescription = {
  typeName: '-',
  type: 0,
  id: 0,
  meaning: 'The memory was freed.'
};

const FREED_STATISTICS: StatisticsDescription = {
  state: 'missing',
  reason: 'The memory was freed.',
  measurable: false
};

/** Describes an array that was freed or collected, from its last description. */
export function describeGone(last: ArrayDescription): ArrayDescription {
  return {
    ...last,
    lifetime: 'freed',
    // A dispose() would have been reported before.
    collected: last.collected === true || last.lifetime === 'live',
    pointer: 'freed',
    descriptor: [],
    storage: null,
    dlpack: FREED_DLPACK,
    tensor: [],
    streamArguments: [],
    streams: [],
    preview: null,
    statistics: FREED_STATISTICS
  };
}

/**
 * Describes an array. Never throws for a freed array or a lost device, even if this read detects the loss:
 * `lifetime` reports it. No recorder, listener or stream counter notices the read.
 */
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
  const freed = array.freed;
  // Reading waits for pending work, so the streams are described after it.
  const asked = !freed && options.preview === true ? previewOf(array) : null;
  const streams = freed ? [] : describeStreams(array);
  const idle = streams.every(use => use.state !== 'busy');
  const preview = !freed && (options.preview ?? idle);
  return shortTexts({
    version: DESCRIPTION_VERSION,
    lifetime: freed ? 'freed' : (options.lifetime ?? 'live'),
    dtype: array.dtype.name,
    typestr: array.dtype.typestr ?? 'none',
    itemsize: array.dtype.itemsize,
    shape: array.shape,
    strides: array.strides,
    size: array.size,
    bytes: array.nbytes,
    pointer: freed ? 'freed' : formatAddress(array.pointer),
    readOnly: array.readOnly,
    device: {
      label: array.device.label,
      name: array.device.name,
      simulated: array.device.simulated,
      totalBytes: array.device.totalMemory
    },
    descriptor: freed ? [] : descriptorRows(array),
    storage: freed ? null : describeStorage(array),
    dlpack: freed ? FREED_DLPACK : describeDlpack(array),
    tensor: freed ? [] : tensorRows(array),
    streamArguments: freed ? [] : streamArgumentRows(array),
    capsules: null,
    streams,
    preview: asked ?? (preview ? previewOf(array) : null),
    statistics: freed ? FREED_STATISTICS : (options.statistics ?? statisticsOf(array, preview))
  });
}

/** Measures statistics if the values may be read. */
function statisticsOf(array: NDArray, look: boolean): StatisticsDescription {
  if (look) return measureNow(array);
  return (
    notUnasked(array) ?? { state: 'missing', reason: 'Not measured for this description.', measurable: true }
  );
}

function describeStorage({ storage, offset }: NDArray): StorageDescription {
  return { address: formatAddress(storage.pointer), bytes: storage.bytes, offset };
}

function describeDlpack(array: NDArray): DlpackDeviceDescription {
  const [type, id] = dlpackDevice(array.storage);
  return { typeName: dlpackTypeName(type), type, id, meaning: deviceMeaning(array) };
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
      // A read for a picture does not tell the stream that its work is complete.
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
