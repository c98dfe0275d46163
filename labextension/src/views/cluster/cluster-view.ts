/** A cluster: its scheduler, tasks by state, workers, transfers between them, and the last failures. */

import type { ClusterFacts, ClusterFailure, TaskCounts, Transfers } from '../../../../src/cluster/facts.ts';
import { nameWorkers, speedOf } from '../../../../src/pictures/cluster/names.ts';
import { CLUSTER_PICTURE_VERSION, type ClusterPicture } from '../../../../src/pictures/cluster/schema.ts';
import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { formatDuration } from '../../../../src/base/time-text.ts';
import { element, part, setLine, setText } from '../kit/dom.ts';
import { framedView, showState } from '../kit/framed.ts';
import { createItemTable } from '../kit/item-table.ts';
import { formatCount, __ } from '../kit/phrases.ts';
import { createDashboardLink } from './dashboard-link.ts';
import { setName } from './name-cell.ts';
import { createScroller } from './scroller.ts';
import { createWorkerTable } from './worker-table.ts';

export const createClusterView = framedView<ClusterPicture>('cluster', CLUSTER_PICTURE_VERSION, frame => {
  let nameOf = nameWorkers([]);
  const address = element('code');
  const size = part('span', 'fact');
  const dashboard = createDashboardLink();
  const problem = element('p', { class: 'problem', role: 'status' });
  const refusal = part('p', 'advice');
  const tasks = part('p', 'strip');
  const workers = createWorkerTable();
  const none = part('p', 'empty');
  const transfers = createItemTable<Transfers>(
    'facts',
    __('Transfers between workers, most bytes first'),
    ({ from, to }) => `${from} ${to}`,
    [
      [__('From'), ({ from }, cell) => setName(cell, nameOf(from)), 'name'],
      [__('To'), ({ to }, cell) => setName(cell, nameOf(to)), 'name'],
      [__('Bytes'), ({ bytes }) => formatBytes(bytes), 'number'],
      [__('Transfers'), ({ count }) => formatCount(count), 'number'],
      [__('Time'), ({ ms }) => formatDuration(1000 * ms), 'number'],
      [__('Speed'), speedOf, 'number']
    ]
  );
  const failures = createItemTable<ClusterFailure>(
    'facts',
    __('Last failures, newest first'),
    ({ at, key, worker }) => `${at} ${key} ${worker}`,
    [
      [__('Time'), ({ at }) => new Date(at).toLocaleTimeString(), 'number'],
      [__('Task'), ({ name, key }, cell) => setName(cell, name ?? '–', key ?? ''), 'name'],
      [__('Worker'), ({ worker }, cell) => setName(cell, worker === null ? '–' : nameOf(worker)), 'name'],
      [__('Error'), ({ type, message }) => `${type}: ${message}`, 'message']
    ]
  );
  const pairs = createScroller(__('Transfers'), transfers);
  const failed = createScroller(__('Failures'), failures);
  const lists = part('div', 'columns', pairs, failed);

  const drawFacts = (facts: ClusterFacts): void => {
    nameOf = nameWorkers(facts.workers);
    const count = facts.workers.length + facts.omitted.workers;
    setText(address, facts.scheduler);
    setText(
      size,
      __('Workers: %1 · Threads: %2 · Dask %3', formatCount(count), formatCount(facts.threads), facts.dask)
    );
    dashboard.update(facts.dashboard);
    setLine(refusal, facts.refusal === null ? '' : __('Tasks and failures are unknown: %1.', facts.refusal));
    setLine(tasks, facts.tasks === null ? '' : taskWords(facts.tasks));
    workers.update(facts, nameOf);
    setLine(none, noteOf(facts));
    transfers.update(facts.transfers ?? []);
    failures.update(facts.failures.toReversed());
    workers.element.hidden = count === 0;
    pairs.hidden = (facts.transfers ?? []).length === 0;
    failed.hidden = facts.failures.length === 0;
    lists.hidden = pairs.hidden && failed.hidden;
  };
  return {
    elements: [
      part('div', 'header', element('strong', {}, __('Cluster')), address, size, dashboard, frame.state),
      problem,
      refusal,
      tasks,
      workers,
      none,
      lists
    ],
    label: ({ facts }) => __('Cluster %1', facts?.scheduler ?? ''),
    draw(picture) {
      const { facts, closed } = picture;
      setLine(problem, problemOf(picture));
      for (const each of [tasks, refusal, workers.element, none, lists]) each.hidden = facts === null;
      if (facts !== null) drawFacts(facts);
      const isLost = picture.problem !== null;
      if (closed) frame.state.show('destroyed', __('closed'));
      else
        showState(
          frame,
          isLost
            ? ['lost', __('scheduler lost')]
            : ['live', __('live'), __('Read every second while visible')]
        );
    }
  };
});

function taskWords({ waiting, queued, unplaced, processing, memory, erred }: TaskCounts): string {
  return [
    __('Tasks: %1 waiting', formatCount(waiting)),
    __('%1 queued', formatCount(queued)),
    unplaced > 0 ? __('%1 without a suitable worker', formatCount(unplaced)) : '',
    __('%1 processing', formatCount(processing)),
    __('%1 in memory', formatCount(memory)),
    __('%1 failed', formatCount(erred))
  ]
    .filter(Boolean)
    .join(' · ');
}

function problemOf({ facts, problem, closed }: ClusterPicture): string {
  if (closed) return __('The connection was closed. This is the last state.');
  if (problem === null) return facts === null ? __('The scheduler has not answered yet.') : '';
  return facts === null ? `${problem}.` : __('This is the last state: %1.', problem);
}

/** Returns what the lists leave out. */
function noteOf({ workers, transfers, omitted }: ClusterFacts): string {
  if (workers.length === 0) return __('No workers yet.');
  return [
    omitted.workers > 0 ? __('%1 more workers are not listed.', formatCount(omitted.workers)) : '',
    omitted.transfers > 0
      ? __('%1 more pairs of workers are not listed.', formatCount(omitted.transfers))
      : '',
    transfers?.length === 0 ? __('No transfers between workers yet.') : ''
  ]
    .filter(Boolean)
    .join(' ');
}
