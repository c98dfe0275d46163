/** The state of the widgets of this process: for a page that requests all of them, and to be saved. */

import { openWidgets, unpackReferences } from './references.ts';
import { savedState, type SavedState } from './saved-model.ts';
import { isPlainObject } from './values.ts';
import { isWidget, type Widget } from './widget.ts';

/** Options of `widgetState`. */
export interface SaveOptions {
  /** The widgets to save, together with all that they refer to; all open widgets if left out. */
  readonly widgets?: Iterable<Widget>;
  /** Whether to leave out properties with their default values. */
  readonly drop_defaults?: boolean;
}

/**
 * Returns the saved state of widgets, as `application/vnd.jupyter.widget-state+json`. Put it under that key into a notebook's
 * `metadata.widgets` for nbconvert, or into a script element of that type in a static page.
 */
export function widgetState({ widgets, drop_defaults = false }: SaveOptions = {}): SavedState {
  const chosen = widgets === undefined ? allOpen() : [...withReferences(widgets)];
  return savedState(chosen.map(widget => [widget.model_id, widget.fullState({ drop_defaults })]));
}

export function allOpen(): Widget[] {
  return [...openWidgets.values()].filter(isWidget);
}

function withReferences(widgets: Iterable<Widget>): Set<Widget> {
  const found = new Set<Widget>();
  const visit = (value: unknown): void => {
    if (isWidget(value)) {
      if (found.has(value)) return;
      found.add(value);
      visit(unpackReferences(value.state()));
    } else if (Array.isArray(value)) value.forEach(visit);
    else if (isPlainObject(value)) Object.values(value).forEach(visit);
  };
  for (const widget of widgets) visit(widget);
  return found;
}
