/** `stridelab/cluster`: tasks in TypeScript on a Dask cluster, with all members of arrays. */

import './index.ts';

export * from './cluster/index.ts';
