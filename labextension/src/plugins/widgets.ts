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
  const [{ ArrayInspectorModel, ArrayInspectorView }, { AnyModel, AnyView }] = await Promise.all([
    import('../models/array-inspector.ts'),
    import('../models/any-widget.ts')
  ]);
  const classes = { AnyModel, AnyView, ArrayInspectorModel, ArrayInspectorView };
  if (!translation) return classes;
  class TranslatedArrayInspectorView extends ArrayInspectorView {
    protected override phrases(): Phrases {
      return translation ?? super.phrases();
    }
  }
  return { ...classes, ArrayInspectorView: TranslatedArrayInspectorView };
}
