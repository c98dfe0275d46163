/** The kernel half of a cluster's picture, with a fake page and a cluster that needs no Dask. */

import { openPicture } from '../../../kernel/widgets/pictures/open.ts';
import type { LiveWidget } from '../../../kernel/widgets/pictures/kit/live-widget.ts';
import type { ClusterFacts, ClusterObservation } from '../../../src/cluster/facts.ts';
import { ObservedCluster } from '../../../src/cluster/observed-cluster.ts';
import { DISPLAY_METHOD, type PyObject } from '../../../src/index.ts';
import { collectGarbage } from '../../../src/native/load.ts';
import { PICTURE_MIME_TYPE } from '../../../src/pictures/kit/live-messages.ts';
import type { ClusterPicture } from '../../../src/pictures/cluster/schema.ts';
import { clusterFacts } from '../../setup/cluster-facts.ts';
import { pass, until } from '../../setup/until.ts';
import { page, withPage } from './page.ts';

/** A cluster whose scheduler answers what a test sets. */
class Cluster extends ObservedCluster {
  readonly client = {} as PyObject;
  closed = false;
  reads = 0;
  known: ClusterFacts | null = null;
  answer: () => Promise<ClusterFacts> = () => Promise.resolve(clusterFacts(2));
  #problem: string | null = null;

  override async observe(): Promise<ClusterObservation> {
    this.reads += 1;
    try {
      this.known = await this.answer();
      this.#problem = null;
    } catch (error) {
      this.#problem = (error as Error).message;
    }
    return this.observation;
  }

  override get observation(): ClusterObservation {
    return { facts: this.known, problem: this.#problem, closed: this.closed };
  }
}

withPage();

const open = (cluster: Cluster): LiveWidget<ClusterPicture> =>
  openPicture(cluster) as LiveWidget<ClusterPicture>;
const watch = (view: LiveWidget<object>, views: number): void => page.change(view, { _view_count: views });

test('reads nothing without a view, at once with one, and then again until no page shows it', async () => {
  const cluster = new Cluster();
  const view = open(cluster);
  await pass(1200, 'nothing must be read meanwhile');
  expect(cluster.reads).toBe(0);
  expect(view.picture).toEqual({ version: 1, facts: null, problem: null, closed: false });

  watch(view, 1);
  await until(() => view.picture.facts?.workers.length === 2);
  expect(cluster.reads).toBe(1);
  cluster.answer = () => Promise.resolve(clusterFacts(3));
  await until(() => view.picture.facts?.workers.length === 3);

  watch(view, 0);
  await pass(100, 'a read that began before may end');
  const { reads } = cluster;
  await pass(1200, 'nothing must be read meanwhile');
  expect(cluster.reads).toBe(reads);
});

test('opens with the last known state, as a widget and as a static picture', () => {
  const cluster = new Cluster();
  cluster.known = clusterFacts(1);
  const bundle = open(cluster)[DISPLAY_METHOD]();
  expect(bundle[PICTURE_MIME_TYPE]).toMatchObject({
    view: 'ClusterView',
    picture: { facts: { threads: 2 } }
  });
  expect(bundle['text/plain']).toContain('Cluster tcp://10.0.0.1:8786: 1 worker');
});

test('keeps the last state of a lost scheduler with the reason, and continues when it answers', async () => {
  const cluster = new Cluster();
  const view = open(cluster);
  watch(view, 1);
  await until(() => view.picture.facts !== null);
  cluster.answer = () => Promise.reject(new Error('no answer'));
  await until(() => view.picture.problem === 'no answer');
  expect(view.picture.facts?.workers).toHaveLength(2);
  cluster.answer = () => Promise.resolve(clusterFacts(0));
  await until(() => view.picture.problem === null && view.picture.facts?.workers.length === 0);
  expect(page.errors).toEqual([]);
});

test('shows that the connection was closed', async () => {
  const cluster = new Cluster();
  const view = open(cluster);
  watch(view, 1);
  await until(() => view.picture.facts !== null);
  cluster.closed = true;
  await until(() => view.picture.closed);
});

test('a picture keeps no cluster alive, and then shows it as closed', async () => {
  const [view, reference] = (() => {
    const cluster = new Cluster();
    cluster.known = clusterFacts(2);
    return [open(cluster), new WeakRef(cluster)] as const;
  })();
  await until(() => {
    collectGarbage();
    return reference.deref() === undefined;
  });
  watch(view, 1);
  await until(() => view.picture.closed);
  expect(view.picture.facts?.workers).toHaveLength(2);
});
