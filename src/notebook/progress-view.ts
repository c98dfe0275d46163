/** Draws progress bars: as a display that is replaced, in a terminal, or as one line at the end. */

import { randomUUID } from 'node:crypto';

import { escapeMarkup } from './escape.ts';
import { notebookHost, type MimeBundle, type NotebookHost } from './host.ts';
import { TerminalBars } from './terminal-bars.ts';

export interface ProgressState {
  readonly count: number;
  /** Undefined if unknown. */
  readonly total: number | undefined;
  readonly description: string;
  /** In seconds. */
  readonly elapsed: number;
  readonly ending: 'running' | 'done' | 'stopped';
}

export type ProgressView = (state: ProgressState) => void;

const BAR_CHARACTERS = 30;
let terminal: TerminalBars | undefined;

export function progressView(): ProgressView {
  const host = notebookHost();
  if (host !== undefined) return displayedBar(host);
  if (process.stderr.isTTY) {
    const bar = {};
    terminal ??= new TerminalBars(process.stderr);
    return state => terminal?.set(bar, lineOf(state), state.ending !== 'running');
  }
  return state => state.ending !== 'running' && process.stderr.write(`${lineOf(state)}\n`);
}

function displayedBar(host: NotebookHost): ProgressView {
  const displayId = randomUUID();
  let update = false;
  return state => {
    host.display(barBundle(state), { metadata: {}, displayId, update });
    update = true;
  };
}

const lineOf = (state: ProgressState): string => progressBarText(state, BAR_CHARACTERS);

function barBundle(state: ProgressState): MimeBundle {
  const { count, total, description, ending } = state;
  const title = description === '' ? '' : `<span>${escapeMarkup(description)}</span> `;
  const value =
    total === undefined
      ? ending === 'running'
        ? ''
        : ' max="1" value="1"'
      : ` max="${total === 0 ? 1 : total}" value="${total === 0 ? 1 : count}"`;
  const bar = `<progress${value} style="width: 20em; vertical-align: middle"></progress>`;
  return {
    'text/html': `<div>${title}${bar} <small>${escapeMarkup(progressNumbers(state))}</small></div>`,
    'text/plain': lineOf(state)
  };
}

/** Returns `45 % · 45/100 · 3.7/s · 15 s left`. */
function progressNumbers({ count, total, elapsed, ending }: ProgressState): string {
  const rate = elapsed > 0 ? count / elapsed : 0;
  const parts: string[] = [];
  if (total !== undefined) parts.push(`${percentage(count, total)} %`);
  parts.push(total === undefined ? grouped(count) : `${grouped(count)}/${grouped(total)}`);
  if (rate > 0) parts.push(`${rate >= 100 ? grouped(Math.round(rate)) : rate.toPrecision(2)}/s`);
  if (ending !== 'running') parts.push(`${duration(elapsed)}${ending === 'stopped' ? ', stopped' : ''}`);
  else if (total !== undefined && rate > 0 && count < total)
    parts.push(`${duration((total - count) / rate)} left`);
  return parts.join(' · ');
}

function progressBarText(state: ProgressState, width: number): string {
  const { count, total, description } = state;
  const title = description === '' ? '' : `${description} `;
  const bar = total === undefined ? '' : `${blocks(total === 0 ? 1 : Math.min(1, count / total), width)} `;
  return `${title}${bar}${progressNumbers(state)}`;
}

function blocks(share: number, width: number): string {
  const full = Math.round(share * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
}

/** Rounds down, so that 100 appears only at the end. */
function percentage(count: number, total: number): number {
  return total === 0 ? 100 : Math.floor(Math.min(1, count / total) * 100);
}

const grouped = (count: number): string => count.toLocaleString('en');

function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = `${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  return whole < 3_600 ? minutes : `${Math.floor(whole / 3_600)}:${minutes}`;
}
