/** @typedef {import('./wire.mjs').Message} Message */
/** @typedef {{ state: Record<string, any>, buffers: Map<string, { path: (string | number)[], data: Uint8Array }> }} Model */

/** Follows the kernel's widget models, so that a saved notebook can show them (Jupyter widgets messaging protocol 2.1). */
export class WidgetStateCollector {
  /** @type {Map<string, Model>} */
  #models = new Map();

  /** @param {Message} message of the iopub channel */
  receive({ header, content, buffers }) {
    const id = content['comm_id'];
    if (header.msg_type === 'comm_open' && content['target_name'] === 'jupyter.widget')
      this.#update(id, { state: {}, buffers: new Map() }, content['data'], buffers);
    if (header.msg_type === 'comm_close') this.#models.delete(id);
    const model = this.#models.get(id);
    if (header.msg_type === 'comm_msg' && model !== undefined && content['data']?.method === 'update')
      this.#update(id, model, content['data'], buffers);
  }

  /**
   * @param {string} id
   * @param {Model} model
   * @param {{ state: Record<string, any>, buffer_paths?: (string | number)[][] }} data
   * @param {Uint8Array[]} buffers
   */
  #update(id, model, { state, buffer_paths = [] }, buffers) {
    Object.assign(model.state, state);
    buffer_paths.forEach((path, i) => {
      const data = buffers[i];
      if (data !== undefined) model.buffers.set(JSON.stringify(path), { path, data });
    });
    this.#models.set(id, model);
  }

  /** The notebook's `metadata.widgets`, undefined when no model is alive. */
  metadata() {
    if (this.#models.size === 0) return undefined;
    const state = Object.fromEntries([...this.#models].map(([id, model]) => [id, saved(model)]));
    return { 'application/vnd.jupyter.widget-state+json': { version_major: 2, version_minor: 0, state } };
  }
}

/** @param {Model} model */
function saved({ state, buffers }) {
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
