/** The MIME bundle of a widget: the live view, and a fallback without one. */

import { inspect } from 'node:util';
import { WIDGET_VIEW_TYPE } from '../../../src/pictures/kit/live-messages.ts';
import type { MimeBundle } from '../../../src/notebook/host.ts';

interface Shown {
  readonly model_id: string;
  readonly closed: boolean;
}

/** Returns the bundle. `viewed`: the page has a view for the widget. */
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
