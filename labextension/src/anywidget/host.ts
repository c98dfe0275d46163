/** Lets the module of one widget use and show other widgets (anywidget's RFC 0001). */

import type { WidgetModel } from '@jupyter-widgets/base';
import { moduleModel } from './module-model.ts';
import { referencedId } from './reference.ts';
import type { Runtime } from './runtime.ts';
import type { ModuleHost, ModuleView } from './types.ts';

/** The rendered view on behalf of which a module calls its host. */
export interface HostedView {
  readonly model: WidgetModel;
  /** The widgets around the module's element and the module's own, outermost first. */
  readonly within: readonly Runtime[];
  /** Aborted when the view is removed or rendered again. */
  readonly signal: AbortSignal;
  /** Renders the view again, which aborts the signal. */
  renderAgain(): void;
}

export function moduleHost(
  { model, within, signal, renderAgain }: HostedView,
  runtimeOf: (model: WidgetModel) => Runtime | undefined
): ModuleHost {
  const find = async (reference: string): Promise<WidgetModel> => {
    const id = referencedId(reference);
    if (id === undefined)
      throw new Error(`${JSON.stringify(reference)} is not a widget reference, expected "anywidget:ID"`);
    try {
      return await model.widget_manager.get_model(id);
    } catch (cause) {
      throw new Error(`The widget ${reference} does not exist: it was closed, or failed to load`, { cause });
    }
  };
  return {
    getModel: async reference => moduleModel(await find(reference), signal),
    async getWidget(reference) {
      const runtime = runtimeOf(await find(reference));
      if (runtime === undefined)
        throw new Error(
          `The widget ${reference} has no module: use getModel, or show it with the widget manager`
        );
      // The exports are invalid then; a module that failed may work.
      runtime.reloads.addEventListener('reload', renderAgain, { signal });
      const exports = await runtime.exports().catch((cause: Error) => {
        throw new Error(`The widget ${reference} cannot be used: ${cause.message}`, { cause });
      });
      // Ends a rendering that waited, so that it adds nothing to the element of the next one.
      signal.throwIfAborted();
      return { exports, render: view => renderInside(runtime, reference, view) };
    }
  };

  async function renderInside(
    runtime: Runtime,
    reference: string,
    { el, signal: own }: ModuleView
  ): Promise<void> {
    if (within.includes(runtime))
      throw new Error(`The widget ${reference} cannot be rendered inside itself: render another widget here`);
    const ended = own === undefined ? signal : AbortSignal.any([signal, own]);
    if (ended.aborted) return;
    const view = runtime.show(el, within);
    ended.addEventListener('abort', () => view.dispose());
    await view.shown;
  }
}
