/** `stridelab/collectives`: collective operations over several devices. Loads all members of arrays. */

import './index.ts';

export * from './collectives/index.ts';
