/** The section of the Running panel: queries kernels only while that panel is visible, and loads its code on the first query. */

import type { IRunningSessions } from '@jupyterlab/running';
import { Signal } from '@lumino/signaling';
import type { RunningArrays } from './running-arrays.ts';
import { __ } from '../views/kit/phrases.ts';

/** Minimum interval between two queries of the kernels, in ms. */
const LEAST_PERIOD = 2000;
/** Selector of the Running panel. */
const RUNNING_PANEL = '.jp-RunningSessions';

export class LazyRunning implements IRunningSessions.IManager {
  readonly name: string;
  readonly shutdownLabel: string;
  readonly shutdownAllLabel: string;
  readonly shutdownAllConfirmationText: string;
  readonly runningChanged: Signal<this, void> = new Signal<this, void>(this);
  readonly #load: () => Promise<RunningArrays>;
  #loading: Promise<RunningArrays> | undefined;
  #arrays: RunningArrays | undefined;
  #lastQuestion = -Infinity;
  #timer: number | undefined;
  #wanted = true;

  constructor(load: () => Promise<RunningArrays>) {
    this.#load = load;
    this.name = __('GPU Arrays');
    this.shutdownLabel = __('Free');
    this.shutdownAllLabel = __('Free All');
    this.shutdownAllConfirmationText = __(
      'Free every array of every notebook? Code that uses one of them afterwards throws FreedError.'
    );
  }

  /** Whether the section is enabled in the settings. */
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
    if (this.#arrays === undefined) {
      this.#arrays = await (this.#loading ??= this.#load());
      this.#arrays.onChange(() => {
        if (isSeen()) this.#askSoon();
      });
    }
    if (await this.#arrays.ask()) this.runningChanged.emit();
  }
}

function isSeen(): boolean {
  const panel = document.querySelector<HTMLElement>(RUNNING_PANEL);
  return panel !== null && panel.offsetParent !== null;
}
