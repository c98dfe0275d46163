/** Shows a MIME bundle from the kernel in a main-area tab, drawn like an output of the notebook. */

import { MainAreaWidget } from '@jupyterlab/apputils';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { PartialJSONObject } from '@lumino/coreutils';
import { arraysIcon } from './icon.ts';
import { __ } from '../views/kit/phrases.ts';

/** Creates the tab with the notebook's renderers, which use its widget manager. @throws Error if none draws the bundle */
export async function createInspectorTab(
  rendermime: IRenderMimeRegistry,
  bundle: PartialJSONObject,
  label: string,
  caption: string
): Promise<MainAreaWidget> {
  const model = rendermime.createModel({ data: bundle, trusted: true });
  const mimeType = rendermime.preferredMimeType(model.data, 'any');
  if (mimeType === undefined) throw new Error(__('This page cannot draw this picture.'));
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
