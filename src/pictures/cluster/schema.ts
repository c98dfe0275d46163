/** Data of a cluster's picture as plain JSON, for kernel and page. Pure. */

import type { ClusterObservation } from '../../cluster/facts.ts';

/** Incremented when a field changes its meaning; a view rejects other versions instead of guessing. */
export const CLUSTER_PICTURE_VERSION = 1;

export interface ClusterPicture extends ClusterObservation {
  readonly version: number;
}

/** Milliseconds without a heartbeat after which a worker counts as silent. Dask's interval grows with the cluster, to a few seconds. */
export const SILENT_MS = 15_000;
