/**
 * One output of a live picture. Its model may be missing: the kernel exited, or the notebook was opened again. The widget manager then says
 * "model not found"; this shows the static picture that the same output holds, for as long as there is no live one. While there is one, the
 * static picture follows it, so that a notebook is saved with what was seen last.
 */

import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { JSONExt, type PartialJSONObject } from '@lumino/coreutils';
import { Panel } from '@lumino/widgets';
import { WIDGET_VIEW_TYPE } from '../../../src/pictures/kit/live-messages.ts';
import { shownPictures } from '../notebook/shown-pictures.ts';

/** Milliseconds before the static picture is drawn: a live one that comes at once needs no other before it. */
export const PATIENCE = 300;
/** Milliseconds between two changes of the notebook by a picture that goes on changing. */
export const WRITE_PERIOD = 2000;

/** The widget manager of the notebook, as far as an output needs it. */
export interface LiveSide {
  /** Differs once another manager draws: one is there only after the kernel has been reached. Undefined without any. */
  manager(): unknown;
  /** What draws a widget for that manager. */
  create(): IRenderMime.IRenderer;
  /** Calls `listener` when the manager may be another; returns the call that ends it. */
  watch(listener: () => void): () => void;
  /** Calls `listener` just before the notebook is saved; returns the call that ends it. */
  beforeSave(listener: () => void): () => void;
  /** Whether several pages edit the notebook together. Each of them would replace the output, and there would be several. */
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
  /** Runs for a while after each write; what changes meanwhile is written at its end. */
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
      // The static picture alone is another one.
      await this.#still?.renderModel(model);
      return;
    }
    this.#endLive();
    // A widget runs code of the page for a kernel, so the notebook must be trusted.
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

  /** Has the output hold what the live picture shows; false if it does. The notebook then has unsaved changes, and nothing to undo. */
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

  /** Has the manager there is now draw the widget, where that was not tried yet. */
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
      // The output may be cleared while the widget is loaded, which then has no place.
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

/** The id of the live picture's model. */
function viewOf(model: IRenderMime.IMimeModel | undefined): string | undefined {
  const view = model?.data[WIDGET_VIEW_TYPE] as { readonly model_id?: string } | undefined;
  return view?.model_id;
}
