/** The static picture of recorded exchanges: HTML that survives notebook sanitizers, and text. Pure. */

import { escape } from '../description/html.ts';
import type { ExchangeDescription } from '../description/handshake/schema.ts';
import { plainText, stepOf } from '../description/handshake/steps.ts';

/** Bytes of HTML, of the 10 KB that a picture may have. */
const MOST_HTML = 9000;
/** Lines of text that somebody still reads. */
const MOST_LINES = 40;

const PROTOCOLS = { cai: 'CUDA Array Interface', dlpack: 'DLPack', python: 'to Python' } as const;

export function exchangeTitle({
  number,
  protocol,
  language,
  producer,
  consumer,
  cell,
  device
}: ExchangeDescription): string {
  const way =
    protocol !== 'python' && language === 'python' ? `${PROTOCOLS[protocol]} of Python` : PROTOCOLS[protocol];
  const where = [device, cell].filter(text => text !== null).join(', ');
  return `#${number} ${way}: ${producer} → ${consumer}${where === '' ? '' : ` (${where})`}`;
}

interface Line {
  readonly time: string;
  readonly sentence: string;
}

function linesOf({ facts, protocol, more }: ExchangeDescription): Line[] {
  const start = facts.find(fact => fact.kind !== 'work')?.time ?? 0;
  const lines = facts.map(fact => {
    const { says, rules } = stepOf(fact, protocol);
    const why = rules.length === 0 ? '' : ` (${rules.length === 1 ? 'rule' : 'rules'} ${rules.join(', ')})`;
    const time = fact.kind === 'work' ? 'before' : `${((fact.time ?? 0) - start).toFixed(1)} us`;
    return { time, sentence: `${plainText(says)}${why}` };
  });
  if (more > 0) lines.push({ time: '', sentence: `… and ${more} later uses` });
  return lines;
}

function summary(exchanges: readonly ExchangeDescription[], recording: boolean): string {
  const count = `${exchanges.length} ${exchanges.length === 1 ? 'exchange' : 'exchanges'} recorded`;
  return recording ? `${count}, still recording` : count;
}

function nothing(recording: boolean): string {
  return recording
    ? 'No exchange yet: import or export an array, by asCudaArray, fromDlpack, python.asArray.'
    : 'No exchange was recorded: call exchanges.start(), then import or export an array.';
}

const code = (sentence: string): string => escape(sentence).replace(/`([^`]*)`/g, '<code>$1</code>');

function htmlOf(exchange: ExchangeDescription): string {
  const rows = linesOf(exchange).map(
    ({ time, sentence }) =>
      `<tr><td style="text-align:right;white-space:nowrap">${time}</td><td style="text-align:left">${code(sentence)}</td></tr>`
  );
  return `<details open><summary><b>${escape(exchangeTitle(exchange))}</b></summary><table>${rows.join('')}</table></details>`;
}

/** The latest exchanges first, as many as fit; always less than 10 KB. */
export function renderExchangesHtml(exchanges: readonly ExchangeDescription[], recording: boolean): string {
  if (exchanges.length === 0) return `<p>${nothing(recording)}</p>`;
  const parts = [`<p>${summary(exchanges, recording)}</p>`];
  let size = (parts[0] as string).length;
  let left = exchanges.length;
  for (const exchange of exchanges.toReversed()) {
    const html = htmlOf(exchange);
    // Letters outside ASCII take up to three bytes.
    size += Buffer.byteLength(html);
    if (size > MOST_HTML) break;
    parts.push(html);
    left--;
  }
  if (left > 0) parts.push(`<p>… and ${left} earlier</p>`);
  return parts.join('');
}

export function renderExchangesText(exchanges: readonly ExchangeDescription[], recording: boolean): string {
  if (exchanges.length === 0) return nothing(recording);
  const lines = exchanges
    .toReversed()
    .flatMap(exchange => [
      exchangeTitle(exchange),
      ...linesOf(exchange).map(
        ({ time, sentence }) => `  ${time.padStart(9)}  ${sentence.replaceAll('`', '')}`
      )
    ]);
  const shown = lines.slice(0, MOST_LINES);
  if (lines.length > MOST_LINES) shown.push('…');
  return [summary(exchanges, recording), ...shown].join('\n');
}
