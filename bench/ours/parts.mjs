/** The parts of each group, each of which runs in its own process. */
import { calls } from './calls.mjs';
import { curvesOf } from './curves.mjs';
import { graphs } from './graphs.mjs';
import { operations } from './operations.mjs';
import { products } from './products.mjs';
import { copies, oneProcess, processEach } from './several.mjs';
import { transfers } from './transfers.mjs';

/** @typedef {(timing: import('./timing.mjs').Timing, sizes: import('../measures.mjs').Sizes) => Promise<void> | void} Part */

/** @type {Readonly<Record<string, Readonly<Record<string, Part>>>>} */
export const parts = {
  calls,
  operations: { operations },
  products: { products },
  graphs: { graphs },
  transfers: { transfers },
  curves: { curves: curvesOf },
  several: { copies, oneProcess, processEach }
};
