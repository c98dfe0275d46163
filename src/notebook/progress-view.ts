/** Where a progress bar is drawn: a display that is replaced, a terminal, or a line at the end. */

import { randomUUID } from 'node:crypto';

import { escapeMarkup } from './escape.ts';
import { notebookHost, type MimeBundle, type NotebookHost } from './host.ts';
import { progressBarText, progressNumbers, type ProgressState } from './progress-text.ts';
import { TerminalBars } from './terminal-bars.ts';

export interface ProgressView {
  show(state: ProgressState): void;
}

const BAR_CHARACTERS = 30;
let terminal: TerminalBars | undefined;

export function progressView(): ProgressView {
  const host = notebookHost();
  if (host !== undefined) return new DisplayedBar(host);
  if (process.stderr.isTTY) return new TerminalBar();
  return { show: state => state.ending !== 'running' && process.stderr.write(`${lineOf(state)}\n`) };
}

class DisplayedBar implements ProgressView {
  readonly #host: NotebookHost;
  readonly #displayId = randomUUID();
  #shown = false;

  constructor(host: NotebookHost) {
    this.#host = host;
  }

  show(state: ProgressState): void {
    const details = { metadata: {}, displayId: this.#displayId, update: this.#shown };
    this.#host.display(barBundle(state), details);
    this.#shown = true;
  }
}

class TerminalBar implements ProgressView {
  show(state: ProgressState): void {
    terminal ??= new TerminalBars(process.stderr);
    terminal.set(this, lineOf(state), state.ending !== 'running');
  }
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
