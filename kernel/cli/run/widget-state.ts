/** Tracks the kernel's widget models, so that a saved notebook can show them (Jupyter widgets messaging protocol 2.1). */

import type { JsonObject } from '../../protocol/messages.ts';
import { joinBuffers, type BufferPath } from '../../widgets/model/buffer-paths.ts';
import { savedState, WIDGET_STATE_MIME_TYPE } from '../../widgets/model/saved-model.ts';
import type { PublishedMessage } from './outputs.ts';

interface Update {
  readonly method?: string;
  readonly state?: JsonObject;
  readonly buffer_paths?: readonly BufferPath[];
}

export class WidgetStateCollector {
  /** The models' states by id, with their binary values inside. */
  readonly #models = new Map<string, JsonObject>();

  receive({ type, content, buffers }: PublishedMessage): void {
    const id = content['comm_id'] as string;
    const { method, state = {}, buffer_paths = [] } = (content['data'] ?? {}) as Update;
    if (type === 'comm_open' && content['target_name'] === 'jupyter.widget') this.#models.set(id, {});
    else if (type === 'comm_close') this.#models.delete(id);
    else if (type !== 'comm_msg' || method !== 'update') return;
    const model = this.#models.get(id);
    if (model === undefined) return;
    joinBuffers(state, buffer_paths, buffers);
    Object.assign(model, state);
  }

  /** Returns the notebook's `metadata.widgets`; undefined if no model is open. */
  metadata(): JsonObject | undefined {
    return this.#models.size === 0 ? undefined : { [WIDGET_STATE_MIME_TYPE]: savedState(this.#models) };
  }
}
