/** The narrow model that modules see, whose listeners are removed when the module is no longer used. */

import type { WidgetModel } from '@jupyter-widgets/base';
import { ownBuffer } from './binary.ts';
import type { ModelListener, ModuleModel } from './types.ts';

/** Wraps a model; its listeners are removed once `signal` is aborted. */
export function moduleModel(model: WidgetModel, signal: AbortSignal): ModuleModel {
  // Identifies this module's listeners among all of the model's.
  const context = {};
  signal.addEventListener('abort', () => void model.off(null, null, context));
  return {
    get: name => model.get(name) as unknown,
    set: (name, value) => {
      if (typeof name === 'string') model.set(name, value);
      else model.set(name);
    },
    save_changes: () => model.save_changes(),
    on: (event, listener: ModelListener) => {
      if (!signal.aborted) model.on(event, listener, context);
    },
    off: (event = null, listener = null) => void model.off(event, listener, context),
    send: (content, callbacks, buffers = []) => {
      // The base class declares JSON here but sends any value.
      model.send(content as never, callbacks ?? {}, buffers.map(ownBuffer));
    },
    widget_manager: { get_model: id => model.widget_manager.get_model(id) }
  };
}
