/** The static picture of an array: drawn from the saved output alone, with no kernel and no widget manager. */

import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Widget } from '@lumino/widgets';
import { ARRAY_MIME_TYPE } from '../../../src/description/schema.ts';
import { createArrayInspector } from '../views/array-inspector/inspector.ts';
import type { ArrayInspector } from '../views/array-inspector/inspector.ts';
import { englishPhrases, TRANSLATION_DOMAIN } from '../views/phrases.ts';

/** After the widget view (-10), before HTML (50): the live widget wins, the plain table loses. */
const RANK = 10;

export class ArrayRenderer extends Widget implements IRenderMime.IRenderer {
  readonly #mimeType: string;
  readonly #inspector: ArrayInspector;

  constructor({ mimeType, translator }: Pick<IRenderMime.IRendererOptions, 'mimeType' | 'translator'>) {
    super();
    this.#mimeType = mimeType;
    this.#inspector = createArrayInspector(this.node, {
      phrases: translator?.load(TRANSLATION_DOMAIN) ?? englishPhrases
    });
  }

  renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.#inspector.update(model.data[this.#mimeType], false);
    return Promise.resolve();
  }

  override dispose(): void {
    this.#inspector.dispose();
    super.dispose();
  }
}

const extension: IRenderMime.IExtension = {
  id: 'stridelab:array-mime',
  description: 'Draws the static picture of an array.',
  rendererFactory: {
    safe: true,
    mimeTypes: [ARRAY_MIME_TYPE],
    createRenderer: options => new ArrayRenderer(options)
  },
  rank: RANK,
  dataType: 'json'
};
export default extension;
