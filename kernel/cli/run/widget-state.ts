/** Tracks the kernel's widget models, so that a saved notebook can show them (Jupyter widgets messaging protocol 2.1). */

import type { JsonObject } from '../../protocol/messages.ts';
import type { PublishedMessage } from './outputs.ts';

type Path = readonly (string | number)[];

interface Model {
  readonly state: JsonObject;
  readonly buffers: Map<string, { readonly path: Path; readonly data: Uint8Array }>;
}

interface Update {
  readonly method?: string;
  readonly state?: JsonObject;
  readonly buffer_paths?: readonly Path[];
}

export class WidgetStateCollector {
  readonly #models = new Map<string, Model>();

  receive({ type, content, buffers }: PublishedMessage): void {
    const id = content['comm_id'] as string;
    const update = (content['data'] ?? {}) as Update;
    if (type === 'comm_open' && content['target_name'] === 'jupyter.widget')
      this.#update(id, { state: {}, buffers: new Map() }, update, buffers);
    if (type === 'comm_close') this.#models.delete(id);
    const model = this.#models.get(id);
    if (type === 'comm_msg' && model !== undefined && update.method === 'update')
      this.#update(id, model, update, buffers);
  }

  /** Returns the notebook's `metadata.widgets`; undefined if no model is open. */
  metadata(): JsonObject | undefined {
    if (this.#models.size === 0) return undefined;
    const state = Object.fromEntries([...this.#models].map(([id, model]) => [id, saved(model)]));
    return { 'application/vnd.jupyter.widget-state+json': { version_major: 2, version_minor: 0, state } };
  }

  #update(
    id: string,
    model: Model,
    { state = {}, buffer_paths = [] }: Update,
    buffers: readonly Uint8Array[]
  ): void {
    Object.assign(model.state, state);
    for (const [i, path] of buffer_paths.entries()) {
      const data = buffers[i];
      if (data !== undefined) model.buffers.set(JSON.stringify(path), { path, data });
    }
    this.#models.set(id, model);
  }
}

function saved({ state, buffers }: Model): JsonObject {
  return {
    model_name: state['_model_name'],
    model_module: state['_model_module'],
    model_module_version: state['_model_module_version'],
    state,
    buffers: [...buffers.values()].map(({ path, data }) => ({
      path,
      encoding: 'base64',
      data: Buffer.from(data).toString('base64')
    }))
  };
}
