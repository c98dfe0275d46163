/** Renders static pictures in outputs. */

import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { PICTURE_MIME_TYPE, ARRAY_MIME_TYPE } from '../../../src/pictures/kit/live-messages.ts';
import { LazyOutput } from './lazy-output.ts';

/** After the widget view (-10), before HTML (50): a live widget is preferred to this, and this to the plain table. */
const RANK = 10;

const extension: IRenderMime.IExtension = {
  id: 'stridelab:pictures',
  description: 'Draws static pictures of arrays, traces, memory and exchanges.',
  rendererFactory: {
    safe: true,
    mimeTypes: [ARRAY_MIME_TYPE, PICTURE_MIME_TYPE],
    createRenderer: options =>
      new LazyOutput(async () => {
        const { PictureRenderer } = await import('../views/picture-renderer.ts');
        return new PictureRenderer(options);
      })
  },
  rank: RANK,
  dataType: 'json'
};
export default extension;
