/** The open widgets, and the control comm by which a page that was loaded anew asks for all of them. */

import type { JsonObject } from '../protocol/messages.ts';
import { splitBuffers, type PathStep } from './buffer-paths.ts';
import type { Comm, CommManager } from './comm-manager.ts';
import { WidgetModel, type WidgetState } from './widget-model.ts';

const CONTROL_TARGET = 'jupyter.widget.control';

const managers = new WeakMap<CommManager, WidgetManager>();

export class WidgetManager {
  readonly #comms: CommManager;
  readonly #models = new Map<string, WidgetModel>();

  /** The one manager of these comms. */
  static of(comms: CommManager): WidgetManager {
    const manager = managers.get(comms) ?? new WidgetManager(comms);
    managers.set(comms, manager);
    return manager;
  }

  private constructor(comms: CommManager) {
    this.#comms = comms;
    comms.registerTarget(CONTROL_TARGET, comm => this.#control(comm));
  }

  /** Opens a widget; `closed` runs once it is gone on either side. */
  open(state: WidgetState, closed: () => void): WidgetModel {
    const model = new WidgetModel(this.#comms, state);
    this.#models.set(model.id, model);
    model.onClose = () => {
      this.#models.delete(model.id);
      closed();
    };
    return model;
  }

  #control(comm: Comm): void {
    comm.onMessage = ({ data }) => {
      if (data['method'] === 'request_states') this.#sendStates(comm);
    };
  }

  #sendStates(comm: Comm): void {
    const states: JsonObject = {};
    const paths: PathStep[][] = [];
    const buffers: Uint8Array[] = [];
    for (const [id, model] of this.#models) {
      const split = splitBuffers(model.state);
      states[id] = {
        model_name: model.state._model_name,
        model_module: model.state._model_module,
        model_module_version: model.state._model_module_version,
        state: split.state
      };
      paths.push(...split.paths.map(path => [id, ...path]));
      buffers.push(...split.buffers);
    }
    // Mandatory even if empty: without it the page waits for ever.
    comm.send({ method: 'update_states', states, buffer_paths: paths }, {}, buffers);
  }
}
