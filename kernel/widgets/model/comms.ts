/** The comms of this process, created when the first widget, page or request needs them. */

import { CommManager } from './comm-manager.ts';
import { widgetHost } from './host.ts';

let manager: CommManager | undefined;

export function comms(): CommManager {
  manager ??= new CommManager((...message) => widgetHost().send(...message));
  return manager;
}
