/** The picture of a trace in a notebook: a lane for each stream, a bar for each operation, and total times by kind. Pure. */

import { escape, htmlDetails, htmlTable, htmlThatFits, textTable } from '../kit/html.ts';
import type { PictureTexts } from '../kit/live-messages.ts';
import { formatDuration } from '../../base/time-text.ts';
import { formatBytes } from '../../base/bytes-text.ts';
import { shorten } from '../../base/short-texts.ts';
import { formatShape } from '../../layout/shape.ts';
import type { TraceEvent, TraceKind, TraceRecords } from '../../recording/trace/records.ts';

/** Readable on light and dark pages. */
const COLOURS: Partial<Readonly<Record<TraceKind, string>>> = {
  'copy-host-to-device': '#3b82c4',
  'copy-device-to-host': '#8a63d2',
  'copy-on-device': '#2a9d8f',
  fill: '#c98a1b',
  kernel: '#d1495b',
  graph: '#b0477a',
  'stream-wait': '#8a8f98'
};

/** Maximum number of bars, chosen from the longest operations. */
const MOST_BARS = 48;
const MOST_DEVICES = 8;
/** Maximum table rows; the text for terminals has all of them. */
const MOST_ROWS = 16;
const LONGEST_NAME = 60;
const LONGEST_TOOLTIP = 160;

type TimedEvent = TraceEvent & { readonly start: number; readonly end: number };

const isTimed = (event: TraceEvent): event is TimedEvent => event.start !== null && event.end !== null;

function tooltip(event: TimedEvent): string {
  const lines = [
    `${event.name}: ${formatDuration(event.end - event.start)} from ${formatDuration(event.start)}`
  ];
  if (event.bytes > 0) lines.push(formatBytes(event.bytes));
  if (event.array !== null) lines.push(`${event.array.dtype} ${formatShape(event.array.shape)}`);
  if (event.waitsFor !== null) lines.push(`waits for stream #${event.waitsFor}`);
  if (event.labels.length > 0) lines.push(event.labels.map(({ text }) => text).join(' > '));
  if (event.cell !== null) lines.push(event.cell);
  return shorten(lines.join(', '), LONGEST_TOOLTIP);
}

function bar(event: TimedEvent, start: number, span: number): string {
  const left = (((event.start - start) / span) * 100).toFixed(3);
  const width = (((event.end - event.start) / span) * 100).toFixed(3);
  const style =
    `position:absolute;top:2px;height:14px;left:${left}%;width:${width}%;min-width:1px;` +
    `background:${COLOURS[event.kind]};border-radius:2px`;
  return `<div title="${escape(tooltip(event))}" style="${style}"></div>`;
}

function lane(name: string, bars: string): string {
  return (
    '<div style="display:flex;align-items:center;gap:8px">' +
    `<span style="flex:0 0 11em;text-align:right">${escape(name)}</span>` +
    `<div style="position:relative;flex:1;height:18px;border-bottom:1px solid rgba(128,128,128,0.4)">${bars}</div></div>`
  );
}

function htmlDevice(label: string, events: readonly TimedEvent[], most: number): string {
  const drawn = [...events].sort((a, b) => b.end - b.start - (a.end - a.start)).slice(0, most);
  const start = drawn.reduce((least, event) => Math.min(least, event.start), Infinity);
  const end = drawn.reduce((most, event) => Math.max(most, event.end), -Infinity);
  const span = Math.max(end - start, 0.001);
  const streams = Map.groupBy(drawn, event => event.streamId ?? 0);
  const lanes = [...streams]
    .sort(([a], [b]) => a - b)
    .map(([, list]) => lane(list[0]?.stream ?? '', list.map(event => bar(event, start, span)).join('')));
  const virtual = events[0]?.device?.simulated === true ? ' of virtual time' : '';
  const left =
    events.length > drawn.length ? `; the ${drawn.length} longest of ${events.length} are drawn` : '';
  return (
    `<p style="margin:8px 0 2px"><b>${escape(label)}</b>: ${formatDuration(span)}${virtual}${left}</p>` +
    lanes.join('')
  );
}

interface KindTotal {
  readonly name: string;
  readonly kind: TraceKind;
  count: number;
  time: number;
  bytes: number;
}

/** Sums the device time of each name, longest first. */
function totals(events: readonly TimedEvent[]): KindTotal[] {
  const found = new Map<string, KindTotal>();
  for (const { kind, name, start, end, bytes } of events) {
    const key = `${kind} ${name}`;
    const total = found.get(key) ?? { name, kind, count: 0, time: 0, bytes: 0 };
    found.set(key, total);
    total.count++;
    total.time += end - start;
    total.bytes += bytes;
  }
  return [...found.values()].sort((a, b) => b.time - a.time);
}

const cellsOf = ({ name, count, time, bytes }: KindTotal): string[] => [
  name,
  String(count),
  formatDuration(time),
  bytes === 0 ? '' : formatBytes(bytes)
];

const TITLES = ['operation', 'count', 'time', 'size'];

function htmlTotals(list: readonly KindTotal[], most: number): string {
  const rows = list.slice(0, most).map(total => {
    const [name = '', ...numbers] = cellsOf(total);
    const mark = `<span style="color:${COLOURS[total.kind]}">■</span>`;
    return [`${mark} ${escape(shorten(name, LONGEST_NAME))}`, ...numbers.map(escape)];
  });
  const rest = list.length - rows.length;
  return htmlTable(TITLES, rows, 1) + (rest > 0 ? `<p>and ${rest} more</p>` : '');
}

/** Formats the number of operations, of those without times yet, and of dropped ones. */
function headline({ events, dropped }: TraceRecords): string {
  const operations = events.filter(event => event.streamId !== null && event.kind !== 'host-wait');
  const open = operations.filter(event => !isTimed(event)).length;
  const parts = [`trace of ${operations.length} operations`];
  if (open > 0) parts.push(`${open} not done or not timed`);
  if (dropped > 0) parts.push(`${dropped} older records dropped`);
  return parts.join(', ');
}

/** Renders HTML with inline styles only, for notebook sanitizers; text and background have the page's colours. */
function renderTraceHtml(records: TraceRecords): string {
  const timed = records.events.filter(isTimed);
  const devices = [...Map.groupBy(timed, event => event.device?.label ?? '')].slice(0, MOST_DEVICES);
  const list = totals(timed);
  return htmlThatFits(share => {
    const bars = Math.ceil((share * MOST_BARS) / devices.length);
    const drawn = devices.map(([label, all]) => htmlDevice(label, all, bars)).join('');
    const table = timed.length === 0 ? '' : htmlTotals(list, Math.ceil(share * MOST_ROWS));
    return htmlDetails(headline(records), drawn + table);
  });
}

export function renderTraceText(records: TraceRecords): string {
  const rows = totals(records.events.filter(isTimed)).map(cellsOf);
  const lines = rows.length === 0 ? [] : textTable([TITLES, ...rows], 1);
  return [headline(records), ...lines.map(line => `  ${line}`)].join('\n');
}

export function renderTrace(records: TraceRecords): PictureTexts {
  return { html: renderTraceHtml(records), text: renderTraceText(records) };
}
