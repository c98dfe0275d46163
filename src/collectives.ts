/** `stridelab/collectives`: operations over several devices, with all members of arrays. */

import './index.ts';

export * from './collectives/index.ts';
