/** The shape of a launch: grid, block, stream and dynamic shared memory. */

import { ArgumentError } from '../base/errors.ts';
import { textOf } from '../base/value-text.ts';
import type { Stream } from '../core/stream.ts';
import { LAUNCH_WORD } from '../native/words.ts';

/** The size of a grid or block: one number, or up to three for x, y and z. */
export type Extent = number | readonly [x: number, y?: number, z?: number];

/** How a kernel is launched. */
export interface LaunchShape {
  /** The number of blocks. */
  readonly grid: Extent;
  /** The number of threads per block. */
  readonly block: Extent;
  /** The stream to launch on; by default the first array's stream, otherwise the legacy default stream. */
  readonly stream?: Stream | undefined;
  /** Bytes of dynamic shared memory. Default 0. */
  readonly sharedBytes?: number | undefined;
  /**
   * The thread of a kernel in TypeScript where breakpoints stop while it is debugged on a simulated device, with its block; both count
   * from 0, the default. Without this, the first thread that reaches a breakpoint.
   */
  readonly debug?: ThreadChoice | undefined;
}

/** A thread, by its indices. */
export interface ThreadChoice {
  /** The index of the block along x, or along x, y and z. */
  readonly block?: Extent | undefined;
  /** The index of the thread in its block. */
  readonly thread?: Extent | undefined;
}

/** What drivers accept: the greatest signed number of 32 bits. */
const MOST_COUNT = 0x7fff_ffff;

/** Checks a size of the launch. @throws ArgumentError for anything but an integer from `least` */
function toCount(value: unknown, least: 0 | 1, what: string, axis = ''): number {
  const number = typeof value === 'number' && Number.isInteger(value) && value >= least;
  if (number && value <= MOST_COUNT) return value;
  const expected = number ? `at most ${MOST_COUNT}` : `a whole number from ${least}`;
  throw new ArgumentError(`${what}${axis}: expected ${expected}, not ${textOf(value)}`);
}

function writeExtent(config: Uint32Array, at: number, extent: unknown, what: string): void {
  if (Array.isArray(extent)) {
    const list = extent as readonly unknown[];
    if (list.length < 1 || list.length > 3)
      throw new ArgumentError(`${what}: expected 1 to 3 lengths, not ${list.length}`);
    config[at] = toCount(list[0], 1, what, ' along x');
    config[at + 1] = toCount(list[1] ?? 1, 1, what, ' along y');
    config[at + 2] = toCount(list[2] ?? 1, 1, what, ' along z');
  } else {
    config[at] = toCount(extent, 1, what);
    config[at + 1] = 1;
    config[at + 2] = 1;
  }
}

/** Writes grid, block and shared memory to the words of a launch. @throws ArgumentError */
export function writeLaunch(config: Uint32Array, options: LaunchShape): void {
  writeExtent(config, LAUNCH_WORD.grid, options.grid, 'grid');
  writeExtent(config, LAUNCH_WORD.block, options.block, 'block');
  config[LAUNCH_WORD.sharedBytes] = toCount(options.sharedBytes ?? 0, 0, 'sharedBytes');
}
