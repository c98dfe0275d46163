/** The section of the Running panel: queries kernels only while that panel is visible, and loads its code on the first query. */

import type { IRunningSessions } from '@jupyterlab/running';
import { Signal } from '@lumino/signaling';
import type { RunningArrays } from './running-arrays.ts';
import { __ } from '../views/kit/phrases.ts';

/** Minimum interval between two queries of the kernels, in ms. */
const LEAST_PERIOD = 2000;
const RUNNING_PANEL = '.jp-RunningSessions';

export class LazyRunning implements IRunningSessions.IManager {
  readonly name = __('GPU Arrays');
  readonly shutdownLabel = __('Free');
  readonly shutdownAllLabel = __('Free All');
  readonly shutdownAllConfirmationText = __(
    'Free every array of every notebook? Code that uses one of them afterwards throws FreedError.'
  );
  readonly runningChanged: Signal<this, void> = new Signal<this, void>(this);
  readonly #load: (changed: () => void) => Promise<RunningArrays>;
  #loading: Promise<RunningArrays> | undefined;
  #arrays: RunningArrays | undefined;
  #lastQuestion = -Infinity;
  #timer: number | undefined;
  #wanted = true;

  constructor(load: (changed: () => void) => Promise<RunningArrays>) {
    this.#load = load;
  }

  set wanted(wanted: boolean) {
    this.#wanted = wanted;
    this.runningChanged.emit();
  }

  running(): IRunningSessions.IRunningItem[] {
    if (!this.#wanted) return [];
    this.#askSoon();
    return this.#arrays?.items(() => this.refreshRunning()) ?? [];
  }

  refreshRunning(): void {
    this.#lastQuestion = -Infinity;
    this.#askSoon();
  }

  shutdownAll(): void {
    void this.#arrays?.freeAll().then(() => this.refreshRunning());
  }

  /** Schedules a query, because the panel asks for items before it is visible; never two at a time. */
  #askSoon(): void {
    if (this.#timer !== undefined) return;
    const wait = Math.max(50, this.#lastQuestion + LEAST_PERIOD - performance.now());
    this.#timer = window.setTimeout(() => {
      this.#timer = undefined;
      if (this.#wanted && isSeen()) void this.#ask();
    }, wait);
  }

  async #ask(): Promise<void> {
    this.#lastQuestion = performance.now();
    this.#loading ??= this.#load(() => {
      if (isSeen()) this.#askSoon();
    });
    this.#arrays = await this.#loading;
    if (await this.#arrays.ask()) this.runningChanged.emit();
  }
}

function isSeen(): boolean {
  const panel = document.querySelector<HTMLElement>(RUNNING_PANEL);
  return panel !== null && panel.offsetParent !== null;
}
