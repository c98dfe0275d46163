/** The static picture of memory: HTML that survives notebook sanitizers, and text. Pure. */

import {
  ALLOCATION_FIELDS,
  decodeRows,
  FAILURE_FIELDS,
  type MemoryDevice,
  type MemoryPicture
} from './schema.ts';
import { escape, htmlDetails, htmlTable, htmlThatFits, textTable } from '../kit/html.ts';
import { shorten } from '../../base/short-texts.ts';
import { formatBytes } from '../../base/bytes-text.ts';
import { formatCounted } from '../../base/count-text.ts';
import type { PictureTexts } from '../kit/live-messages.ts';

/** Maximum table rows, to keep notebooks small. */
const MOST_ROWS = 10;
const MOST_FAILURES = 3;
const MOST_DEVICES = 4;
const LONGEST = 80;

/** Readable on light and dark pages. */
const COLOURS = { used: '#3b82c4', waiting: '#b8860b', kept: '#8fb8de', other: '#8a8f98' };

interface Part {
  readonly word: string;
  readonly bytes: number;
  readonly colour: string | null;
}

function partsOf({ total, free, used, waiting = 0, kept }: MemoryDevice): Part[] {
  const other = Math.max(0, total - free - used - waiting - kept);
  return [
    { word: 'in use', bytes: used, colour: COLOURS.used },
    ...(waiting > 0 ? [{ word: 'pending release', bytes: waiting, colour: COLOURS.waiting }] : []),
    { word: 'reserved', bytes: kept, colour: COLOURS.kept },
    { word: 'other use', bytes: other, colour: COLOURS.other },
    { word: 'free', bytes: free, colour: null }
  ];
}

const problemOf = (problem: string): string => `The driver does not respond: ${problem}`;

function headline({ state, devices, next, dropped, omitted, rows }: MemoryPicture): string {
  if (devices.length === 0) return 'memory: no device has been used yet';
  const alive =
    decodeRows(ALLOCATION_FIELDS, rows.allocations).filter(({ freed }) => freed < 0).length + omitted;
  const parts = [`memory: ${formatCounted(alive, 'allocation')} alive`];
  if (state === 'off') parts.push('log off: memoryLog.start() records them');
  else parts.push(`${next} events${state === 'stopped' ? ', stopped' : ''}`);
  if (dropped > 0) parts.push(`${dropped} of them dropped`);
  return parts.join(', ');
}

const nameOf = ({ label, name, simulated }: MemoryDevice): string =>
  simulated ? `${label} (simulated)` : `${label}, ${name}`;

const peakOf = ({ peak }: MemoryDevice): string =>
  peak === null ? '' : `; peak ${formatBytes(peak)} since the log started`;

const TITLES = ['size', 'variable', 'array', 'cell', 'stream'];

function tableOf(
  { rows }: MemoryPicture,
  device: number,
  most = MOST_ROWS
): { cells: string[][]; more: number } {
  const alive = decodeRows(ALLOCATION_FIELDS, rows.allocations)
    .filter(row => row.device === device && row.freed < 0)
    .sort((a, b) => b.bytes - a.bytes);
  const text = (index: number): string => shorten(rows.texts[index] ?? '', LONGEST);
  const cells = alive
    .slice(0, most)
    .map(row => [formatBytes(row.bytes), text(row.owner), text(row.what), text(row.cell), text(row.stream)]);
  return { cells, more: alive.length - cells.length };
}

function htmlDevice(picture: MemoryPicture, device: MemoryDevice, index: number, most: number): string {
  const parts = partsOf(device);
  const bar = parts.map(({ bytes, colour, word }) => {
    const width = ((bytes / device.total) * 100).toFixed(2);
    const title = `${word}: ${formatBytes(bytes)}`;
    const fill = colour === null ? '' : `background:${colour};${bytes > 0 ? 'min-width:2px' : ''}`;
    return `<div title="${title}" style="width:${width}%;${fill}"></div>`;
  });
  const words = parts.map(({ word, bytes, colour }) => {
    const sign = colour === null ? '□' : `<span style="color:${colour}">■</span>`;
    return `<span style="white-space:nowrap;margin-right:14px">${sign} ${word} ${formatBytes(bytes)}</span>`;
  });
  const { cells, more } = tableOf(picture, index, most);
  const table =
    cells.length === 0
      ? ''
      : htmlTable(
          TITLES,
          cells.map(row => row.map(escape))
        ) + (more > 0 ? `<p>and ${more} smaller ones</p>` : '');
  const title = `<p style="margin:8px 0 2px"><b>${escape(nameOf(device))}</b>, ${formatBytes(device.total)}${peakOf(device)}</p>`;
  if (device.problem !== undefined) return `${title}<p>✕ ${escape(problemOf(device.problem))}</p>${table}`;
  return (
    `${title}<div style="display:flex;height:14px;border:1px solid rgba(128,128,128,0.6)">${bar.join('')}</div>` +
    `<p style="margin:2px 0">${words.join('')}</p>${table}`
  );
}

function failureLines({ rows, devices }: MemoryPicture): string[] {
  const failures = decodeRows(FAILURE_FIELDS, rows.failures);
  const shown = failures.slice(-MOST_FAILURES).map(row => {
    const cell = rows.texts[row.cell];
    const where = cell === undefined ? '' : ` in ${cell}`;
    const label = devices[row.device]?.label ?? '';
    return `${formatBytes(row.bytes)} refused on ${label}${where}. ${rows.texts[row.reason] ?? ''}`;
  });
  return failures.length > shown.length
    ? [`${failures.length} requests were refused, the latest:`, ...shown]
    : shown;
}

/** Renders HTML with inline styles only; text and background have the page's colours. Rows are omitted if names are long. */
export function renderMemoryHtml(picture: MemoryPicture): string {
  const { devices } = picture;
  return htmlThatFits(share => {
    const most = Math.floor(MOST_ROWS * share);
    const parts = [
      ...devices.slice(0, MOST_DEVICES).map((device, index) => htmlDevice(picture, device, index, most)),
      devices.length > MOST_DEVICES ? `<p>and ${devices.length - MOST_DEVICES} more devices</p>` : '',
      ...failureLines(picture).map(line => `<p>✕ ${escape(line)}</p>`)
    ];
    return htmlDetails(headline(picture), parts.join(''));
  });
}

export function renderMemoryText(picture: MemoryPicture): string {
  const lines = [headline(picture)];
  for (const [index, device] of picture.devices.entries()) {
    const words = partsOf(device).map(({ word, bytes }) => `${word} ${formatBytes(bytes)}`);
    const figures = device.problem === undefined ? words.join(', ') : problemOf(device.problem);
    lines.push(`${nameOf(device)}, ${formatBytes(device.total)}${peakOf(device)}`, `  ${figures}`);
    const { cells, more } = tableOf(picture, index);
    if (cells.length > 0) lines.push(...textTable([TITLES, ...cells]).map(line => `  ${line}`));
    if (more > 0) lines.push(`  and ${more} smaller ones`);
  }
  return [...lines, ...failureLines(picture).map(line => `refused: ${line}`)].join('\n');
}

export function renderMemory(picture: MemoryPicture): PictureTexts {
  return { html: renderMemoryHtml(picture), text: renderMemoryText(picture) };
}
