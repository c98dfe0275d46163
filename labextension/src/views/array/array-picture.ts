/**
 * The picture of an array. A cell's result starts with the values as text, above a fold with everything else;
 * a description without such a text shows only the inspector.
 */

import { element, part, setText } from '../kit/dom.ts';
import type { View, ViewOptions } from '../kit/view.ts';
import { createArrayInspector } from './inspector.ts';
import { __ } from '../kit/phrases.ts';

export function createArrayPicture(host: HTMLElement, options: ViewOptions): View {
  // Lines may be wider than the page, and must scroll by keyboard too.
  const focusable = { class: 'text', tabindex: '0', role: 'region', 'aria-label': __('Values of the array') };
  const values = element('pre', focusable);
  const fold = element('div');
  const summary = element('summary', {}, __('Descriptor, layout, streams, statistics'));
  const more = part('details', 'more', summary, fold);
  const frame = element('section', { class: 'view array' }, values, more);
  let latest: readonly [data: unknown, connected: boolean] = [undefined, false];
  let inspector: View | undefined;
  const openIn = (place: HTMLElement): void => {
    inspector ??= createArrayInspector(place, options);
    inspector.update(...latest);
  };
  more.addEventListener('toggle', () => {
    if (more.open) openIn(fold);
  });

  return {
    update(data, connected) {
      latest = [data, connected];
      const text = textIn(data);
      if (text === undefined && inspector === undefined) openIn(host);
      else inspector?.update(data, connected);
      if (text === undefined) return;
      setText(values, text);
      if (!frame.isConnected) host.append(frame);
    },
    open: tab => inspector?.open?.(tab),
    dispose: () => inspector?.dispose()
  };
}

function textIn(data: unknown): string | undefined {
  const { text } = (data ?? {}) as { readonly text?: unknown };
  return typeof text === 'string' ? text : undefined;
}
