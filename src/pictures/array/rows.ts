/** The rows of the descriptor table: each key of the CUDA Array Interface, what it means here, and which rule it keeps or breaks. */

import type { NDArray } from '../../array/array.ts';
import { exportedHandle } from '../../interchange/cai/export.ts';
import { caiSettings } from '../../interchange/settings.ts';
import { formatShape } from '../../layout/shape.ts';
import { extentOf, mayOverlap } from '../../layout/strides.ts';
import { formatBytes } from '../../base/bytes-text.ts';
import { formatCounted } from '../../base/count-text.ts';
import type { DescriptorRow, Verdict } from './schema.ts';
import { exportedStream } from '../kit/streams.ts';

/** Hexadecimal, as pointers are written. */
export function formatAddress(address: bigint): string {
  return `0x${address.toString(16)}`;
}

/** One row; `derived` from several keys. */
export function row(
  key: string,
  value: string,
  meaning: string,
  verdict: Verdict,
  rule: string,
  derived = false
): DescriptorRow {
  return { key, value, meaning, verdict, rule, derived };
}

const KIND_WORDS = {
  b: 'boolean',
  i: 'signed integer',
  u: 'unsigned integer',
  f: 'floating point',
  c: 'complex',
  m: 'time difference',
  M: 'date and time',
  S: 'byte string',
  U: 'character string',
  V: 'opaque bytes or structured'
} as const;

function shapeRow(array: NDArray): DescriptorRow {
  const meaning =
    array.ndim === 0
      ? 'No axes: a single element.'
      : `${formatCounted(array.ndim, 'axis', 'axes')}, ${formatCounted(array.size, 'element')}.`;
  const rule =
    array.size === 0
      ? 'An array with a zero dimension is valid and exports pointer 0 (rule 55).'
      : 'A tuple of non-negative integers; () is one element (rule 15).';
  return row('shape', formatShape(array.shape), meaning, 'ok', rule);
}

function typestrRow(array: NDArray): DescriptorRow {
  const { typestr, kind, itemsize, name } = array.dtype;
  if (typestr === null) {
    return row(
      'typestr',
      'absent',
      `${name} has no typestr: a consumer would read it as another type. Exchange it with DLPack.`,
      'note',
      'Types that have no typestr kind are not exported (rule 44).'
    );
  }
  const order = typestr.startsWith('|') ? 'byte order has no meaning' : 'little-endian';
  const meaning = `${name}: ${KIND_WORDS[kind]}, ${formatCounted(itemsize, 'byte')}, ${order}.`;
  return row(
    'typestr',
    typestr,
    meaning,
    'ok',
    'Byte order, kind, bytes; `|` where order has no meaning (rules 32 to 43).'
  );
}

function pointerRow(array: NDArray): DescriptorRow {
  const readOnly = array.exportedReadOnly;
  const value = `(${formatAddress(array.pointer)}, ${readOnly ? 'True' : 'False'})`;
  const access = readOnly ? 'the consumer must not write' : 'the consumer may write';
  if (array.size === 0) {
    return row('data', value, `No memory; ${access}.`, 'ok', 'Zero-size arrays export pointer 0 (rule 55).');
  }
  if (array.device.simulated) {
    return row(
      'data',
      value,
      `Address of the first element, in host memory that simulates a GPU; ${access}.`,
      'note',
      'Consumers need a device-accessible pointer (rule 54): do not pass this one to a GPU library.'
    );
  }
  return row(
    'data',
    value,
    `Address of the first logical element; ${access}.`,
    'ok',
    'Pointer, which includes the offset of a view, and read-only flag (rules 53, 58, 60).'
  );
}

function stridesRow(array: NDArray): DescriptorRow {
  const strides = array.exportedStrides;
  const overlapping = mayOverlap(array.shape, array.strides, array.dtype.itemsize);
  if (strides === null) {
    return row(
      'strides',
      'None',
      'C-contiguous: the strides follow from the shape.',
      'ok',
      'Null exactly when C-contiguous (rules 17, 19).'
    );
  }
  const words = [`Byte strides: ${strides.join(', ')}`];
  if (strides.some(stride => stride < 0)) words.push('a negative stride addresses memory below the pointer');
  if (overlapping) words.push('elements overlap, so the export is read-only');
  const meaning = `${words.join('; ')}.`;
  return overlapping
    ? row(
        'strides',
        formatShape(strides),
        meaning,
        'note',
        'Overlapping elements must not be written in parallel (rule 30).'
      )
    : row(
        'strides',
        formatShape(strides),
        meaning,
        'ok',
        'Bytes, one per axis, any sign (rules 18, 22, 23).'
      );
}

function streamRow(array: NDArray): DescriptorRow {
  const stream = exportedStream(array.storage, array.exportedReadOnly);
  const handle = exportedHandle(stream?.handle === 2n ? null : stream);
  if (stream === null) {
    return row(
      'stream',
      'None',
      'No work is pending: consumers may use the data immediately.',
      'ok',
      'Null means no synchronization (rules 66, 81).'
    );
  }
  if (stream.handle === 2n) {
    return row(
      'stream',
      '1',
      'The work ran on the per-thread default stream; the legacy default stream waits for it.',
      'ok',
      'Handle 2 means a different stream in each thread, so it is not exported (rule 70).'
    );
  }
  if (handle === 1) {
    return row(
      'stream',
      '1',
      'The legacy default stream: consumers must synchronize with it.',
      'ok',
      '1 names the legacy default stream; 0 is forbidden (rules 67 to 69).'
    );
  }
  return row(
    'stream',
    formatAddress(stream.handle),
    `${stream.toString()}: consumers must synchronize with this stream.`,
    'ok',
    'The stream that the array was last used on, as an integer (rules 71, 79).'
  );
}

function versionRow(): DescriptorRow {
  const { exportVersion, exportStream } = caiSettings();
  if (exportVersion === 3 && exportStream) {
    const rule = 'Version 3 where stream semantics are kept (rule 4).';
    return row('version', '3', 'The latest version, with `stream`.', 'ok', rule);
  }
  const meaning =
    exportVersion === 3
      ? 'STRIDELAB_CAI_EXPORT_STREAM=0: the stream is omitted, so the program is responsible for ordering.'
      : 'STRIDELAB_CAI_EXPORT_VERSION: an older version, which has no stream.';
  return row(
    'version',
    String(exportVersion),
    meaning,
    'note',
    'Selectable for old consumers (rules 12, 78).'
  );
}

function descrRow(array: NDArray): DescriptorRow {
  const { fields, itemsize } = array.dtype;
  if (fields === null) {
    const rule = 'Optional; the default is one unnamed field (rule 45).';
    return row('descr', 'absent', 'Not structured: one unnamed field of the typestr.', 'ok', rule);
  }
  const names = fields.map(field => `${field.name}: ${field.dtype.name} at ${field.offset}`).join(', ');
  const rule = 'Names, types and sub-shapes; unnamed entries are padding (rules 46, 47).';
  return row('descr', `${fields.length} fields`, `A structure of ${itemsize} bytes: ${names}.`, 'ok', rule);
}

function maskRow({ mask }: NDArray): DescriptorRow {
  if (mask === null)
    return row(
      'mask',
      'absent',
      'Every element is valid.',
      'ok',
      'Optional; absent means all valid (rule 49).'
    );
  const meaning = 'A separate array: elements are valid where it is true.';
  const rule = 'The mask has its own descriptor and stream (rules 50, 51).';
  return row('mask', `${mask.dtype.name} ${formatShape(mask.shape)}`, meaning, 'ok', rule);
}

/** Our extension: an event in place of a wait on the stream, for consumers that know the key. */
function eventRow(array: NDArray): DescriptorRow {
  const pending = exportedStream(array.storage, array.exportedReadOnly) !== null;
  return row(
    'event',
    'absent',
    pending
      ? 'On demand: `exportCudaArrayInterface(a, { event: true })` adds an event that consumers can wait for instead of the stream.'
      : 'No work is pending, so there is nothing to wait for.',
    'ok',
    'Not in version 3: a Stridelab extension, which other consumers ignore (rules 11, 75).'
  );
}

/** The keys of the interface, in the order of the document. */
function interfaceRows(array: NDArray): DescriptorRow[] {
  return [
    shapeRow(array),
    typestrRow(array),
    pointerRow(array),
    versionRow(),
    stridesRow(array),
    descrRow(array),
    maskRow(array),
    streamRow(array),
    eventRow(array)
  ];
}

function alignmentRow(array: NDArray): DescriptorRow {
  const { pointer } = array;
  const natural = array.dtype.alignment;
  if (pointer === 0n)
    return row(
      'alignment',
      '-',
      'No memory to align.',
      'ok',
      'Only non-empty arrays have an address (rule 55).',
      true
    );
  const alignment = pointer & -pointer;
  const shown = alignment >= 4096n ? '4096 B or more' : `${alignment} B`;
  return array.isAligned
    ? row(
        'alignment',
        shown,
        `Every element is aligned to ${natural} B.`,
        'ok',
        'Typed loads need natural alignment (rule 64).',
        true
      )
    : row(
        'alignment',
        shown,
        `Not every element is aligned to ${natural} B.`,
        'violation',
        'Typed loads of such elements fault (rule 64).',
        true
      );
}

function extentRow(array: NDArray): DescriptorRow {
  const { start, end } = extentOf(array.shape, array.strides, array.dtype.itemsize);
  if (end === start)
    return row(
      'extent',
      'empty',
      'The array spans no bytes.',
      'ok',
      'Zero-size arrays span no bytes (rule 24).',
      true
    );
  const first = array.pointer + BigInt(start);
  const value = `[${formatAddress(first)}, ${formatAddress(array.pointer + BigInt(end))})`;
  const range = array.storage.pointerAttributes(first);
  if (range === null) {
    return row(
      'extent',
      value,
      `${formatBytes(end - start)}, not in a known device allocation.`,
      'violation',
      'The bytes must lie inside one allocation (rule 25).',
      true
    );
  }
  const last = first + BigInt(end - start);
  const inside = first >= range.rangeStart && last <= range.rangeStart + BigInt(range.rangeBytes);
  const meaning = `${formatBytes(end - start)} from the lowest to the highest byte, in an allocation of ${formatBytes(range.rangeBytes)}.`;
  return inside
    ? row(
        'extent',
        value,
        meaning,
        'ok',
        "The bytes lie inside the driver's address range (rules 24, 25).",
        true
      )
    : row(
        'extent',
        value,
        'Exceeds its allocation.',
        'violation',
        'The bytes must lie inside one allocation (rule 25).',
        true
      );
}

function orderRow(array: NDArray): DescriptorRow {
  const orders = [array.isRowMajor && 'C', array.isColumnMajor && 'F'].filter(Boolean).join(' and ');
  return orders === ''
    ? row(
        'contiguous',
        'no',
        'Neither row-major nor column-major: a strided view.',
        'note',
        'Explicit strides describe it (rule 18).',
        true
      )
    : row(
        'contiguous',
        orders,
        orders === 'F' ? 'Column-major.' : 'Elements follow each other without gaps.',
        'ok',
        'Axes of length 1 are ignored (rule 21).',
        true
      );
}

const MEMORY_WORDS = {
  host: 'Host memory',
  device: 'Device memory',
  array: 'A CUDA array',
  unified: 'Unified memory'
};

function deviceRow(array: NDArray): DescriptorRow {
  const rule =
    'The descriptor contains no device: the driver reports the device of the pointer (rules 61 to 63, 98).';
  const found = array.size === 0 ? null : array.storage.pointerAttributes(array.pointer);
  if (found === null)
    return row('device', array.device.label, 'There is no pointer to query.', 'ok', rule, true);
  const words = found.managed ? 'Managed memory' : MEMORY_WORDS[found.memoryType];
  const reach = array.device.simulated
    ? "in truth the host's, which stands in for it"
    : found.hostPointer === null
      ? 'the host cannot read it'
      : 'the host can read it too';
  const known = `${words} of device ${found.deviceOrdinal}, says the driver; ${reach}.`;
  return found.deviceOrdinal === array.device.ordinal || found.managed
    ? row('device', array.device.label, known, 'ok', rule, true)
    : row('device', array.device.label, `${known} It is used on another device.`, 'note', rule, true);
}

/** Rows that follow from several keys, and from what the driver says of the pointer. */
function derivedRows(array: NDArray): DescriptorRow[] {
  return [
    row(
      'itemsize',
      `${array.dtype.itemsize} B`,
      'Bytes of one element.',
      'ok',
      'The digits of the typestr (rule 32).',
      true
    ),
    row(
      'nbytes',
      formatBytes(array.nbytes),
      'Elements times itemsize; a strided view spans more, a broadcast view less.',
      'ok',
      'Size is the product of the shape (rule 15).',
      true
    ),
    orderRow(array),
    alignmentRow(array),
    extentRow(array),
    deviceRow(array)
  ];
}

/** All rows; the interface's keys first. The array must be alive. @throws FreedError */
export function descriptorRows(array: NDArray): DescriptorRow[] {
  return [...interfaceRows(array), ...derivedRows(array)];
}
