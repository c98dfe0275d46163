/** A part of the inspector whose code is loaded when it is first opened. */

import type { ArrayDescription } from '../../../../src/pictures/array/schema.ts';
import { element, setText } from '../kit/dom.ts';
import type { Panel } from './panel/panel.ts';
import { __ } from '../kit/phrases.ts';

/** Optional members of a loaded part. */
interface LoadedPanel extends Panel {
  opened?(): void;
  dispose?(): void;
}

export interface LazyPanel extends Panel {
  /** Loads the part, or notifies it that it was opened again. */
  opened(): void;
  dispose(): void;
}

/** Creates the panel. `load` imports the code and creates the part; after a failure, the next opening retries. */
export function createLazyPanel(load: () => Promise<LoadedPanel>): LazyPanel {
  const message = element('p', { class: 'empty', hidden: '' });
  const box = element('div', {}, message);
  let panel: LoadedPanel | undefined;
  let latest: readonly [ArrayDescription, boolean] | undefined;
  let loading = false;
  let disposed = false;

  const start = async (): Promise<void> => {
    loading = true;
    message.hidden = false;
    setText(message, __('Loading…'));
    try {
      const loaded = await load();
      if (disposed) return loaded.dispose?.();
      panel = loaded;
      box.replaceChildren(panel.element);
      if (latest) panel.update(...latest);
      // Another tab may have been opened since.
      if (box.closest('[hidden]') === null) panel.opened?.();
    } catch {
      setText(message, __('This part could not be loaded. Reload the page, then open it again.'));
    } finally {
      loading = false;
    }
  };

  return {
    element: box,
    opened() {
      if (panel) panel.opened?.();
      else if (!loading) void start();
    },
    update(...description) {
      latest = description;
      panel?.update(...description);
    },
    dispose() {
      disposed = true;
      panel?.dispose?.();
    }
  };
}
