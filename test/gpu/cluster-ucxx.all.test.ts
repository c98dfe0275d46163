/** A Dask cluster on GPUs whose workers exchange arrays over UCX. */

import { testCluster } from './cluster-workers.ts';

testCluster('ucxx', 'dask_cuda', 'cupy', 'distributed_ucxx');
