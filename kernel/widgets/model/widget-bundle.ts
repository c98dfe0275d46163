/** How a widget is shown: the live view, and what stands in its place where there is none. */

import { inspect } from 'node:util';
import { WIDGET_VIEW_TYPE } from '../../../src/pictures/kit/live-messages.ts';
import type { MimeBundle } from '../../../src/notebook/host.ts';

interface Shown {
  readonly model_id: string;
  readonly closed: boolean;
}

/** `viewed`: the page has a view for it. */
export function widgetBundle(widget: Shown, viewed: boolean): MimeBundle {
  const text = inspect(widget, { breakLength: 100 });
  const fallback = { 'text/plain': text, 'text/html': `<pre>${escaped(text)}</pre>` };
  if (!viewed || widget.closed) return fallback;
  return {
    [WIDGET_VIEW_TYPE]: { version_major: 2, version_minor: 0, model_id: widget.model_id },
    ...fallback
  };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
