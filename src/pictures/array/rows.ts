/** The rows of the descriptor table: each key of the CUDA Array Interface, its meaning here, and the rule that it keeps or breaks. */

import type { NDArray } from '../../array/array.ts';
import { exportedHandle } from '../../interchange/cai/export.ts';
import { caiSettings } from '../../interchange/settings.ts';
import { formatShape } from '../../layout/shape.ts';
import { extentOf, mayOverlap } from '../../layout/strides.ts';
import { formatBytes } from '../../base/bytes-text.ts';
import { formatCounted } from '../../base/count-text.ts';
import { formatAddress, rowsOf, type RowOf } from './row.ts';
import type { DescriptorRow } from './schema.ts';
import { exportedStream } from '../kit/streams.ts';

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

/** The keys of the interface, in the order of the specification. */
const INTERFACE: Readonly<Record<string, RowOf>> = {
  shape: ({ ndim, shape, size }) => [
    formatShape(shape),
    ndim === 0
      ? 'No axes: a single element.'
      : `${formatCounted(ndim, 'axis', 'axes')}, ${formatCounted(size, 'element')}.`,
    size === 0
      ? 'An array with a zero dimension is valid and exports pointer 0 (rule 55).'
      : 'A tuple of non-negative integers; () is one element (rule 15).'
  ],
  typestr({ dtype: { typestr, kind, itemsize, name } }) {
    if (typestr === null)
      return [
        'absent',
        `${name} has no typestr: a consumer would read it as another type. Exchange it with DLPack.`,
        'Types that have no typestr kind are not exported (rule 44).',
        'note'
      ];
    const order = typestr.startsWith('|') ? 'byte order has no meaning' : 'little-endian';
    const meaning = `${name}: ${KIND_WORDS[kind]}, ${formatCounted(itemsize, 'byte')}, ${order}.`;
    return [typestr, meaning, 'Byte order, kind, bytes; `|` where order has no meaning (rules 32 to 43).'];
  },
  data({ pointer, size, device, exportedReadOnly: readOnly }) {
    const value = `(${formatAddress(pointer)}, ${readOnly ? 'True' : 'False'})`;
    const access = readOnly ? 'the consumer must not write' : 'the consumer may write';
    if (size === 0) return [value, `No memory; ${access}.`, 'Zero-size arrays export pointer 0 (rule 55).'];
    if (device.simulated)
      return [
        value,
        `Address of the first element, in host memory that simulates a GPU; ${access}.`,
        'Consumers need a device-accessible pointer (rule 54): do not pass this one to a GPU library.',
        'note'
      ];
    return [
      value,
      `Address of the first logical element; ${access}.`,
      'Pointer, which includes the offset of a view, and read-only flag (rules 53, 58, 60).'
    ];
  },
  version() {
    const { exportVersion, exportStream } = caiSettings();
    if (exportVersion === 3 && exportStream)
      return [
        '3',
        'The latest version, with `stream`.',
        'Version 3 where stream semantics are kept (rule 4).'
      ];
    const meaning =
      exportVersion === 3
        ? 'STRIDELAB_CAI_EXPORT_STREAM=0: the stream is omitted, so the program is responsible for ordering.'
        : 'STRIDELAB_CAI_EXPORT_VERSION: an older version, which has no stream.';
    return [String(exportVersion), meaning, 'Selectable for old consumers (rules 12, 78).', 'note'];
  },
  strides({ shape, strides, dtype, exportedStrides: exported }) {
    if (exported === null)
      return [
        'None',
        'C-contiguous: the strides follow from the shape.',
        'Null exactly when C-contiguous (rules 17, 19).'
      ];
    const overlap = mayOverlap(shape, strides, dtype.itemsize);
    const words = [`Byte strides: ${exported.join(', ')}`];
    if (exported.some(stride => stride < 0))
      words.push('a negative stride addresses memory below the pointer');
    if (overlap) words.push('elements overlap, so the export is read-only');
    const rule = overlap
      ? 'Overlapping elements must not be written in parallel (rule 30).'
      : 'Bytes, one per axis, any sign (rules 18, 22, 23).';
    return [formatShape(exported), `${words.join('; ')}.`, rule, overlap ? 'note' : 'ok'];
  },
  descr({ dtype: { fields, itemsize } }) {
    if (fields === null)
      return [
        'absent',
        'Not structured: one unnamed field of the typestr.',
        'Optional; the default is one unnamed field (rule 45).'
      ];
    const names = fields.map(field => `${field.name}: ${field.dtype.name} at ${field.offset}`).join(', ');
    const rule = 'Names, types and sub-shapes; unnamed entries are padding (rules 46, 47).';
    return [`${fields.length} fields`, `A structure of ${itemsize} bytes: ${names}.`, rule];
  },
  mask({ mask }) {
    if (mask === null)
      return ['absent', 'Every element is valid.', 'Optional; absent means all valid (rule 49).'];
    const meaning = 'A separate array: elements are valid where it is true.';
    const rule = 'The mask has its own descriptor and stream (rules 50, 51).';
    return [`${mask.dtype.name} ${formatShape(mask.shape)}`, meaning, rule];
  },
  stream({ storage, exportedReadOnly }) {
    const stream = exportedStream(storage, exportedReadOnly);
    if (stream === null)
      return [
        'None',
        'No work is pending: consumers may use the data immediately.',
        'Null means no synchronization (rules 66, 81).'
      ];
    if (stream.handle === 2n)
      return [
        '1',
        'The work ran on the per-thread default stream; the legacy default stream waits for it.',
        'Handle 2 means a different stream in each thread, so it is not exported (rule 70).'
      ];
    if (exportedHandle(stream) === 1)
      return [
        '1',
        'The legacy default stream: consumers must synchronize with it.',
        '1 names the legacy default stream; 0 is forbidden (rules 67 to 69).'
      ];
    return [
      formatAddress(stream.handle),
      `${stream.toString()}: consumers must synchronize with this stream.`,
      'The stream that the array was last used on, as an integer (rules 71, 79).'
    ];
  },
  /** Our extension: an event instead of a wait on the stream, for consumers that support the key. */
  event: ({ storage, exportedReadOnly }) => [
    'absent',
    exportedStream(storage, exportedReadOnly) === null
      ? 'No work is pending, so there is nothing to wait for.'
      : 'On demand: `exportCudaArrayInterface(a, { event: true })` adds an event that consumers can wait for instead of the stream.',
    'Not in version 3: a Stridelab extension, which other consumers ignore (rules 11, 75).'
  ]
};

const MEMORY_WORDS = {
  host: 'Host memory',
  device: 'Device memory',
  array: 'A CUDA array',
  unified: 'Unified memory'
};

/** Values derived from several keys, and from the driver's pointer attributes. */
const DERIVED: Readonly<Record<string, RowOf>> = {
  itemsize: ({ dtype }) => [
    `${dtype.itemsize} B`,
    'Bytes of one element.',
    'The digits of the typestr (rule 32).'
  ],
  nbytes: ({ nbytes }) => [
    formatBytes(nbytes),
    'Elements times itemsize; a strided view spans more, a broadcast view less.',
    'Size is the product of the shape (rule 15).'
  ],
  contiguous({ isRowMajor, isColumnMajor }) {
    if (!isRowMajor && !isColumnMajor)
      return [
        'no',
        'Neither row-major nor column-major: a strided view.',
        'Explicit strides describe it (rule 18).',
        'note'
      ];
    return [
      [isRowMajor && 'C', isColumnMajor && 'F'].filter(Boolean).join(' and '),
      isRowMajor ? 'Elements follow each other without gaps.' : 'Column-major.',
      'Axes of length 1 are ignored (rule 21).'
    ];
  },
  alignment({ pointer, isAligned, dtype: { alignment: natural } }) {
    if (pointer === 0n)
      return ['-', 'No memory to align.', 'Only non-empty arrays have an address (rule 55).'];
    const alignment = pointer & -pointer;
    const shown = alignment >= 4096n ? '4096 B or more' : `${alignment} B`;
    return isAligned
      ? [shown, `Every element is aligned to ${natural} B.`, 'Typed loads need natural alignment (rule 64).']
      : [
          shown,
          `Not every element is aligned to ${natural} B.`,
          'Typed loads of such elements fault (rule 64).',
          'violation'
        ];
  },
  extent({ shape, strides, dtype, pointer, storage }) {
    const { start, end } = extentOf(shape, strides, dtype.itemsize);
    if (end === start)
      return ['empty', 'The array spans no bytes.', 'Zero-size arrays span no bytes (rule 24).'];
    const [first, last] = [pointer + BigInt(start), pointer + BigInt(end)];
    const value = `[${formatAddress(first)}, ${formatAddress(last)})`;
    const size = formatBytes(end - start);
    const range = storage.pointerAttributes(first);
    const broken = 'The bytes must lie inside one allocation (rule 25).';
    if (range === null) return [value, `${size}, not in a known device allocation.`, broken, 'violation'];
    if (first < range.rangeStart || last > range.rangeStart + BigInt(range.rangeBytes))
      return [value, 'Exceeds its allocation.', broken, 'violation'];
    return [
      value,
      `${size} from the lowest to the highest byte, in an allocation of ${formatBytes(range.rangeBytes)}.`,
      "The bytes lie inside the driver's address range (rules 24, 25)."
    ];
  },
  device({ device: { label, simulated, ordinal }, size, storage, pointer }) {
    const rule =
      'The descriptor contains no device: the driver reports the device of the pointer (rules 61 to 63, 98).';
    const found = size === 0 ? null : storage.pointerAttributes(pointer);
    if (found === null) return [label, 'There is no pointer to query.', rule];
    const words = found.managed ? 'Managed memory' : MEMORY_WORDS[found.memoryType];
    const reach = found.hostPointer === null ? 'the host cannot read it' : 'the host can read it too';
    const known = simulated
      ? 'Simulated device memory (host RAM).'
      : `${words} of device ${found.deviceOrdinal}; ${reach}.`;
    return found.deviceOrdinal === ordinal || found.managed
      ? [label, known, rule]
      : [label, `${known} It is used on another device.`, rule, 'note'];
  }
};

export function descriptorRows(array: NDArray): DescriptorRow[] {
  return [...rowsOf(INTERFACE, array), ...rowsOf(DERIVED, array, true)];
}
