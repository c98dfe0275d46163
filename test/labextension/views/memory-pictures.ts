/** Memory pictures for tests of the view, and drawing features that jsdom lacks. */

import {
  ALLOCATION_FIELDS,
  FAILURE_FIELDS,
  MEMORY_PICTURE_VERSION,
  SEGMENT_FIELDS,
  type AllocationField,
  type FailureField,
  type MemoryDevice,
  type MemoryPicture,
  type MemoryRows,
  type SegmentField
} from '../../../src/pictures/memory/schema.ts';

/** Has no layout and draws nothing. */
export function withoutDrawing(): void {
  globalThis.ResizeObserver ??= class {
    observe(): void {}
    unobserve(): void {}
    disconnect(): void {}
  };
  window.matchMedia ??= (() => new EventTarget()) as unknown as typeof window.matchMedia;
  HTMLCanvasElement.prototype.getContext = () => null;
}

type Values<Field extends string> = Partial<Record<Field, number | string>>;

/** Rows of named values; texts become indexes, omitted values are -1. */
export function rowsOf(
  allocations: readonly Values<AllocationField>[],
  segments: readonly Values<SegmentField>[] = [],
  failures: readonly Values<FailureField>[] = []
): MemoryRows {
  const texts: string[] = [];
  const pack = <Field extends string>(
    fields: readonly Field[],
    list: readonly Values<Field>[],
    defaults: Values<Field>
  ): number[] =>
    list.flatMap(row =>
      fields.map(field => {
        const value = row[field] ?? defaults[field] ?? -1;
        return typeof value === 'number' ? value : texts.push(value) - 1;
      })
    );
  return {
    allocations: pack(ALLOCATION_FIELDS, allocations, { device: 0, kind: 0, named: 1, requested: 0 }),
    segments: pack(SEGMENT_FIELDS, segments, { device: 0 }),
    failures: pack(FAILURE_FIELDS, failures, { device: 0 }),
    texts
  };
}

export const device: MemoryDevice = {
  label: 'sim:0',
  name: 'Stridelab simulated device',
  simulated: true,
  total: 8 * 2 ** 30,
  free: 8 * 2 ** 30 - 4 * 2 ** 20,
  used: 3 * 2 ** 20,
  kept: 2 ** 20,
  largest: 2 ** 20,
  holes: 2 ** 20,
  peak: 3 * 2 ** 20,
  peakAfter: 2,
  managers: ['BestFitPoolMemoryManager'],
  history: [0, 0, 10, 2 ** 20, 20, 3 * 2 ** 20]
};

/** `a` of 1 MiB before the log, `b` of 2 MiB from event 0, freed by event 2, `c` of 1 MiB from event 1, a refusal at 3. */
export function pictureOf(changes: Partial<MemoryPicture> = {}): MemoryPicture {
  const MEBI = 2 ** 20;
  return {
    version: MEMORY_PICTURE_VERSION,
    state: 'recording',
    start: 1,
    now: 2000,
    first: 0,
    next: 4,
    dropped: 0,
    devices: [device],
    rows: rowsOf(
      [
        { id: 0, pointer: 0x10000000, bytes: MEBI, owner: 'a' },
        {
          id: 1,
          pointer: 0x10100000,
          bytes: 2 * MEBI,
          owner: 'b',
          made: 0,
          madeAt: 100,
          freed: 2,
          freedAt: 300,
          cell: 'In [1]'
        },
        {
          id: 2,
          pointer: 0x10300000,
          bytes: MEBI,
          owner: 'c (view d)',
          made: 1,
          madeAt: 200,
          cell: 'In [2]',
          what: 'float32 (512, 512)',
          stream: 'stream #3',
          stack: 'at Cell [2]:1:9\nat Cell [2]:4:1'
        }
      ],
      [{ id: 3, pointer: 0x10000000, bytes: 4 * MEBI }],
      [
        {
          number: 3,
          at: 400,
          bytes: 2 ** 40,
          free: MEBI,
          pooled: 2 * MEBI,
          largest: 2 * MEBI,
          cell: 'In [3]',
          reason: 'Too large: the device has 1.0 MiB free.'
        }
      ]
    ),
    complete: true,
    omitted: 0,
    ...changes
  };
}
