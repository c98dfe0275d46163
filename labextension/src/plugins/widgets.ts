import { IJupyterWidgetRegistry } from '@jupyter-widgets/base';
import type { ExportMap } from '@jupyter-widgets/base';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ITranslator } from '@jupyterlab/translation';
import { MODULE_NAME, MODULE_VERSION } from '../version.ts';
import { TRANSLATION_DOMAIN } from '../views/phrases.ts';
import type { Phrases } from '../views/phrases.ts';

/** Tells the widget manager where the classes are; they are loaded when the first widget appears. */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'stridelab:widgets',
  description: 'Registers the live widgets of Stridelab.',
  autoStart: true,
  requires: [IJupyterWidgetRegistry],
  optional: [ITranslator],
  activate: (_app: JupyterFrontEnd, registry: IJupyterWidgetRegistry, translator: ITranslator | null) => {
    registry.registerWidget({
      name: MODULE_NAME,
      version: MODULE_VERSION,
      exports: () => loadClasses(translator?.load(TRANSLATION_DOMAIN))
    });
  }
};
export default plugin;

/** The manager makes the views itself, so a subclass is the way to hand them the translation. */
async function loadClasses(translation: Phrases | undefined): Promise<ExportMap> {
  const { ArrayInspectorModel, ArrayInspectorView } = await import('../models/array-inspector.ts');
  if (!translation) return { ArrayInspectorModel, ArrayInspectorView };
  class TranslatedArrayInspectorView extends ArrayInspectorView {
    protected override phrases(): Phrases {
      return translation ?? super.phrases();
    }
  }
  return { ArrayInspectorModel, ArrayInspectorView: TranslatedArrayInspectorView };
}
