/**
 * One output of a live picture. Its model may be gone: the kernel died, or the notebook was opened anew. The widget manager then says
 * "model not found"; this shows the static picture that the same output holds, for as long as there is no live one.
 */

import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Panel } from '@lumino/widgets';

export const WIDGET_VIEW_TYPE = 'application/vnd.jupyter.widget-view+json';
/** Milliseconds before the static picture is drawn: a live one that comes at once needs no other before it. */
export const PATIENCE = 300;

/** The widget manager of the notebook, as far as an output needs it. */
export interface LiveSide {
  /** Differs once another manager draws: one is there only after the kernel has been reached. Undefined without any. */
  manager(): unknown;
  /** What draws a widget for that manager. */
  create(): IRenderMime.IRenderer;
  /** Calls `listener` when the manager may be another; returns the call that ends it. */
  watch(listener: () => void): () => void;
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

  constructor(createStill: () => IRenderMime.IRenderer, side: LiveSide) {
    super();
    this.#createStill = createStill;
    this.#side = side;
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.#model = model;
    this.#endLive();
    // A widget runs code of the page for a kernel: not for a notebook that nobody trusts.
    const mayLive = model.trusted && WIDGET_VIEW_TYPE in model.data;
    if (!mayLive || this.#side.manager() === undefined) await this.#showStill();
    if (!mayLive) return;
    this.#unwatch ??= this.#side.watch(() => void this.#goLive());
    await this.#goLive();
  }

  override dispose(): void {
    this.#endLive();
    this.#unwatch?.();
    super.dispose();
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
    await live.renderModel(this.#model);
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
    } else if (this.#still === undefined) this.#timer ??= setTimeout(() => void this.#showStill(), PATIENCE);
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
    this.#manager = undefined;
  }
}
