/**
 * One output of a live picture. Its model may be missing: the kernel exited, or the notebook was reopened. The widget
 * manager would then show "model not found"; this shows the output's static picture until there is a live one, and
 * updates the static picture from the live one, so that a notebook is saved with the last displayed state.
 */

import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { JSONExt, type PartialJSONObject } from '@lumino/coreutils';
import { Panel } from '@lumino/widgets';
import { WIDGET_VIEW_TYPE } from '../../../src/pictures/kit/live-messages.ts';
import { shownPictures } from '../notebook/shown-pictures.ts';

/** Delay before the static picture is drawn, in ms: unnecessary if the live one arrives quickly. */
export const PATIENCE = 300;
/** Minimum interval between two writes of a changing picture to the notebook, in ms. */
export const WRITE_PERIOD = 2000;

/** The part of the notebook's widget manager that an output needs. */
export interface LiveSide {
  /** Identifies the current manager: one exists only after the kernel was reached. Undefined if there is none. */
  manager(): unknown;
  create(): IRenderMime.IRenderer;
  /** Calls `listener` when the manager may have changed; returns a function that unsubscribes. */
  watch(listener: () => void): () => void;
  /** Calls `listener` just before the notebook is saved; returns a function that unsubscribes. */
  beforeSave(listener: () => void): () => void;
  /** Returns true if several pages edit the notebook together. Each would replace the output, which would duplicate it. */
  isShared(): boolean;
}

export class LiveOutput extends Panel implements IRenderMime.IRenderer {
  readonly #createStill: () => IRenderMime.IRenderer;
  readonly #side: LiveSide;
  readonly #observer = new MutationObserver(() => this.#choose());
  #unwatch: (() => void) | undefined;
  #model: IRenderMime.IMimeModel | undefined;
  #manager: unknown;
  #live: IRenderMime.IRenderer | undefined;
  #still: IRenderMime.IRenderer | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Runs for a while after each write; changes made during that time are written when it expires. */
  #writing: ReturnType<typeof setTimeout> | undefined;
  #unwritten = false;
  #wasLive = false;

  constructor(createStill: () => IRenderMime.IRenderer, side: LiveSide) {
    super();
    this.#createStill = createStill;
    this.#side = side;
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const isSame = this.#live !== undefined && viewOf(model) === viewOf(this.#model);
    this.#model = model;
    if (isSame && model.trusted) {
      // Only the static picture changed.
      await this.#still?.renderModel(model);
      return;
    }
    this.#endLive();
    // A widget runs code on behalf of the kernel, so the notebook must be trusted.
    const mayLive = model.trusted && WIDGET_VIEW_TYPE in model.data;
    if (!mayLive || this.#side.manager() === undefined) await this.#showStill();
    if (!mayLive) return;
    this.#unwatch ??= this.#watch();
    await this.#goLive();
  }

  override dispose(): void {
    this.#endLive();
    this.#unwatch?.();
    clearTimeout(this.#writing);
    super.dispose();
  }

  #watch(): () => void {
    const ends = [
      this.#side.watch(() => void this.#goLive()),
      this.#side.beforeSave(() => void this.#write()),
      shownPictures.onChange((id, isLast) => this.#follow(id, isLast))
    ];
    return () => ends.forEach(end => end());
  }

  #follow(id: string, isLast = false): void {
    if (id !== viewOf(this.#model) || this.#side.isShared()) return;
    if (isLast) return void this.#write();
    this.#unwritten = true;
    if (this.#writing !== undefined || !this.#write()) return;
    this.#writing = setTimeout(() => {
      this.#writing = undefined;
      if (this.#unwritten) this.#follow(id);
    }, WRITE_PERIOD);
  }

  /** Copies the live picture into the output; false if it is unchanged. The notebook then has unsaved changes, but no undo step. */
  #write(): boolean {
    this.#unwritten = false;
    const id = viewOf(this.#model);
    const shown = id === undefined || !this.#isLive() ? undefined : shownPictures.read(id);
    if (this.#model === undefined || shown === undefined) return false;
    const data = this.#model.data;
    const next = { ...data, ...shown } as PartialJSONObject;
    if (JSONExt.deepEqual(data, next)) return false;
    this.#model.setData({ data: next });
    return true;
  }

  /** Draws the widget with the current manager, unless that was tried already. */
  async #goLive(): Promise<void> {
    const manager = this.#side.manager();
    if (this.isDisposed || this.#model === undefined || manager === this.#manager || this.#isLive()) return;
    this.#endLive();
    this.#manager = manager;
    if (manager === undefined) return;
    const live = this.#side.create();
    this.#live = live;
    this.addWidget(live);
    this.#observer.observe(live.node, { childList: true, subtree: true });
    this.#choose();
    await live.renderModel(this.#model).catch((error: unknown) => {
      // The output was cleared while the widget was loading.
      if (!live.isDisposed) throw error;
    });
  }

  #isLive(): boolean {
    return this.#live !== undefined && this.#live.node.querySelector('.stridelab-view') !== null;
  }

  #choose(): void {
    if (this.#live === undefined) return;
    const isLive = this.#isLive();
    this.#live.node.style.display = isLive ? '' : 'none';
    if (isLive) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#still?.dispose();
      this.#still = undefined;
      const id = viewOf(this.#model);
      // The kernel may have continued while no page was open.
      if (!this.#wasLive && id !== undefined) this.#follow(id);
    } else if (this.#still === undefined) this.#timer ??= setTimeout(() => void this.#showStill(), PATIENCE);
    this.#wasLive = isLive;
  }

  async #showStill(): Promise<void> {
    this.#timer = undefined;
    if (this.#model === undefined || this.isDisposed) return;
    if (this.#still === undefined) {
      this.#still = this.#createStill();
      this.addWidget(this.#still);
    }
    await this.#still.renderModel(this.#model);
  }

  #endLive(): void {
    this.#observer.disconnect();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#live?.dispose();
    this.#live = undefined;
    this.#wasLive = false;
    this.#manager = undefined;
  }
}

function viewOf(model: IRenderMime.IMimeModel | undefined): string | undefined {
  const view = model?.data[WIDGET_VIEW_TYPE] as { readonly model_id?: string } | undefined;
  return view?.model_id;
}
