/** The state of widgets as one value: for a page that asks for all of them, and for notebooks and pages without a kernel. */

import type { JsonObject } from '../../protocol/messages.ts';
import { splitBuffers, type BufferPath } from './buffer-paths.ts';
import { openWidgets, unpackReferences } from './references.ts';
import { isPlainObject } from './values.ts';
import { isWidget, type Widget } from './widget.ts';

/** The key of a notebook's `metadata.widgets`, and the type of the script element of a page. */
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

export interface SavedState {
  readonly version_major: 2;
  readonly version_minor: 0;
  readonly state: Readonly<Record<string, SavedModel>>;
}

export interface SaveOptions {
  /** These and all that they refer to; every open widget if left out. */
  readonly widgets?: Iterable<Widget>;
  /** Leaves out properties that are as they began. */
  readonly drop_defaults?: boolean;
}

/**
 * The content of `application/vnd.jupyter.widget-state+json`: put it under that key into a notebook's `metadata.widgets`, and
 * nbconvert shows the widgets; or into a script element of that type beside the views of a static page.
 */
export function widgetState({ widgets, drop_defaults = false }: SaveOptions = {}): SavedState {
  const state: Record<string, SavedModel> = {};
  for (const widget of widgets === undefined ? allOpen() : withReferences(widgets)) {
    const full = widget.fullState({ drop_defaults });
    const split = splitBuffers(full);
    state[widget.model_id] = {
      model_name: full._model_name,
      model_module: full._model_module,
      model_module_version: full._model_module_version,
      state: split.state,
      ...(split.buffers.length > 0 && {
        buffers: split.buffers.map((bytes, index) => ({
          encoding: 'base64' as const,
          path: split.paths[index]!,
          data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
        }))
      })
    };
  }
  return { version_major: 2, version_minor: 0, state };
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
