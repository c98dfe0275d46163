/** Comm targets that a page may open: one model, or the control comm on which a reloaded page requests all models. */

import type { JsonObject } from '../protocol/messages.ts';
import type { PathStep } from './model/buffer-paths.ts';
import type { Comm, CommManager } from './model/comm-manager.ts';
import { widgetHost } from './model/host.ts';
import { openFromPage } from './model/page-widgets.ts';
import { splitModel } from './model/saved-model.ts';
import { allOpen } from './model/saved-state.ts';
import { flushSync } from './model/sync-queue.ts';
import { WIDGET_TARGET } from './model/widget.ts';

const CONTROL_TARGET = 'jupyter.widget.control';

export function registerWidgetTargets(comms: CommManager): void {
  comms.registerTarget(WIDGET_TARGET, openFromPage);
  comms.registerTarget(CONTROL_TARGET, comm => {
    comm.onMessage = ({ data }) => {
      if (data['method'] === 'request_states') sendStates(comm);
    };
  });
}

function sendStates(comm: Comm): void {
  widgetHost().pageLoaded();
  flushSync();
  const states: JsonObject = {};
  const paths: PathStep[][] = [];
  const buffers: Uint8Array[] = [];
  for (const widget of allOpen()) {
    const split = splitModel(widget.fullState());
    states[widget.model_id] = split.model;
    // A path begins with the widget's id and continues inside its entry.
    paths.push(...split.paths.map(path => [widget.model_id, 'state', ...path]));
    buffers.push(...split.buffers);
  }
  // Required even if empty: the page waits for it.
  comm.send({ method: 'update_states', states, buffer_paths: paths }, {}, buffers);
}
