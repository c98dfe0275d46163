/** Saved widgets, in Jupyter's format: for notebooks, and for pages without a kernel. */

import type { JsonObject } from '../../protocol/messages.ts';
import { splitBuffers, type BufferPath } from './buffer-paths.ts';
import type { WidgetNames } from './widget-spec.ts';

/** The MIME type of saved widget state: its key in a notebook's `metadata.widgets`, and the type of its script element in a page. */
export const WIDGET_STATE_MIME_TYPE = 'application/vnd.jupyter.widget-state+json';

export interface SavedModel {
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

/** Saves models, given by their ids with their whole states, which contain the names of the models' classes. */
export function savedState(models: Iterable<readonly [id: string, full: JsonObject]>): SavedState {
  const saved = Array.from(models, ([id, full]) => {
    const { model, paths, buffers } = splitModel(full);
    const encoded = buffers.map(({ buffer, byteOffset, byteLength }, index) => ({
      encoding: 'base64' as const,
      path: paths[index]!,
      data: Buffer.from(buffer, byteOffset, byteLength).toString('base64')
    }));
    return [id, encoded.length > 0 ? { ...model, buffers: encoded } : model] as const;
  });
  return { version_major: 2, version_minor: 0, state: Object.fromEntries(saved) };
}

/** Describes one model, with its binary values separate. */
export function splitModel(full: JsonObject) {
  const { state, paths, buffers } = splitBuffers(full);
  const names = full as unknown as WidgetNames;
  const model: SavedModel = {
    model_name: names._model_name,
    model_module: names._model_module,
    model_module_version: names._model_module_version,
    state
  };
  return { model, paths, buffers };
}
