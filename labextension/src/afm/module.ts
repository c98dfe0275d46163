/**
 * Every picture as one module of anywidget's front-end module convention, for hosts without JupyterLab. The model has `view`, a
 * name from the catalogue, and `picture`, the data for it; `live` is true if our kernel half answers custom messages.
 */

import { PICTURE_KEY, type PictureRequest } from '../../../src/pictures/kit/live-messages.ts';
import type { ModelListener, ModuleModel, WidgetModule } from '../anywidget/types.ts';
import { KernelChannel } from '../models/kernel-channel.ts';
import { findView } from '../views/catalogue.ts';
import type { View } from '../views/kit/view.ts';
import { adoptStyle } from './adopt-style.ts';
import { __ } from '../views/kit/phrases.ts';

const VIEW_KEY = 'view';
const LIVE_KEY = 'live';

/** Calls `listener` on each event; returns a function that unsubscribes. */
function listen(model: ModuleModel, event: string, listener: ModelListener): () => void {
  model.on(event, listener);
  return () => model.off(event, listener);
}

const pictures: WidgetModule = {
  async render({ model, el }) {
    const isLive = model.get(LIVE_KEY) === true;
    const channel = isLive
      ? new KernelChannel((request: PictureRequest) => model.send({ ...request }))
      : undefined;
    let view: View | undefined;
    let drawn = 0;
    const update = (): void => view?.update(model.get(PICTURE_KEY), isLive);

    const draw = async (): Promise<void> => {
      drawn += 1;
      const turn = drawn;
      const name = String(model.get(VIEW_KEY));
      const create = await findView(name)?.();
      // Another view was requested while this one's code was loading.
      if (turn !== drawn) return;
      view?.dispose();
      view = undefined;
      el.replaceChildren();
      adoptStyle(el);
      if (create === undefined)
        el.textContent = __('This version of Stridelab has no picture named %1.', name);
      else view = create(el, { channel });
      update();
    };

    const ends = [
      listen(model, `change:${PICTURE_KEY}`, update),
      listen(model, `change:${VIEW_KEY}`, () => void draw()),
      listen(model, 'msg:custom', (content, buffers) =>
        channel?.receive(content, Array.isArray(buffers) ? (buffers as DataView[]) : [])
      )
    ];
    await draw();
    return () => {
      drawn += 1;
      for (const end of ends) end();
      channel?.abandon(__('The picture was removed from the page.'));
      view?.dispose();
    };
  }
};
export default pictures;
