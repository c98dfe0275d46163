/** Hand-written descriptions in the kernel's format, one for each situation that a view must show. */

import { DESCRIPTION_VERSION } from '../../src/pictures/array/schema.ts';
import type { MeasuredStatistics, MissingStatistics } from '../../src/pictures/array/statistics-schema.ts';
import type {
  ArrayDescription,
  DescriptorRow,
  StreamUseDescription
} from '../../src/pictures/array/schema.ts';

const row = (
  key: string,
  value: string,
  meaning: string,
  more: Partial<Pick<DescriptorRow, 'verdict' | 'rule' | 'derived'>> = {}
): DescriptorRow => ({
  key,
  value,
  meaning,
  verdict: 'ok',
  rule: `CAI v3: a rule about ${key} (rule 19)`,
  derived: false,
  ...more
});

const derived = { derived: true };

export const streamOne: StreamUseDescription = {
  id: 1,
  label: 'stream #1',
  handle: '0x5581f0a3c2d0',
  state: 'idle',
  access: 'write',
  sequence: 3,
  completed: 3,
  exported: true
};

/** Statistics of the numbers 0 to 11. */
export const measured: MeasuredStatistics = {
  state: 'measured',
  note: 'measured on stream #1, 192 B copied',
  minimum: '0',
  maximum: '11',
  mean: '5.5',
  histogram: {
    counts: [1, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1],
    low: 0,
    width: 0.6875,
    whole: false,
    below: 0,
    above: 0,
    nan: 0,
    positiveInfinity: 0,
    negativeInfinity: 0,
    masked: 0,
    stream: 'stream #1',
    copiedBytes: 192
  },
  stale: false
};

export const unmeasured = (reason: string, measurable: boolean): MissingStatistics => ({
  state: 'missing',
  reason,
  measurable
});

/** A row-major 3 by 4 array of float32 on the simulated device, written once by stream 1. */
export const live: ArrayDescription = {
  version: DESCRIPTION_VERSION,
  lifetime: 'live',
  dtype: 'float32',
  typestr: '<f4',
  itemsize: 4,
  shape: [3, 4],
  strides: [16, 4],
  size: 12,
  bytes: 48,
  pointer: '0x7f8a5c000200',
  readOnly: false,
  device: { label: 'sim:0', name: 'Stridelab simulated device', simulated: true, totalBytes: 8 * 1024 ** 3 },
  descriptor: [
    row('shape', '(3, 4)', 'Elements along each axis.', {
      rule: 'CAI v3: shape is a tuple of integers (rule 12)'
    }),
    row('typestr', '<f4', 'Little-endian 4-byte floating point, as NumPy writes it.'),
    row('data', '(0x7f8a5c000200, False)', 'Address of the first element, and whether it is read-only.', {
      verdict: 'note',
      rule: 'CAI v3: the pointer must be accessible from a CUDA context; this one is host memory of the simulated device (rule 27)'
    }),
    row('version', '3', 'Version of the protocol that this descriptor follows.'),
    row(
      'strides',
      'None',
      'Bytes from one element to the next along each axis; None for a C-contiguous array.',
      {
        rule: 'CAI v3: strides are null when the array is C-contiguous (rule 19)'
      }
    ),
    row('stream', '0x5581f0a3c2d0', 'Stream that a consumer must wait for before it touches the data.'),
    row('itemsize', '4', 'Bytes of one element, from typestr.', derived),
    row('alignment', '512', 'Largest power of two that divides the address, at most 512.', derived),
    row('contiguity', 'C', 'Rows are stored one after the other without gaps.', derived),
    row('extent', '[0, 48)', 'Bytes that the array covers, relative to its address.', derived)
  ],
  storage: { address: '0x7f8a5c000200', bytes: 48, offset: 0 },
  dlpack: { typeName: 'kDLCPU', type: 1, id: 0, meaning: 'Memory that the CPU reads directly.' },
  tensor: [row('capsule', 'dltensor_versioned', 'Holds a tensor.'), row('flags', '0', 'None.')],
  streamArguments: [
    row('None', 'accepted', 'The call waits.'),
    row('0', 'refused', 'Ambiguous.', { verdict: 'note' })
  ],
  capsules: null,
  streams: [streamOne],
  preview: {
    rows: [
      ['0', '1', '2', '3'],
      ['4', '5', '6', '7'],
      ['8', '9', '10', '11']
    ],
    truncated: false,
    copiedBytes: 48,
    stream: 'stream #1'
  },
  statistics: measured
};

/** Every second column of a transposed array, from its end: explicit strides, one of them negative. */
export const strided: ArrayDescription = {
  ...live,
  shape: [4, 2],
  strides: [4, -32],
  size: 8,
  bytes: 32,
  pointer: '0x7f8a5c000220',
  storage: { address: '0x7f8a5c000200', bytes: 48, offset: 32 },
  descriptor: live.descriptor.map(item =>
    item.key === 'strides'
      ? { ...item, value: '(4, -32)', verdict: 'note', rule: 'CAI v3: strides may be negative (rule 21)' }
      : item
  )
};

/** A freed array as the kernel describes it. */
export const freed: ArrayDescription = {
  ...live,
  lifetime: 'freed',
  pointer: 'freed',
  descriptor: [],
  storage: null,
  tensor: [],
  streamArguments: [],
  dlpack: { typeName: '-', type: 0, id: 0, meaning: 'The memory was freed.' },
  streams: [],
  preview: null,
  statistics: unmeasured('The memory was freed.', false)
};

export const zeroDimensional: ArrayDescription = {
  ...live,
  shape: [],
  strides: [],
  size: 1,
  bytes: 4,
  preview: { rows: [['42']], truncated: false, copiedBytes: 4, stream: 'stream #1' }
};

export const zeroSize: ArrayDescription = {
  ...live,
  shape: [0, 4],
  size: 0,
  bytes: 0,
  streams: [],
  preview: { rows: [], truncated: false, copiedBytes: 0, stream: 'stream #1' },
  statistics: unmeasured('The array has no elements.', false)
};

/** A descriptor from another library that violates a rule. */
export const violating: ArrayDescription = {
  ...live,
  descriptor: live.descriptor.map(item =>
    item.key === 'stream'
      ? {
          ...item,
          value: '0',
          verdict: 'violation',
          rule: 'CAI v3: stream 0 is ambiguous and not allowed (rule 41)'
        }
      : item
  )
};

/** The array was written on stream 1 and is being read on stream 2: both are pending. */
export const busy: ArrayDescription = {
  ...live,
  streams: [
    { ...streamOne, state: 'busy', sequence: 4 },
    {
      id: 2,
      label: 'stream #2',
      handle: '0x5581f0a3c9f0',
      state: 'busy',
      access: 'read',
      sequence: 7,
      completed: 5,
      exported: false
    }
  ]
};

/** An array of a lost device as the kernel describes it. */
export const lost: ArrayDescription = {
  ...busy,
  lifetime: 'lost',
  streams: busy.streams.map(use => ({ ...use, state: 'lost' })),
  preview: null,
  statistics: unmeasured('cuStreamQuery failed: the device is lost to this process.', false)
};

/** Three axes, more values than a preview holds, on a GPU. */
export const large: ArrayDescription = {
  ...live,
  dtype: 'float64',
  itemsize: 8,
  storage: { address: '0x7f8a5c000200', bytes: 16_777_216, offset: 0 },
  shape: [8, 512, 512],
  strides: [2_097_152, 4096, 8],
  size: 2_097_152,
  bytes: 16_777_216,
  device: { label: 'cuda:0', name: 'NVIDIA H100 80GB HBM3', simulated: false, totalBytes: 85_017_493_504 },
  dlpack: { typeName: 'kDLCUDA', type: 2, id: 0, meaning: 'Memory of an NVIDIA GPU.' },
  preview: {
    rows: Array.from({ length: 6 }, (_, i) => Array.from({ length: 8 }, (__, j) => String((i * 8 + j) / 8))),
    truncated: true,
    copiedBytes: 384,
    stream: 'stream #1'
  }
};
