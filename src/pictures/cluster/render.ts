/** The static picture of a cluster: HTML that survives notebook sanitizers, and text. Pure. */

import type { ClusterFacts, ClusterFailure, TaskCounts, WorkerFacts } from '../../cluster/facts.ts';
import { formatBytes } from '../../base/bytes-text.ts';
import { formatCounted } from '../../base/count-text.ts';
import { shorten } from '../../base/short-texts.ts';
import { formatDuration } from '../../base/time-text.ts';
import { escape, htmlDetails, htmlTable, htmlThatFits, textTable } from '../kit/html.ts';
import type { PictureTexts } from '../kit/live-messages.ts';
import { nameWorkers, runningFor, speedOf } from './names.ts';
import { SILENT_MS, type ClusterPicture } from './schema.ts';

const MOST_WORKERS = 16;
const MOST_TRANSFERS = 8;
const MOST_FAILURES = 5;
const LONGEST = 80;

const WORKER_HEADINGS = ['worker', 'host', 'state', 'threads', 'memory', 'GPU', 'Node', 'running'];
const TRANSFER_HEADINGS = ['from', 'to', 'bytes', 'transfers', 'speed'];

/** A titled table, and how many rows it leaves out. */
interface Table {
  readonly title: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly more: number;
}

/** Renders a cluster in one line. */
export function renderClusterLine({ facts, problem, closed }: ClusterPicture): string {
  if (facts === null) return `Cluster: ${problem ?? 'the scheduler has not answered yet'}`;
  const count = facts.workers.length + facts.omitted.workers;
  const workers = count === 0 ? 'no workers yet' : formatCounted(count, 'worker');
  const state = closed ? ', closed' : problem === null ? '' : ', scheduler lost';
  return `Cluster ${facts.scheduler}: ${workers}, ${formatCounted(facts.threads, 'thread')}${state}`;
}

function taskLine(tasks: TaskCounts): string {
  const unplaced = tasks.unplaced > 0 ? `, ${tasks.unplaced} without a suitable worker` : '';
  return `Tasks: ${tasks.waiting} waiting, ${tasks.queued} queued${unplaced}, ${tasks.processing} processing, ${tasks.memory} in memory, ${tasks.erred} failed`;
}

function notesOf({ facts, problem, closed }: ClusterPicture): string[] {
  if (facts === null) return [];
  const { dask, dashboard, tasks, refusal } = facts;
  return [
    closed ? 'The connection was closed. This is the last state.' : '',
    !closed && problem !== null ? `${problem}. This is the last state.` : '',
    `Dask ${dask}${dashboard === null ? '' : `, dashboard ${dashboard}`}`,
    tasks === null ? `Tasks and failures are unknown: ${refusal ?? ''}` : taskLine(tasks)
  ].filter(Boolean);
}

function runningText({ running, processing }: WorkerFacts): string {
  if (running === null) return `${processing} sent`;
  const { tasks, more } = running;
  return [
    ...tasks.map(({ name, ms }) => `${name} ${runningFor(ms)}`),
    ...(more > 0 ? [`${more} more`] : [])
  ].join(', ');
}

function memoryText({ process, limit, managed, spilled }: WorkerFacts['memory']): string {
  const parts = [
    limit > 0 ? `${formatBytes(process)} of ${formatBytes(limit)}` : formatBytes(process),
    `${formatBytes(managed)} results`,
    spilled > 0 ? `${formatBytes(spilled)} spilled` : ''
  ];
  return parts.filter(Boolean).join(', ');
}

function rowOf(worker: WorkerFacts, nameOf: (address: string) => string): string[] {
  const { address, host, status, silentMs, threads, memory, gpus, node } = worker;
  return [
    nameOf(address),
    host,
    silentMs > SILENT_MS ? `${status}, no heartbeat for ${formatDuration(1000 * silentMs)}` : status,
    String(threads),
    memoryText(memory),
    gpus
      .map(gpu => `${gpu.name}: ${formatBytes(gpu.memoryUsed)} of ${formatBytes(gpu.memoryTotal)}`)
      .join(', '),
    node === null
      ? ''
      : `${node.state}${node.restarts > 0 ? `, ${formatCounted(node.restarts, 'restart')}` : ''}`,
    runningText(worker)
  ];
}

function tablesOf(facts: ClusterFacts, share: number): Table[] {
  const nameOf = nameWorkers(facts.workers);
  const take = <Item>(items: readonly Item[], most: number): readonly Item[] =>
    items.slice(0, Math.max(1, Math.floor(most * share)));
  const workers = take(facts.workers, MOST_WORKERS);
  const transfers = take(facts.transfers ?? [], MOST_TRANSFERS);
  return [
    {
      title: 'Workers',
      headings: WORKER_HEADINGS,
      rows: workers.map(worker => rowOf(worker, nameOf)),
      more: facts.workers.length + facts.omitted.workers - workers.length
    },
    {
      title: 'Transfers between workers',
      headings: TRANSFER_HEADINGS,
      rows: transfers.map(pair => [
        nameOf(pair.from),
        nameOf(pair.to),
        formatBytes(pair.bytes),
        String(pair.count),
        speedOf(pair)
      ]),
      more: (facts.transfers?.length ?? 0) + facts.omitted.transfers - transfers.length
    }
  ];
}

function failureLines({ failures, workers }: ClusterFacts): string[] {
  const nameOf = nameWorkers(workers);
  const lineOf = (failure: ClusterFailure): string => {
    const at = new Date(failure.at).toISOString().slice(11, 19);
    const where = failure.worker === null ? '' : ` on ${nameOf(failure.worker)}`;
    const what = failure.name === null ? nameOf(failure.worker ?? '') : failure.name + where;
    return `${at} UTC: ${what}: ${shorten(`${failure.type}: ${failure.message}`, 2 * LONGEST)}`;
  };
  return failures.slice(-MOST_FAILURES).toReversed().map(lineOf);
}

function renderHtml(picture: ClusterPicture): string {
  const { facts } = picture;
  const paragraphs = (lines: readonly string[], before = ''): string =>
    lines.map(line => `<p>${before}${escape(line)}</p>`).join('');
  return htmlThatFits(share => {
    const tables = facts === null ? [] : tablesOf(facts, share).filter(({ rows }) => rows.length > 0);
    const shown = tables.map(({ title, headings, rows, more }) => {
      const cells = rows.map(row => row.map(cell => escape(shorten(cell, LONGEST))));
      return `<p>${title}:</p>${htmlTable(headings, cells)}${more > 0 ? `<p>and ${more} more</p>` : ''}`;
    });
    const failures = facts === null ? [] : failureLines(facts);
    return htmlDetails(
      renderClusterLine(picture),
      paragraphs(notesOf(picture)) + shown.join('') + paragraphs(failures, '✕ ')
    );
  });
}

function renderText(picture: ClusterPicture): string {
  const { facts } = picture;
  const tables = facts === null ? [] : tablesOf(facts, 1).filter(({ rows }) => rows.length > 0);
  const lines = tables.flatMap(({ title, headings, rows, more }) => [
    `${title}:`,
    ...textTable([headings, ...rows.map(row => row.map(cell => shorten(cell, LONGEST)))]).map(
      line => `  ${line}`
    ),
    ...(more > 0 ? [`  and ${more} more`] : [])
  ]);
  const failures = facts === null ? [] : failureLines(facts);
  return [
    renderClusterLine(picture),
    ...notesOf(picture),
    ...lines,
    ...failures.map(line => `failed: ${line.replaceAll('\n', ' ')}`)
  ].join('\n');
}

/** Renders a cluster as HTML and as text. Rows are omitted if names are long. */
export function renderCluster(picture: ClusterPicture): PictureTexts {
  return { html: renderHtml(picture), text: renderText(picture) };
}
