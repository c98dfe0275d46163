/** A Dask cluster on GPUs whose workers exchange arrays over TCP. */

import { testCluster } from './cluster-workers.ts';

testCluster('tcp', 'dask_cuda', 'cupy');
