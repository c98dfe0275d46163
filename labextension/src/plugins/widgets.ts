import { IJupyterWidgetRegistry, type ExportMap } from '@jupyter-widgets/base';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ITranslator } from '@jupyterlab/translation';
import { MODULE_NAME, MODULE_VERSION } from '../models/version.ts';
import { useTranslator } from '../views/kit/phrases.ts';

/** Registers the widget classes, which are loaded when the first widget appears. */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'stridelab:widgets',
  description: 'Registers the live widgets of Stridelab.',
  autoStart: true,
  requires: [IJupyterWidgetRegistry],
  optional: [ITranslator],
  activate: (_app: JupyterFrontEnd, registry: IJupyterWidgetRegistry, translator: ITranslator | null) => {
    useTranslator(translator);
    registry.registerWidget({ name: MODULE_NAME, version: MODULE_VERSION, exports: loadClasses });
  }
};
export default plugin;

async function loadClasses(): Promise<ExportMap> {
  const models = await import('../models/index.ts');
  // The exports include the module's name and version, for loaders of static pages.
  return Object.fromEntries(
    Object.entries(models).filter(entry => typeof entry[1] === 'function')
  ) as ExportMap;
}
