/** A part of a picture whose code is loaded when it is first opened. */

import { element, setLine, type Part } from './dom.ts';
import { __ } from './phrases.ts';

/** A part that is notified when its tab is opened. */
export interface OpenedPart<Shown extends readonly unknown[]> extends Part<Shown> {
  opened?(): void;
}

/** Creates the part. `load` imports the code and creates the content; after a failure, the next opening tries again. */
export function createLazyPart<Shown extends readonly unknown[]>(
  signal: AbortSignal,
  load: () => Promise<OpenedPart<Shown>>
) {
  const message = element('p', { class: 'empty', hidden: '' });
  const box = element('div', {}, message);
  let loaded: OpenedPart<Shown> | undefined;
  let latest: Shown | undefined;
  let isLoading = false;

  const start = async (): Promise<void> => {
    isLoading = true;
    setLine(message, __('Loading…'));
    try {
      const made = await load();
      if (signal.aborted) return;
      loaded = made;
      box.replaceChildren(made.element);
      if (latest) made.update(...latest);
      // Another tab may have been opened since.
      if (box.closest('[hidden]') === null) made.opened?.();
    } catch {
      setLine(message, __('This part could not be loaded. Check the server, then open it again.'));
    } finally {
      isLoading = false;
    }
  };

  return {
    element: box,
    /** Loads the part, or notifies it that it was opened again. */
    opened(): void {
      if (loaded) loaded.opened?.();
      else if (!isLoading) void start();
    },
    update(...shown: Shown): void {
      latest = shown;
      loaded?.update(...shown);
    }
  };
}
