/** Rows on DLPack: the tensor that an array would export, the effect of a stream argument, and outstanding capsules. Rules 107 to 171. */

import type { NDArray } from '../../array/array.ts';
import { dlpackCrossing, needsPaddedFlag } from '../../interchange/convert.ts';
import { dlpackDevice, dlpackTypeName, isHost } from '../../protocols/dlpack-device.ts';
import { FLAG } from '../../interchange/dlpack/fields.ts';
import { DLPACK_VERSION } from '../../protocols/dlpack.ts';
import type { CapsuleReport, Capsules } from '../../interchange/dlpack/watch.ts';
import { formatShape } from '../../layout/shape.ts';
import { formatAddress, row, rowsOf, type RowOf } from './row.ts';
import type { DescriptorRow } from './schema.ts';

/** DLDataTypeCode of dlpack.h 1.3, in the order of its numbers (rules 125, 127). */
const CODES = ['Int', 'UInt', 'Float', 'OpaqueHandle', 'Bfloat', 'Complex', 'Bool'] as const;

/** Names a type code: later ones are those of small floats, in the form of their dtypes. */
const codeName = (code: number, dtype: string): string =>
  `kDL${CODES[code] ?? dtype.replace(/^f/, 'F').replace(/_x\d+$/, '')}`;

/** The fields in struct order, for a consumer that requests the newest version without a copy. */
const TENSOR: Readonly<Record<string, RowOf>> = {
  capsule(array) {
    const refusal = dlpackCrossing(array).reason;
    if (refusal !== null)
      return [
        'none',
        `${refusal}.`,
        'Arrays that cannot be exported throw BufferError (rule 158).',
        'violation'
      ];
    return [
      'dltensor_versioned',
      'Contains a DLManagedTensorVersioned; named `dltensor` if the consumer passes no `max_version`.',
      'The name identifies the struct, and becomes `used_…` when consumed (rules 143, 164).'
    ];
  },
  version: () => [
    DLPACK_VERSION.join('.'),
    'The latest that Stridelab exports; consumers may request an older one.',
    'The lower of both sides; the consumer checks it (rules 107, 143, 146).'
  ],
  manager_ctx: () => [
    'set',
    'One reference to the memory, which the deleter releases.',
    'The deleter runs once, on any thread, and frees the struct too (rules 168 to 171).'
  ],
  flags({ exportedReadOnly, dtype }) {
    const flags = [
      exportedReadOnly ? (['read-only', FLAG.READ_ONLY] as const) : null,
      needsPaddedFlag(dtype) ? (['padded to whole bytes', FLAG.SUBBYTE_PADDED] as const) : null
    ].filter(flag => flag !== null);
    return [
      String(flags.reduce((bits, [, bit]) => bits | bit, 0)),
      flags.length === 0
        ? 'None: the consumer shares the memory and may write.'
        : `${flags.map(([word, bit]) => `${word} (${bit})`).join(', ')}.`,
      '1 read-only, 2 copied (with `copy: true`), 4 sub-byte types padded (rules 128, 137 to 140).'
    ];
  },
  data: ({ pointer, size }) => [
    formatAddress(pointer),
    size === 0 ? 'NULL: there are no elements.' : 'Address of the first logical element.',
    'May be NULL for an empty tensor; its alignment is not promised (rules 111, 112).'
  ],
  device(array) {
    const [type, id] = dlpackDevice(array.storage);
    return [
      `(${type}, ${id})`,
      `${dlpackTypeName(type)}, id ${id}. ${deviceMeaning(array)}`,
      '`__dlpack_device__()` gives the same pair, and touches neither data nor streams (rules 132, 134, 141).'
    ];
  },
  ndim: ({ ndim }) => [String(ndim), 'Axes.', '0 is one element, without shape and strides (rule 115).'],
  dtype({ dtype: { name, dlpack } }) {
    if (dlpack === null)
      return [
        'none',
        `DLPack has no type code for ${name}.`,
        'Exporting it throws BufferError (rule 131).',
        'violation'
      ];
    const { code, bits, lanes } = dlpack;
    return [
      `(${code}, ${bits}, ${lanes})`,
      `Code ${codeName(code, name)}, ${bits} bits, ${lanes === 1 ? 'one lane' : `${lanes} lanes`}.`,
      'The code, the bits of one lane, and the lanes (rules 123 to 129).'
    ];
  },
  shape: ({ shape }) => [
    formatShape(shape),
    'Elements along each axis.',
    'Valid until the deleter runs (rule 121).'
  ],
  strides({ dtype: { itemsize }, shape, strides }) {
    const odd = strides.findIndex((stride, axis) => shape[axis]! > 1 && stride % itemsize !== 0);
    if (odd >= 0)
      return [
        'none',
        `The stride of axis ${odd}, ${strides[odd]} bytes, is not a multiple of the itemsize, ${itemsize}: only a copy can be exported.`,
        'Strides count elements; other strides throw BufferError (rule 120).',
        'violation'
      ];
    const elements = strides.map(stride => (stride % itemsize === 0 ? stride / itemsize : 1));
    return [
      formatShape(elements),
      `In elements; in bytes ${formatShape(strides)}.`,
      'Signed, in elements, and present for contiguous tensors too (rules 116, 118).'
    ];
  },
  byte_offset: () => [
    '0',
    '`data` contains the whole address.',
    'Consumers add it to `data`; some forget to (rules 113, 114).'
  ]
};

export const tensorRows = (array: NDArray): DescriptorRow[] => rowsOf(TENSOR, array);

export function deviceMeaning({ device }: NDArray): string {
  return device.simulated
    ? 'Simulated device memory is host memory, so it is exported as CPU data: no library will use the address on a GPU.'
    : `Device memory of GPU ${device.ordinal} (${device.name}).`;
}

const CUDA_ARGUMENTS: readonly DescriptorRow[] = [
  row('None', [
    'as 1',
    'Consumers that pass no stream usually mean the legacy default stream.',
    'Omitted means the legacy default (rule 151).'
  ]),
  row('-1', [
    'no wait',
    'No synchronization: the consumer is responsible for ordering. Used in graph captures, and after a wait.',
    'The producer must not synchronize (rules 84, 151).',
    'note'
  ]),
  row('0', [
    'rejected',
    'It could mean 1 or 2.',
    'Ambiguous on CUDA, and forbidden (rules 151, 155).',
    'violation'
  ]),
  row('1', [
    'waits',
    "The legacy default stream waits for the array's work, on the device.",
    'The legacy default stream (rules 151, 154).'
  ]),
  row('2', [
    'waits',
    'The per-thread default stream of the calling thread waits.',
    'Means a different stream in each thread (rules 70, 156).'
  ]),
  row('a handle', [
    'waits',
    'This stream waits for all pending work of the array, with events; the host does not wait.',
    'The consumer keeps its stream alive during the call (rules 151, 154, 161).'
  ])
];

/** Host memory is ready when it is exported, so it takes no stream; the rows still explain each value's meaning on CUDA. */
const HOST_ARGUMENTS: readonly DescriptorRow[] = [
  row('None', [
    'accepted',
    'The call waits until the data is ready: host memory has no stream.',
    'Host memory accepts only None (rules 147, 153).'
  ]),
  ...CUDA_ARGUMENTS.slice(1).map(({ key, meaning, rule }) =>
    row(key, [
      'rejected here',
      `On CUDA: ${meaning}`,
      `Host memory accepts only None (rule 153). ${rule}`,
      'note'
    ])
  )
];

/** Returns the effect of `__dlpack__(stream=…)` for each value that a consumer may pass. @throws FreedError */
export function streamArgumentRows(array: NDArray): readonly DescriptorRow[] {
  return isHost(dlpackDevice(array.storage)[0]) ? HOST_ARGUMENTS : CUDA_ARGUMENTS;
}

const STATES = {
  exported: [
    'Not consumed yet: the memory stays until the capsule is consumed, disposed or collected.',
    'note',
    'A capsule that is never consumed deletes its tensor (rule 167).'
  ],
  consumed: [
    'A consumer has the tensor: the memory stays until the consumer calls the deleter.',
    'note',
    'Consumed once; from then on the consumer owns the deleter (rules 165, 166, 168).'
  ],
  deleted: [
    'The deleter ran: this export has released the memory.',
    'ok',
    'Exactly once, on any thread (rules 168, 171).'
  ]
} as const;

/** Names who requested a tensor, as a sentence; empty for JavaScript. */
function askerOf({ way, asker }: CapsuleReport): string {
  const module = asker === '' ? '' : `, in module ${asker}`;
  if (way === 'native-table') return 'Exported to native code through the exchange table. ';
  if (way === 'python-table') return `Exported to native code through Python's exchange table${module}. `;
  return way === 'python' || asker !== '' ? `Requested by Python${module}. ` : '';
}

function tensorRow(report: CapsuleReport): DescriptorRow {
  const { id, name, state, at, copied } = report;
  const [meaning, verdict, rule] = STATES[state];
  const time = new Date(at).toISOString().slice(11, 19);
  const what = copied ? `Exports a copy. ${meaning}` : meaning;
  return row(`${id} ${name}`, [`${state}, created ${time} UTC`, `${askerOf(report)}${what}`, rule, verdict]);
}

/** Returns a row per capsule, oldest first; `value` begins with the state, or with the number of capsules without further details. */
export function capsuleRows({ reports, others }: Capsules): DescriptorRow[] {
  const rows = reports.map(tensorRow);
  if (others === 0) return rows;
  const early = row('earlier', [
    `${others} outstanding`,
    'Exported before this inspector was opened, or too long ago to list: the memory stays until their deleters run.',
    'Each export holds one reference to the memory (rules 168, 171).',
    'note'
  ]);
  return [early, ...rows];
}
