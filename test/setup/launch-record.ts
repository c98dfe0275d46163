/** Records of launches that need no addon, for tests of their picture. */

import { describeLaunch } from '../../src/pictures/launch/describe.ts';
import type { LaunchPicture } from '../../src/pictures/launch/schema.ts';
import type { RecordedLaunch } from '../../src/kernels/launch/recorded.ts';
import type { ElementType } from '../../src/kernels/program/types.ts';

type Facts = RecordedLaunch['facts'];

/** An access of a warp, or with `into` a branch. Offsets are bytes, for each active lane. */
export interface Entry {
  readonly line: number;
  readonly kind?: 'read' | 'write' | 'atomic';
  /** 0 and 1 are the parameters x and y, 2 is s in shared memory. */
  readonly array?: 0 | 1 | 2;
  readonly lanes?: number;
  readonly offset?: (lane: number) => number;
  readonly into?: number;
  readonly block?: number;
  readonly warp?: number;
  readonly file?: number;
}

export interface LaunchOptions {
  readonly element?: ElementType;
  readonly bytes?: number;
  /** The address of x, modulo 128. */
  readonly base?: number;
  readonly text?: string;
  readonly facts?: Partial<Facts>;
}

const ALL = 0xffffffff;
const TEXT = `(x: DeviceArray<f32>, y: DeviceArray<f32>) => {
    const i = cuda.grid(1);
    y[i] = x[i];
  }`;

/** A function of another file. */
const HELPER = {
  text: `function twice(x: DeviceArray<f32>, i: i32) {
  return 2 * x[i];
}`,
  file: 'helpers.ts',
  line: 2,
  column: 0,
  captured: {}
};

const wordsOf = (entry: Entry, bytes: number): number[] => {
  const {
    line,
    kind = 'read',
    array = 0,
    lanes = ALL,
    offset = lane => 4 * lane,
    block = 0,
    warp = 0
  } = entry;
  const place = line + 100 * (entry.file ?? 0);
  if (entry.into !== undefined) return [3, place, block, warp, lanes, entry.into];
  const active = Array.from({ length: 32 }, (_, lane) => lane).filter(lane => ((lanes >>> lane) & 1) === 1);
  const head = [['read', 'write', 'atomic'].indexOf(kind), place, block, warp, lanes, array, bytes];
  return [...head, ...active.map(offset)];
};

/** Describes a launch of 4 blocks of 64 threads that recorded the entries; the kernel starts on line 1 of cell 1. */
export function launchPicture(entries: readonly Entry[], options: LaunchOptions = {}): LaunchPicture {
  const { element = 'f32', bytes = 4, base = 0, text = TEXT, facts = {} } = options;
  const parameter = {
    kind: 'array',
    element,
    rank: 1,
    contiguous: true,
    wide: false,
    readOnly: false
  } as const;
  const place = { line: 1, column: 0, length: 1, file: 0 };
  const program = {
    name: 'smooth',
    parameters: ['x', 'y'].map(name => ({ ...parameter, name, restrict: false })),
    variables: [],
    memories: [{ space: 'shared', name: 's', element, shape: [1024], dynamic: false, place } as const],
    tables: [],
    body: [],
    files: [{ name: 'cell 1' }, { name: 'helpers.ts' }],
    cooperative: false
  };
  return describeLaunch({
    facts: {
      sources: [{ text, file: 'cell 1', line: 1, column: 0, captured: {} }, HELPER],
      program,
      device: { label: 'sim:0', simulated: true } as Facts['device'],
      shape: { grid: 4, block: 64 },
      arrays: [
        { shape: [256], base },
        { shape: [256], base: 0 }
      ],
      check: { faults: [] },
      record: {
        complete: true,
        blocks: 4,
        places: Array.from({ length: 200 }, (_, index) => ({
          line: index % 100,
          column: 0,
          length: 1,
          file: Math.floor(index / 100)
        })),
        words: entries.flatMap(entry => wordsOf(entry, bytes))
      },
      gpu: null,
      ...facts
    }
  });
}
