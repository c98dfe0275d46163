/** The workers of a cluster: memory, GPUs, and what runs on each. */

import type { ClusterFacts, WorkerFacts } from '../../../../src/cluster/facts.ts';
import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { formatDuration } from '../../../../src/base/time-text.ts';
import { runningFor } from '../../../../src/pictures/cluster/names.ts';
import { SILENT_MS } from '../../../../src/pictures/cluster/schema.ts';
import type { BadgeKind } from '../kit/badge.ts';
import { part, setAttribute, setText, type Part } from '../kit/dom.ts';
import { createItemTable } from '../kit/item-table.ts';
import { createLegend } from '../kit/part-bar.ts';
import { formatCount, __ } from '../kit/phrases.ts';
import { createMeter } from './meter.ts';
import { setName } from './name-cell.ts';
import { createScroller } from './scroller.ts';

type Meter = ReturnType<typeof createMeter>;

/** Creates the table. The style sheet hides the columns of GPUs and of Node if no worker fills them. */
export function createWorkerTable(): Part<[facts: ClusterFacts, nameOf: (address: string) => string]> {
  let nameOf = (address: string): string => address;
  /** The meters of a cell: one for memory, or one for each GPU. */
  const meters = new WeakMap<HTMLElement, Meter[]>();
  const metersOf = (cell: HTMLElement, count: number, names: readonly string[]): readonly Meter[] => {
    const known = meters.get(cell) ?? [];
    while (known.length < count) {
      const meter = createMeter(names);
      known.push(meter);
      cell.append(meter.element);
    }
    while (known.length > count) known.pop()?.element.remove();
    meters.set(cell, known);
    return known;
  };
  const table = createItemTable<WorkerFacts>('workers', __('Workers'), worker => worker.address, [
    [__('Worker'), ({ address, host }, cell) => setName(cell, nameOf(address), host), 'name'],
    [__('State'), stateBadge],
    [
      __('Running'),
      (worker, cell) => {
        setAttribute(cell, 'title', worker.running?.tasks.map(({ key }) => key).join('\n') || null);
        return runningWords(worker);
      }
    ],
    [
      __('Memory'),
      ({ memory }, cell) => {
        const { managed, process, limit } = memory;
        const used = Math.min(managed, process);
        const sizes = [used, process - used, Math.max(0, limit - process)];
        metersOf(cell, 1, PARTS)[0]?.update(sizes, memoryWords(memory));
      }
    ],
    [
      __('GPU'),
      ({ gpus }, cell) => {
        for (const [index, meter] of metersOf(cell, gpus.length, GPU_PARTS).entries()) {
          const { name, memoryUsed, memoryTotal } = gpus[index]!;
          const words = __('%1 of %2', formatBytes(memoryUsed), formatBytes(memoryTotal));
          meter.update([memoryUsed, memoryTotal - memoryUsed], `${words}\n${name}`);
        }
      }
    ],
    [__('Node'), nodeBadge],
    [__('Results'), worker => formatCount(worker.stored), 'number'],
    [__('Threads'), worker => formatCount(worker.threads), 'number'],
    [__('Address'), worker => worker.address, 'muted']
  ]);
  const legend = createLegend(PARTS);
  for (const [index, text] of [
    __('results in memory'),
    __('other memory of the process'),
    __('free')
  ].entries())
    setText(legend.entries[index]!.text, text);
  return {
    element: part('div', 'cluster-workers', createScroller(__('Workers'), table), legend),
    update({ workers }, names) {
      nameOf = names;
      setAttribute(table.element, 'data-gpu', workers.some(({ gpus }) => gpus.length > 0) ? '' : null);
      setAttribute(table.element, 'data-node', workers.some(({ node }) => node !== null) ? '' : null);
      table.update(workers);
    }
  };
}

const PARTS = ['used', 'other', 'free'];
const GPU_PARTS = ['used', 'free'];

function stateBadge({ status, silentMs }: WorkerFacts): [kind: BadgeKind, word: string, title?: string] {
  if (silentMs > SILENT_MS) return ['lost', __('no heartbeat for %1', formatDuration(1000 * silentMs))];
  if (status === 'running') return ['live', __('running')];
  if (status === 'paused')
    return [
      'busy',
      __('paused'),
      __('Its memory is nearly full: it starts no task until results are spilled')
    ];
  return ['idle', status.replaceAll('_', ' ')];
}

function nodeBadge({ node }: WorkerFacts): [kind: BadgeKind | false, word?: string, title?: string] {
  if (node === null) return [false];
  const kinds: Readonly<Record<string, BadgeKind>> = { running: 'live', starting: 'busy', lost: 'lost' };
  const restarts = node.restarts > 0 ? __(', %1 restarts', node.restarts) : '';
  const process = node.pid === null ? '' : __('Process %1', node.pid);
  return [kinds[node.state] ?? 'idle', node.state + restarts, process];
}

/** Returns two lines. */
function memoryWords({ process, limit, managed, spilled }: WorkerFacts['memory']): string {
  const whole = limit > 0 ? __('%1 of %2', formatBytes(process), formatBytes(limit)) : formatBytes(process);
  const results = __('%1 results', formatBytes(managed));
  return `${whole}\n${results}${spilled > 0 ? __(', %1 spilled', formatBytes(spilled)) : ''}`;
}

function runningWords({ running, processing }: WorkerFacts): string {
  if (running === null) return __('%1 sent', formatCount(processing));
  const { tasks, more } = running;
  const waiting = processing - tasks.length - more;
  return [
    ...tasks.map(({ name, ms }) => `${name} ${runningFor(ms)}`),
    more > 0 ? __('%1 more', formatCount(more)) : '',
    waiting > 0 ? __('%1 next', formatCount(waiting)) : ''
  ]
    .filter(Boolean)
    .join(', ');
}
