/** The static picture of an array: our MIME type, HTML that survives notebook sanitizers, and text, both of bounded length. */

import type { NDArray } from '../../array/array.ts';
import { notebookHost, type MimeBundle } from '../../notebook/host.ts';
import { captureUnderWay } from '../../core/stream.ts';
import { describeArray } from './describe.ts';
import { headlineOf } from '../../array/headline.ts';
import {
  MOST_PARTS,
  bold,
  code,
  escape,
  htmlDetails,
  htmlPreformatted,
  htmlSentence,
  htmlTable,
  textTable
} from '../kit/html.ts';
import type { PictureTexts } from '../kit/live-messages.ts';
import { variableNames } from '../kit/names.ts';
import { cut, shorten } from '../../base/short-texts.ts';
import type { ArrayDescription, DescriptorRow } from './schema.ts';
import { staticBundle } from '../kit/static-picture.ts';
import { arrayText } from '../text/array-text.ts';

/** Formats the headline: `float32 (3, 4) on sim:0 (simulated), 48 B`. */
export function headline(description: ArrayDescription): string {
  const device = description.device.simulated
    ? `${description.device.label} (simulated)`
    : description.device.label;
  return headlineOf(description.dtype, description.shape, device, description.bytes);
}

/** Signs that every font has, with a word for rows that need attention. */
const VERDICT_SIGNS = { ok: '✓', note: '<b>note:</b>', violation: '✗ <b>violation:</b>' } as const;

/** Maximum characters of a value in tables and text; our MIME type has the full value. */
const LONGEST_VALUE = 160;
const LONGEST_ELEMENT = 24;
/** Maximum number of streams listed: the newest, which are last. */
const MOST_STREAMS = 6;

const cutElement = (text: string): string => shorten(text, LONGEST_ELEMENT);

/** Renders the descriptor, with absent keys folded below the others. */
function htmlDescriptor({ descriptor, text }: ArrayDescription): string {
  if (descriptor.length === 0) return '';
  const isAbsent = ({ value, verdict }: DescriptorRow): boolean =>
    text !== undefined && value === 'absent' && verdict === 'ok';
  const absent = descriptor.filter(isAbsent);
  const folded =
    absent.length === 0
      ? ''
      : htmlDetails(`Absent: ${absent.map(({ key }) => key).join(', ')}`, descriptorTable(absent), true);
  return descriptorTable(descriptor.filter(row => !isAbsent(row))) + folded;
}

function descriptorTable(descriptor: readonly DescriptorRow[]): string {
  const rows = descriptor.map(({ key, value, verdict, meaning }) => [
    bold(key),
    code(cut(value, LONGEST_VALUE)),
    `${VERDICT_SIGNS[verdict]} ${htmlSentence(cut(meaning, LONGEST_VALUE))}`
  ]);
  return htmlTable(['key', 'value', 'meaning'], rows);
}

function htmlPreview({ preview }: ArrayDescription): string {
  if (preview === null || preview.rows.length === 0) return '';
  const rows = preview.rows.map(row => row.map(value => code(cutElement(value))));
  const more = preview.truncated ? '<p>… more values not shown</p>' : '';
  return htmlTable([], rows, 0) + more;
}

function htmlStreams({ lifetime, streams }: ArrayDescription): string {
  if (lifetime === 'freed') return '<p>The memory was freed.</p>';
  if (streams.length === 0) return '<p>No stream has used this array.</p>';
  const items = streams.slice(-MOST_STREAMS).map(use => {
    const exported = use.exported ? ', exported' : '';
    return `<li>${escape(use.label)} (${code(use.handle)}): ${use.state}, last ${use.access} #${use.sequence}${exported}</li>`;
  });
  const older = streams.length - items.length;
  return `<ul>${items.join('')}</ul>${older > 0 ? `<p>and ${older} older</p>` : ''}`;
}

const BLOCKS = '▁▂▃▄▅▆▇█';

/** Draws counts as block characters; an empty bin is a space. */
function blocks(counts: readonly number[]): string {
  const most = Math.max(...counts, 1);
  return counts.map(count => (count === 0 ? ' ' : BLOCKS[Math.ceil((count / most) * 8) - 1])).join('');
}

/** Formats `min 0, max 11, mean 5.5`, then the counts of special values; empty if nothing was measured. */
function statisticsWords({ statistics }: ArrayDescription): Readonly<Record<'plain' | 'loud', string>> {
  if (statistics.state === 'missing') return { plain: '', loud: '' };
  const { minimum, maximum, mean, histogram } = statistics;
  const extremes = minimum === null ? [] : [`min ${minimum}`, `max ${String(maximum)}`];
  const words = mean === null ? extremes : [...extremes, `mean ${mean}`];
  const infinite = histogram.positiveInfinity + histogram.negativeInfinity;
  const loud = [
    ...(histogram.nan > 0 ? [`${histogram.nan} NaN`] : []),
    ...(infinite > 0 ? [`${infinite} infinite`] : [])
  ];
  return { plain: words.join(', '), loud: loud.join(', ') };
}

/** Returns why values are missing after the loss of a device; otherwise empty. */
function lossOf({ lifetime, statistics }: ArrayDescription): string {
  return lifetime === 'lost' && statistics.state === 'missing' ? statistics.reason : '';
}

function htmlLoss(description: ArrayDescription): string {
  const loss = lossOf(description);
  return loss === '' ? '' : `<p><b>✗ lost:</b> ${escape(loss)}</p>`;
}

function htmlStatistics(description: ArrayDescription): string {
  const { statistics } = description;
  const { plain, loud } = statisticsWords(description);
  if (statistics.state === 'missing' || plain + loud === '') return '';
  const bars = `<code style="white-space:pre">${blocks(statistics.histogram.counts)}</code>`;
  return `<p>${escape(plain)} ${bars}${loud === '' ? '' : ` <b>✗ ${escape(loud)}</b>`} ${escape(statistics.note)}</p>`;
}

function htmlDevice({ lifetime, dlpack: { typeName, type, id } }: ArrayDescription): string {
  if (lifetime === 'freed') return '';
  return `<p>DLPack device: ${code(`(${type}, ${id})`)} ${escape(typeName)}</p>`;
}

/** Renders at most {@link MOST_PARTS} bytes: parts that do not fit are left out. An array's own `text` comes first, the rest is folded. */
export function renderHtml(description: ArrayDescription): string {
  const { text } = description;
  const parts = [htmlLoss, htmlStatistics, htmlDescriptor, htmlDevice, htmlStreams];
  if (text === undefined) parts.push(htmlPreview);
  const values = text === undefined ? '' : htmlPreformatted(text);
  const { loud } = statisticsWords(description);
  const folded = `Descriptor, streams, statistics${loud === '' ? '' : ` (contains ${loud})`}`;
  const title = text === undefined ? headline(description) : folded;
  const rest = '<p>… truncated: the rest is too long.</p>';
  let html = '';
  let size = Buffer.byteLength(values + htmlDetails(title, rest));
  let omitted = false;
  for (const part of parts) {
    const piece = part(description);
    const bytes = Buffer.byteLength(piece);
    if (size + bytes > MOST_PARTS) {
      omitted = true;
      continue;
    }
    html += piece;
    size += bytes;
  }
  return values + htmlDetails(title, html + (omitted ? rest : ''), text !== undefined);
}

export function renderText(description: ArrayDescription): string {
  if (description.text !== undefined) return description.text;
  const lines = [headline(description)];
  if (description.lifetime === 'freed') lines.push('freed');
  const loss = lossOf(description);
  if (loss !== '') lines.push(`lost: ${loss}`);
  const { loud } = statisticsWords(description);
  if (loud !== '') lines.push(`  contains ${loud}`);
  const rows = (description.preview?.rows ?? []).map(row => row.map(cutElement));
  lines.push(...textTable(rows, 0).map(line => `  ${line}`));
  if (description.preview?.truncated === true) lines.push('  …');
  return lines.join('\n');
}

/** Returns the notebook's display of an array: its values, and everything else in a fold. */
export function renderArrayBundle(array: NDArray): MimeBundle {
  const text = arrayText(array);
  const names = variableNames(array, notebookHost()?.variables?.() ?? {});
  const described = describeArray(array, captureUnderWay() ? { preview: false } : {});
  const description = { ...described, text, names };
  return staticBundle('ArrayInspector', description, renderArray(description));
}

export function renderArray(description: ArrayDescription): PictureTexts {
  return { html: renderHtml(description), text: renderText(description) };
}
