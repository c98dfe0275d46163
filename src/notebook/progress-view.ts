/** Draws progress bars: as a display that is replaced, in a terminal, or as one line at the end. */

import { randomUUID } from 'node:crypto';

import { escapeMarkup } from './escape.ts';
import { notebookHost, type MimeBundle, type NotebookHost } from './host.ts';
import { progressBarText, progressNumbers, type ProgressState } from './progress-text.ts';
import { TerminalBars } from './terminal-bars.ts';

/** Draws a state of one bar. */
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

function lineOf(state: ProgressState): string {
  return progressBarText(state, BAR_CHARACTERS);
}

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
