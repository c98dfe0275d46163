/** Shows a bundle of the kernel in a tab of the main area, drawn as an output of the notebook would be. */

import { MainAreaWidget } from '@jupyterlab/apputils';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { PartialJSONObject } from '@lumino/coreutils';
import { arraysIcon } from './icon.ts';
import { __ } from '../views/kit/phrases.ts';

/** The notebook's own renderers know its widget manager. @throws Error where none of them draws such a bundle */
export async function createInspectorTab(
  rendermime: IRenderMimeRegistry,
  bundle: PartialJSONObject,
  label: string,
  caption: string
): Promise<MainAreaWidget> {
  const model = rendermime.createModel({ data: bundle, trusted: true });
  const mimeType = rendermime.preferredMimeType(model.data, 'any');
  if (mimeType === undefined) throw new Error(__('This page cannot draw arrays.'));
  const renderer = rendermime.createRenderer(mimeType);
  await renderer.renderModel(model);
  renderer.addClass('stridelab-inspector-tab');
  const tab = new MainAreaWidget({ content: renderer });
  tab.title.icon = arraysIcon;
  tab.title.label = label;
  tab.title.caption = caption;
  tab.title.closable = true;
  return tab;
}
