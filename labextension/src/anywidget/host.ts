/** Lets the module of one widget access another widget. */

import type { WidgetModel } from '@jupyter-widgets/base';
import { moduleModel } from './module-model.ts';
import type { Runtime } from './runtime.ts';
import type { ModuleHost } from './types.ts';

const REFERENCE = /^(?:anywidget:|IPY_MODEL_)/;

export function moduleHost(
  model: WidgetModel,
  signal: AbortSignal,
  runtimeOf: (model: WidgetModel) => Runtime | undefined
): ModuleHost {
  const find = (reference: string): Promise<WidgetModel> => {
    if (typeof reference !== 'string' || !REFERENCE.test(reference))
      return Promise.reject(
        new Error(`${JSON.stringify(reference)} is not a widget reference, expected "anywidget:ID"`)
      );
    return model.widget_manager.get_model(reference.replace(REFERENCE, ''));
  };
  return {
    getModel: async reference => moduleModel(await find(reference), signal),
    async getWidget(reference) {
      const runtime = runtimeOf(await find(reference));
      if (runtime === undefined)
        throw new Error(`The widget ${reference} has no module: show it with the widget manager`);
      await runtime.ready;
      return {
        exports: runtime.exports,
        async render({ el, signal: own }) {
          const view = runtime.show(el);
          for (const ended of [signal, own]) ended?.addEventListener('abort', () => view.dispose());
          await view.shown;
        }
      };
    }
  };
}
