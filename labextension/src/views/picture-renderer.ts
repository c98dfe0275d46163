/** Draws a static picture from the saved output alone, without a kernel or a widget manager. */

import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Widget } from '@lumino/widgets';
import { ARRAY_MIME_TYPE } from '../../../src/pictures/kit/live-messages.ts';
import { findView } from './catalogue.ts';
import { __, useTranslator } from './kit/phrases.ts';
import type { CreateView, View } from './kit/view.ts';

export class PictureRenderer extends Widget implements IRenderMime.IRenderer {
  readonly #options: Pick<IRenderMime.IRendererOptions, 'mimeType' | 'translator'>;
  #name: string | undefined;
  #view: View | undefined;
  /** Counts render requests, to discard outdated ones. */
  #turn = 0;

  constructor(options: Pick<IRenderMime.IRendererOptions, 'mimeType' | 'translator'>) {
    super();
    this.#options = options;
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const { mimeType } = this.#options;
    const { name, picture } = pictureIn(mimeType, model.data[mimeType]);
    this.#turn += 1;
    const turn = this.#turn;
    const create = name === this.#name ? undefined : await findView(name)?.();
    // A later picture arrived while this one's code was loading.
    if (turn !== this.#turn || this.isDisposed) return;
    if (name !== this.#name) this.#create(name, create);
    this.#view?.update(picture, false);
  }

  override dispose(): void {
    this.#view?.dispose();
    super.dispose();
  }

  #create(name: string, create: CreateView | undefined): void {
    if (this.#options.translator) useTranslator(this.#options.translator);
    this.#view?.dispose();
    this.node.replaceChildren();
    this.#name = name;
    this.#view = create?.(this.node, {});
    if (create === undefined)
      this.node.textContent = __('This version of Stridelab has no picture named %1.', name);
  }
}

function pictureIn(mimeType: string, data: unknown): { readonly name: string; readonly picture: unknown } {
  if (mimeType === ARRAY_MIME_TYPE) return { name: 'ArrayInspector', picture: data };
  const { view, picture } = (data ?? {}) as Record<string, unknown>;
  return { name: typeof view === 'string' ? view : '', picture };
}
