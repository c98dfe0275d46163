/** The static picture of exchanges and lessons: HTML that survives notebook sanitizers, and text. Pure. */

import { formatCounted } from '../../base/count-text.ts';
import { formatDuration } from '../../base/time-text.ts';
import { MOST_PARTS, escape, htmlDetails, htmlSentence, htmlTable } from '../kit/html.ts';
import { lessonFacts } from './lesson.ts';
import type { Protocol } from '../../interchange/observer.ts';
import type { ExchangeDescription, Fact } from '../../recording/exchanges/facts.ts';
import type { LessonChoice } from './schema.ts';
import { stepOf } from './steps.ts';
import { STEP_WORDS } from './words.ts';
import type { PictureTexts } from '../kit/live-messages.ts';
import { shorten } from '../../base/short-texts.ts';

/** Maximum number of text lines: more would not be read. */
const MOST_LINES = 40;
/** Maximum characters of an external message or name. */
const LONGEST = 200;

const PROTOCOLS: Readonly<Record<Protocol, string>> = {
  cai: 'CUDA Array Interface',
  dlpack: 'DLPack',
  python: 'to Python'
};

export function exchangeTitle(exchange: ExchangeDescription): string {
  const { number, protocol, language, producer, consumer, cell, device } = exchange;
  const foreign = protocol !== 'python' && language === 'python';
  const way = foreign ? `${PROTOCOLS[protocol]} in Python` : PROTOCOLS[protocol];
  const where = [device, cell].filter(text => text !== null).join(', ');
  return `#${number} ${way}: ${cut(producer)} → ${cut(consumer)}${where === '' ? '' : ` (${where})`}`;
}

const cut = (text: string): string => shorten(text, LONGEST);

/** A time or a number, and a sentence. */
type Line = readonly [head: string, sentence: string];

function sentenceOf(fact: Fact, protocol: Protocol): string {
  const step = stepOf(fact, protocol, STEP_WORDS);
  if (step === undefined) return fact.kind;
  const {
    says: [text, ...values],
    rules
  } = step;
  const sentence = text.replace(/%(\d)/g, (found, digit) => values[Number(digit) - 1] ?? found);
  const why = rules.length === 0 ? '' : ` (${rules.length === 1 ? 'rule' : 'rules'} ${rules.join(', ')})`;
  return `${cut(sentence)}${why}`;
}

function linesOf({ facts, protocol, more }: ExchangeDescription): Line[] {
  const start = facts.find(fact => fact.kind !== 'work')?.time ?? 0;
  const lines = facts.map((fact): Line => {
    const time = fact.kind === 'work' ? 'before' : formatDuration((fact.time ?? 0) - start);
    return [time, sentenceOf(fact, protocol)];
  });
  if (more > 0) lines.push(['', `… and ${more} later uses`]);
  return lines;
}

function summary(exchanges: readonly ExchangeDescription[], recording: boolean): string {
  const count = `${formatCounted(exchanges.length, 'exchange')} recorded`;
  return recording ? `${count}, still recording` : count;
}

/** Returns what to do if nothing was recorded. */
export function adviceFor(recording: boolean): string {
  return recording
    ? 'No exchange yet: import or export an array, with `asCudaArray`, `fromDlpack` or `python.asArray`.'
    : 'No exchange was recorded: call `exchanges.start()`, then import or export an array.';
}

const htmlLines = (lines: readonly Line[]): string =>
  htmlTable(
    [],
    lines.map(([head, sentence]) => [escape(head), htmlSentence(sentence)])
  );

const textLines = (lines: readonly Line[]): string[] =>
  lines.map(([head, sentence]) => `  ${head.padStart(9)}  ${sentence.replaceAll('`', '')}`);

/** Renders the latest exchanges first, as many as fit; always less than 10 KB. */
export function renderExchangesHtml(exchanges: readonly ExchangeDescription[], recording: boolean): string {
  if (exchanges.length === 0) return `<p>${htmlSentence(adviceFor(recording))}</p>`;
  const parts = [`<p>${summary(exchanges, recording)}</p>`];
  let size = 0;
  let left = exchanges.length;
  for (const exchange of exchanges.toReversed()) {
    const html = htmlDetails(exchangeTitle(exchange), htmlLines(linesOf(exchange)));
    // Characters outside ASCII take up to three bytes.
    size += Buffer.byteLength(html);
    if (size > MOST_PARTS) break;
    parts.push(html);
    left--;
  }
  if (left > 0) parts.push(`<p>… and ${left} earlier</p>`);
  return parts.join('');
}

export function renderExchangesText(exchanges: readonly ExchangeDescription[], recording: boolean): string {
  if (exchanges.length === 0) return adviceFor(recording).replaceAll('`', '');
  const lines = exchanges
    .toReversed()
    .flatMap(exchange => [exchangeTitle(exchange), ...textLines(linesOf(exchange))]);
  const shown = lines.slice(0, MOST_LINES);
  if (lines.length > MOST_LINES) shown.push('…');
  return [summary(exchanges, recording), ...shown].join('\n');
}

export function renderExchanges(exchanges: readonly ExchangeDescription[], recording: boolean): PictureTexts {
  return {
    html: renderExchangesHtml(exchanges, recording),
    text: renderExchangesText(exchanges, recording)
  };
}

export function renderLesson(choice: LessonChoice): PictureTexts {
  const skipped = choice.sync ? '' : ', without synchronization';
  const title = `${PROTOCOLS[choice.protocol]} exchange${skipped}`;
  const lines = lessonFacts(choice).map((fact, index): Line => [
    String(index + 1),
    sentenceOf(fact, choice.protocol)
  ]);
  return { html: htmlDetails(title, htmlLines(lines)), text: [title, ...textLines(lines)].join('\n') };
}
