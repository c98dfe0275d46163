/** The page half of a cluster's picture. */

import { createClusterView } from '../../../labextension/src/views/cluster/cluster-view.ts';
import type { Channel, View } from '../../../labextension/src/views/kit/view.ts';
import type { ClusterFacts } from '../../../src/cluster/facts.ts';
import type { ClusterPicture } from '../../../src/pictures/cluster/schema.ts';
import { addressOf, clusterFacts, workerFacts } from '../../setup/cluster-facts.ts';

const channel: Channel = {
  request: () => Promise.reject(new Error('this picture sends no requests')),
  onPush: () => () => undefined
};

let host: HTMLElement;
let view: View;

beforeEach(() => {
  host = document.createElement('div');
  document.body.append(host);
  view = createClusterView(host, { channel });
});
afterEach(() => {
  view.dispose();
  host.remove();
});

function show(facts: ClusterFacts | null, more: Partial<ClusterPicture> = {}, connected = true): void {
  view.update({ version: 1, facts, problem: null, closed: false, ...more }, connected);
}

const find = <Kind extends HTMLElement>(selector: string): Kind => {
  const found = host.querySelector<Kind>(selector);
  if (found === null) throw new Error(`no ${selector}`);
  return found;
};
/** The text of what is visible. */
const text = (selector = '.stridelab-view'): string => {
  const copy = find(selector).cloneNode(true) as HTMLElement;
  for (const hidden of copy.querySelectorAll('[hidden]')) hidden.remove();
  return copy.textContent;
};
const region = (name: string): string => `[role=region][aria-label=${name}]`;
const rows = (name: string): string[][] =>
  [...host.querySelectorAll(`${region(name)} tbody tr`)].map(row =>
    [...row.children].map(cell => cell.textContent)
  );
const badge = (): string => text('.stridelab-lifetime');

test('shows the scheduler, the totals and the state', () => {
  show(clusterFacts(2));
  expect(text('.stridelab-header')).toContain('tcp://10.0.0.1:8786');
  expect(text('.stridelab-header')).toContain('Workers: 2 · Threads: 4 · Dask 2026.8.0');
  expect(text('.stridelab-strip')).toBe(
    'Tasks: 4 waiting · 1,200 queued · 6 processing · 24 in memory · 1 failed'
  );
  expect(badge()).toBe('●live');
  expect(find('section').getAttribute('aria-label')).toBe('Cluster tcp://10.0.0.1:8786');
});

test('has a row for each worker: what it runs, its memory, GPU and Node', () => {
  show(clusterFacts(2));
  expect(rows('Workers')[1]).toEqual([
    '1',
    '●running',
    'scale 1.5 s, 2 next',
    '3 GiB of 16 GiB\n2 GiB results',
    '4 GiB of 80 GiB\nNVIDIA H100 80GB HBM3',
    '●running',
    '12',
    '2',
    addressOf(1)
  ]);
  const [memory] = host.querySelectorAll(`${region('Workers')} .stridelab-parts`);
  expect(
    [...memory!.children]
      .map(part => (part as HTMLElement).style.flexGrow)
      .map(size => Number(size) / 2 ** 30)
  ).toEqual([2, 1, 13]);
  // The text below says the same to screen readers.
  expect(memory!.getAttribute('aria-hidden')).toBe('true');
});

test('columns of GPUs and of Node are there only if a worker has one', () => {
  const plain = workerFacts(0, { gpus: [], node: null });
  show(clusterFacts(1, { workers: [plain] }));
  const table = find('.stridelab-workers');
  expect([table.hasAttribute('data-gpu'), table.hasAttribute('data-node')]).toEqual([false, false]);
  show(clusterFacts(2, { workers: [plain, workerFacts(1)] }));
  expect([table.hasAttribute('data-gpu'), table.hasAttribute('data-node')]).toEqual([true, true]);
});

test('marks workers that are paused, silent or closing, and a Node that was lost', () => {
  const workers = [
    workerFacts(0, { status: 'paused' }),
    workerFacts(1, { silentMs: 42_000 }),
    workerFacts(2, { status: 'closing_gracefully' }),
    workerFacts(3, { node: { pid: 9, state: 'lost', restarts: 2 } })
  ];
  show(clusterFacts(4, { workers }));
  expect(rows('Workers').map(row => row[1])).toEqual([
    '◐paused',
    '✕no heartbeat for 42 s',
    '○closing gracefully',
    '●running'
  ]);
  expect(rows('Workers')[3]![5]).toBe('✕lost, 2 restarts');
});

test('a worker without a limit, with spilled results, several GPUs, and unknown tasks', () => {
  const gpus = [1, 2].map(number => ({ name: `GPU ${number}`, memoryUsed: 1, memoryTotal: 2 }));
  const memory = { managed: 10, process: 5, spilled: 7, limit: 0 };
  show(clusterFacts(1, { workers: [workerFacts(0, { gpus, memory, running: null, processing: 5 })] }));
  const [row] = rows('Workers');
  expect(row!.slice(2, 5)).toEqual([
    '5 sent',
    '5 B\n10 B results, 7 B spilled',
    '1 B of 2 B\nGPU 11 B of 2 B\nGPU 2'
  ]);
  show(clusterFacts(1, { workers: [workerFacts(0, { gpus: gpus.slice(1) })] }));
  expect(rows('Workers')[0]![4]).toBe('1 B of 2 B\nGPU 2');
});

test('an update keeps the rows of workers that stay, in order', () => {
  show(clusterFacts(3));
  const [, second] = host.querySelectorAll(`${region('Workers')} tbody tr`);
  const [, ...others] = clusterFacts(3).workers;
  show(clusterFacts(3, { workers: [...others, workerFacts(7)] }));
  expect(host.querySelectorAll(`${region('Workers')} tbody tr`)[0]).toBe(second);
  expect(rows('Workers').map(([name]) => name)).toEqual(['1', '2', '7']);
});

test('lists transfers with their speed, and failures newest first', () => {
  show(clusterFacts(2));
  expect(rows('Transfers')).toEqual([['0', '1', '2 GiB', '8', '450 ms', '4.77 GB/s']]);
  const found = rows('Failures').map(([, ...rest]) => rest);
  expect(found).toEqual([
    ['–', '10.0.9.9:40009', 'worker lost: 2 tasks run again, 1 result is computed again'],
    ['scale', '0', 'TypeScriptError: RangeError: k must not be negative']
  ]);
  expect(find(`${region('Failures')} tr:nth-child(2) td.stridelab-name`).title).toBe('scale\nscale-9c1e');
});

test('says what there is none of, what is unknown and what is left out', () => {
  show(clusterFacts(0));
  expect(text()).toContain('No workers yet.');
  expect(find('.stridelab-cluster-workers').hidden).toBe(true);
  show(clusterFacts(1));
  expect(text()).toContain('No transfers between workers yet.');
  show(clusterFacts(1, { transfers: null }));
  expect(text()).not.toContain('ransfers');
  show(clusterFacts(2, { omitted: { workers: 936, transfers: 5 } }));
  expect(text()).toContain('936 more workers are not listed. 5 more pairs of workers are not listed.');
  expect(text()).toContain('Workers: 938');
  show(clusterFacts(1, { tasks: null, refusal: 'another Python' }));
  expect(text()).toContain('Tasks and failures are unknown: another Python.');
  expect(find('.stridelab-strip').hidden).toBe(true);
});

test('a lost scheduler is reported above the last state; so are a closed connection and a first answer that is missing', () => {
  show(null);
  expect([text('[role=status]'), badge()]).toEqual(['The scheduler has not answered yet.', '●live']);
  expect(find('.stridelab-cluster-workers').hidden).toBe(true);
  show(null, { problem: 'it did not answer' });
  expect(text('[role=status]')).toBe('it did not answer.');
  show(clusterFacts(1));
  expect(find('[role=status]').hidden).toBe(true);
  show(clusterFacts(1), { problem: 'it did not answer' });
  expect([text('[role=status]'), badge()]).toEqual([
    'This is the last state: it did not answer.',
    '✕scheduler lost'
  ]);
  expect(rows('Workers')).toHaveLength(1);
  show(clusterFacts(1), { closed: true });
  expect([text('[role=status]'), badge()]).toEqual([
    'The connection was closed. This is the last state.',
    '⊘closed'
  ]);
  show(clusterFacts(1), {}, false);
  expect(badge()).toBe('◷snapshot');
});

test.each([
  ['http://10.0.0.1:8787/status', 'http://10.0.0.1:8787/status'],
  ['https://hub/user/x/proxy/8787/status', 'https://hub/user/x/proxy/8787/status'],
  ['/user/x/proxy/8787/status', 'http://localhost/user/x/proxy/8787/status'],
  ['javascript:alert(1)', null],
  [' JAVASCRIPT:alert(1)', null],
  ['data:text/html,x', null],
  ['file:///etc/passwd', null],
  ['http://', null],
  ['', 'http://localhost/'],
  [null, null]
])('the dashboard %s is linked as %s', (dashboard, href) => {
  show(clusterFacts(1, { dashboard }));
  const link = find<HTMLAnchorElement>('.stridelab-header a');
  expect([link.hidden, link.hidden ? null : link.href]).toEqual([href === null, href]);
  expect(link.hasAttribute('href')).toBe(href !== null);
  expect(link.rel).toBe('noopener noreferrer');
});

test('texts are never markup', () => {
  const evil = '<img src=x onerror=alert(1)>';
  const failure = { key: evil, name: evil, worker: evil, type: evil, message: evil, at: 0 };
  show(
    clusterFacts(1, {
      scheduler: evil,
      workers: [workerFacts(0, { name: evil, status: evil })],
      failures: [failure],
      refusal: evil
    })
  );
  expect(host.querySelector('img')).toBeNull();
  expect(text()).toContain(evil);
});

test('damaged data is reported', () => {
  view.update({ version: 1, facts: { scheduler: 'x' }, problem: null, closed: false }, true);
  expect(text('[role=alert]')).toContain('cannot be read');
  view.update({ version: 99 }, true);
  expect(text('[role=alert]')).toContain('version 99');
});
