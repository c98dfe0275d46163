/** Describes a cluster as plain JSON, for the live and the static picture. */

import type { ClusterObservation } from '../../cluster/facts.ts';
import { CLUSTER_PICTURE_VERSION, SILENT_MS, type ClusterPicture } from './schema.ts';

/** Makes the picture of what is known of a cluster. */
export function describeCluster({ facts, problem, closed }: ClusterObservation): ClusterPicture {
  const workers = facts?.workers.map(worker => ({
    ...worker,
    // Silence within the interval of heartbeats differs at each read, and has no meaning.
    silentMs: worker.silentMs < SILENT_MS ? 0 : worker.silentMs
  }));
  return {
    version: CLUSTER_PICTURE_VERSION,
    facts: facts === null ? null : { ...facts, workers: workers ?? [] },
    problem,
    closed
  };
}
