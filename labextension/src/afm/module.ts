/**
 * Every picture as one module of anywidget's front-end module convention, for hosts without JupyterLab. The model has `view`, a
 * name from the catalogue, and `picture`, the data for it; `live` is true if our kernel half answers custom messages.
 */

import { PICTURE_KEY, type PictureRequest } from '../../../src/pictures/kit/live-messages.ts';
import type { RenderOptions, WidgetModule } from '../anywidget/types.ts';
import { KernelChannel } from '../models/kernel-channel.ts';
import { createMount } from '../views/mount.ts';
import { adoptStyle } from './adopt-style.ts';
import { __ } from '../views/kit/phrases.ts';

const VIEW_KEY = 'view';
const LIVE_KEY = 'live';

/** The options that hosts of all versions of the convention pass; those before anywidget 0.11 pass no signal. */
type HostOptions = Pick<RenderOptions, 'model' | 'el'> & Partial<Pick<RenderOptions, 'signal'>>;

const pictures: WidgetModule = {
  async render({ model, el, signal }: HostOptions) {
    if (signal?.aborted === true) return;
    const isLive = model.get(LIVE_KEY) === true;
    const channel = isLive
      ? new KernelChannel((request: PictureRequest) => model.send({ ...request }))
      : undefined;
    const mount = createMount(el, channel);
    const draw = async (): Promise<void> => {
      await mount.show(String(model.get(VIEW_KEY)), model.get(PICTURE_KEY), isLive);
      adoptStyle(el);
    };
    const update = (): void => void draw();
    const receive = (content: unknown, buffers: unknown): void =>
      channel?.receive(content, Array.isArray(buffers) ? (buffers as DataView[]) : []);
    const listeners = [
      [`change:${PICTURE_KEY}`, update],
      [`change:${VIEW_KEY}`, update],
      ['msg:custom', receive]
    ] as const;
    let ended = false;
    // A host may abort the signal, call the returned function, or do both.
    const end = (): void => {
      if (ended) return;
      ended = true;
      for (const [event, listener] of listeners) model.off(event, listener);
      channel?.abandon(__('The picture was removed from the page.'));
      mount.dispose();
    };
    for (const [event, listener] of listeners) model.on(event, listener);
    signal?.addEventListener('abort', end);
    await draw();
    return end;
  }
};
export default pictures;
