/** The static picture of an array: our MIME type, HTML that survives notebook sanitizers, and text. */

import type { NDArray } from '../array.ts';
import { formatShape } from '../layout/shape.ts';
import type { MimeBundle } from '../notebook/host.ts';
import { describeArray } from './describe.ts';
import { formatBytes } from './rows.ts';
import { ARRAY_MIME_TYPE, type ArrayDescription, type DescriptorRow } from './schema.ts';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text for HTML, in quotes too. */
export function escape(text: string): string {
  return text.replace(/[&<>"]/g, character => ESCAPES[character] as string);
}

/** `float32 (3, 4) on sim:0 (simulated), 48 B`. */
export function headline(description: ArrayDescription): string {
  const device = description.device.simulated
    ? `${description.device.label} (simulated)`
    : description.device.label;
  return `${description.dtype} ${formatShape(description.shape)} on ${device}, ${formatBytes(description.bytes)}`;
}

/** Signs that every font has, and a word where the row wants attention. */
const VERDICT_SIGNS = { ok: '✓', note: '<b>note:</b>', violation: '✗ <b>violation:</b>' } as const;

/** Code in a sentence stands between backticks. */
function htmlSentence(text: string): string {
  return escape(text).replace(/`([^`]*)`/g, '<code>$1</code>');
}

function htmlRow(row: DescriptorRow): string {
  const cells = [
    `<td style="text-align:left"><b>${escape(row.key)}</b></td>`,
    `<td style="text-align:left"><code>${escape(row.value)}</code></td>`,
    `<td style="text-align:left">${VERDICT_SIGNS[row.verdict]} ${htmlSentence(row.meaning)}</td>`
  ];
  return `<tr>${cells.join('')}</tr>`;
}

function htmlPreview(description: ArrayDescription): string {
  const { preview } = description;
  if (preview === null || preview.rows.length === 0) return '';
  const rows = preview.rows.map(
    row => `<tr>${row.map(value => `<td><code>${escape(value)}</code></td>`).join('')}</tr>`
  );
  return `<table>${rows.join('')}</table>${preview.truncated ? '<p>… more values not shown</p>' : ''}`;
}

function htmlStreams(description: ArrayDescription): string {
  if (description.streams.length === 0) return '<p>No stream has used this array.</p>';
  const items = description.streams.map(use => {
    const exported = use.exported ? ', exported' : '';
    return `<li>${escape(use.label)} (<code>${escape(use.handle)}</code>): ${use.state}, last ${use.access} #${use.sequence}${exported}</li>`;
  });
  return `<ul>${items.join('')}</ul>`;
}

const BLOCKS = '▁▂▃▄▅▆▇█';

/** Counts as a row of blocks; a bin with no element at all is a space. */
function blocks(counts: readonly number[]): string {
  const most = Math.max(...counts, 1);
  return counts.map(count => (count === 0 ? ' ' : BLOCKS[Math.ceil((count / most) * 8) - 1])).join('');
}

/** `min 0, max 11, mean 5.5`, then what has no place among them, loudly; empty where nothing was measured. */
function statisticsWords({ statistics }: ArrayDescription): {
  readonly plain: string;
  readonly loud: string;
} {
  if (statistics.state === 'missing') return { plain: '', loud: '' };
  const { minimum, maximum, mean, histogram, magnitudes } = statistics;
  const extremes = minimum === null ? [] : [`min ${minimum}`, `max ${String(maximum)}`];
  const words = mean === null ? extremes : [...extremes, `mean ${mean}`];
  const infinite = histogram.positiveInfinity + histogram.negativeInfinity;
  const loud = [
    ...(histogram.nan > 0 ? [`${histogram.nan} NaN`] : []),
    ...(infinite > 0 ? [`${infinite} infinite`] : [])
  ];
  return { plain: `${magnitudes ? 'of magnitudes: ' : ''}${words.join(', ')}`, loud: loud.join(', ') };
}

function htmlStatistics(description: ArrayDescription): string {
  const { statistics } = description;
  const { plain, loud } = statisticsWords(description);
  if (statistics.state === 'missing' || plain + loud === '') return '';
  const bars = `<code style="white-space:pre">${blocks(statistics.histogram.counts)}</code>`;
  return `<p>${escape(plain)} ${bars}${loud === '' ? '' : ` <b>✗ ${escape(loud)}</b>`}</p>`;
}

/** Inline styles only, no script, no style element, no svg: what notebook sanitizers let through. */
export function renderHtml(description: ArrayDescription): string {
  const { typeName, type, id } = description.dlpack;
  return [
    `<details open><summary><b>${escape(headline(description))}</b></summary>`,
    htmlStatistics(description),
    `<table><thead><tr>${['key', 'value', 'meaning'].map(title => `<th style="text-align:left">${title}</th>`).join('')}</tr></thead>`,
    `<tbody>${description.descriptor.map(htmlRow).join('')}</tbody></table>`,
    `<p>DLPack device: <code>(${type}, ${id})</code> ${escape(typeName)}</p>`,
    htmlStreams(description),
    htmlPreview(description),
    '</details>'
  ].join('');
}

/** A headline and the first values. */
export function renderText(description: ArrayDescription): string {
  const lines = [headline(description)];
  if (description.lifetime === 'freed') lines.push('freed');
  const { loud } = statisticsWords(description);
  if (loud !== '') lines.push(`  holds ${loud}`);
  const rows = description.preview?.rows ?? [];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0))) ?? [];
  for (const row of rows) lines.push(`  ${row.map((value, i) => value.padStart(widths[i] ?? 0)).join('  ')}`);
  if (description.preview?.truncated === true) lines.push('  …');
  return lines.join('\n');
}

/** What a notebook shows for an array. Waits for its pending work, because it shows values. */
export function renderArrayBundle(array: NDArray): MimeBundle {
  return renderBundle(describeArray(array, { preview: true }));
}

/** The static picture of what is known already. */
export function renderBundle(description: ArrayDescription): MimeBundle {
  return {
    [ARRAY_MIME_TYPE]: description,
    'text/html': renderHtml(description),
    'text/plain': renderText(description)
  };
}
