/** Test files share the addon and its devices: objects that others dropped must not be freed while a test counts. */

import { collectGarbage } from '../../../src/native/load.ts';
import { pass } from '../../setup/until.ts';
import { native } from '../../../src/native/load.ts';

/** Collects dropped objects, and runs the finalizers, which come in later turns. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 2; i++) {
    collectGarbage();
    await pass(1, 'finalizers run in later turns');
  }
  native().drainReleases(true);
}
