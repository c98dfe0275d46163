/** A place on a page that shows pictures by name, each loaded when it is first shown. */

import { findView } from './catalogue.ts';
import { __ } from './kit/phrases.ts';
import type { Channel, View } from './kit/view.ts';

export function createMount(host: HTMLElement, channel?: Channel) {
  let view: View | undefined;
  let shown: string | undefined;
  let latest: object | undefined;
  return {
    async show(name: string, picture: unknown, connected: boolean): Promise<void> {
      const own = (latest = {});
      if (name !== shown) {
        const create = await findView(name)?.();
        // A later picture came, or the place was removed, while this one's code was loading.
        if (own !== latest) return;
        view?.dispose();
        host.replaceChildren();
        shown = name;
        view = create?.(host, { channel });
        if (!create) host.textContent = __('This version of Stridelab has no picture named %1.', name);
      }
      view?.update(picture, connected);
    },
    dispose(): void {
      latest = undefined;
      view?.dispose();
    }
  };
}
