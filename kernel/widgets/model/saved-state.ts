/** The state of many widgets: for a page that requests all of them, and for notebooks and pages without a kernel. */

import type { JsonObject } from '../../protocol/messages.ts';
import { splitBuffers, type BufferPath, type SplitState } from './buffer-paths.ts';
import { openWidgets, unpackReferences } from './references.ts';
import { isPlainObject } from './values.ts';
import { isWidget, type Widget } from './widget.ts';

/** The MIME type of saved widget state: its key in a notebook's `metadata.widgets`, and the type of its script element in a page. */
export const WIDGET_STATE_MIME_TYPE = 'application/vnd.jupyter.widget-state+json';

interface SavedModel {
  readonly model_name: string;
  readonly model_module: string;
  readonly model_module_version: string;
  readonly state: JsonObject;
  readonly buffers?: readonly {
    readonly encoding: 'base64';
    readonly path: BufferPath;
    readonly data: string;
  }[];
}

/** The saved state of widgets, in Jupyter's format. */
export interface SavedState {
  /** The major version of the format. */
  readonly version_major: 2;
  /** The minor version of the format. */
  readonly version_minor: 0;
  /** The saved models by id. */
  readonly state: Readonly<Record<string, SavedModel>>;
}

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
  const state: Record<string, SavedModel> = {};
  for (const widget of widgets === undefined ? allOpen() : withReferences(widgets)) {
    const { model, paths, buffers } = describeModel(widget, drop_defaults);
    const encoded = buffers.map((bytes, index) => ({
      encoding: 'base64' as const,
      path: paths[index]!,
      data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
    }));
    state[widget.model_id] = encoded.length > 0 ? { ...model, buffers: encoded } : model;
  }
  return { version_major: 2, version_minor: 0, state };
}

/** Describes one widget for a collection of states, with its binary values separate. */
export function describeModel(
  widget: Widget,
  drop_defaults = false
): Pick<SplitState, 'paths' | 'buffers'> & { readonly model: SavedModel } {
  const full = widget.fullState({ drop_defaults });
  const { state, paths, buffers } = splitBuffers(full);
  const { _model_name: model_name, _model_module: model_module } = full;
  const model = { model_name, model_module, model_module_version: full._model_module_version, state };
  return { model, paths, buffers };
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
