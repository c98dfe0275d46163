/** Opens views of live pictures beside their notebook: one per picture, at its latest place. */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { MainAreaWidget } from '@jupyterlab/apputils';
import type { DockLayout } from '@lumino/widgets';
import type { Placement, PlaceName } from '../notebook/placed-pictures.ts';
import { WIDGET_VIEW_TYPE } from '../../../src/pictures/kit/live-messages.ts';
import { uniqueId } from '../views/kit/dom.ts';
import { createInspectorTab } from './inspector-tab.ts';
import type { Sources } from './sources.ts';

const MODES: Readonly<Record<Exclude<PlaceName, 'sidebar'>, DockLayout.InsertMode>> = {
  right: 'split-right',
  below: 'split-bottom',
  tab: 'tab-after'
};

export function createPlacedViews({ shell }: JupyterFrontEnd, sources: Sources) {
  const views = new Map<string, MainAreaWidget>();
  /** Placements run in sequence, so that the latest one of a picture wins. */
  let last = Promise.resolve();

  const open = async ({ id, kernelId, where, label, bundle }: Placement): Promise<void> => {
    const source = sources
      .all()
      .find(({ sessionContext }) => sessionContext.session?.kernel?.id === kernelId);
    if (source === undefined) return;
    const view = { version_major: 2, version_minor: 0, model_id: id };
    const caption = `${label} · ${source.widget.title.label}`;
    const data = { [WIDGET_VIEW_TYPE]: view, ...bundle };
    const tab = await createInspectorTab(source.rendermime, data, label, caption);
    tab.id = uniqueId('placed');
    views.get(id)?.dispose();
    views.set(id, tab);
    tab.disposed.connect(() => {
      if (views.get(id) === tab) views.delete(id);
    });
    if (where === 'sidebar') shell.add(tab, 'right');
    else shell.add(tab, 'main', { ref: source.widget.id, mode: MODES[where], activate: where === 'tab' });
    // Notebook 7 shows one document; its lower area opens when something is added.
    if (!tab.isAttached && where !== 'sidebar') shell.add(tab, 'down');
    // A view beside the notebook does not take the focus from the editor.
    if (where === 'tab' || where === 'sidebar' || !tab.isVisible) shell.activateById(tab.id);
  };
  return {
    place(placement: Placement): void {
      let ended = false;
      placement.onEnd(() => {
        ended = true;
        views.get(placement.id)?.dispose();
      });
      last = last.then(() => (ended ? undefined : open(placement))).catch(() => undefined);
    }
  };
}
