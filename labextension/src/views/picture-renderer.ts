/** Draws a static picture from the saved output alone, without a kernel or a widget manager. */

import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Widget } from '@lumino/widgets';
import { ARRAY_MIME_TYPE } from '../../../src/pictures/kit/live-messages.ts';
import { useTranslator } from './kit/phrases.ts';
import { createMount } from './mount.ts';

export class PictureRenderer extends Widget implements IRenderMime.IRenderer {
  readonly #mimeType: string;
  readonly #mount = createMount(this.node);

  constructor({ mimeType, translator }: Pick<IRenderMime.IRendererOptions, 'mimeType' | 'translator'>) {
    super();
    this.#mimeType = mimeType;
    if (translator) useTranslator(translator);
  }

  async renderModel({ data }: IRenderMime.IMimeModel): Promise<void> {
    const saved: unknown = data[this.#mimeType];
    if (this.#mimeType === ARRAY_MIME_TYPE) return this.#mount.show('ArrayInspector', saved, false);
    const { view, picture } = (saved ?? {}) as Record<string, unknown>;
    return this.#mount.show(typeof view === 'string' ? view : '', picture, false);
  }

  override dispose(): void {
    this.#mount.dispose();
    super.dispose();
  }
}
