/** The kernel half of the live picture of a cluster: reads its state once a second while it is watched. */

import type { ObservedCluster } from '../../../../src/cluster/observed-cluster.ts';
import { describeCluster } from '../../../../src/pictures/cluster/describe.ts';
import { renderCluster } from '../../../../src/pictures/cluster/render.ts';
import type { ClusterPicture } from '../../../../src/pictures/cluster/schema.ts';
import { LiveWidget } from '../kit/live-widget.ts';

const PERIOD_MS = 1000;

export class ClusterView extends LiveWidget<ClusterPicture> {
  /** Weak: the connection still ends with its last reference. */
  readonly #cluster: WeakRef<ObservedCluster>;

  constructor(cluster: ObservedCluster) {
    const presentation = {
      name: 'ClusterView',
      label: ({ facts }: ClusterPicture) => facts?.scheduler ?? 'cluster',
      render: renderCluster
    };
    super(presentation, describeCluster(cluster.observation));
    this.#cluster = new WeakRef(cluster);
  }

  protected override describe(): ClusterPicture {
    const cluster = this.#cluster.deref();
    return cluster === undefined ? { ...this.picture, closed: true } : describeCluster(cluster.observation);
  }

  protected override watching(watched: boolean): void {
    this.poll(PERIOD_MS, () => void this.#read());
    if (watched) void this.#read();
  }

  async #read(): Promise<void> {
    await this.#cluster.deref()?.observe();
    if (this.watched) this.refresh();
  }
}
