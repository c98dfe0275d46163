/** The schemes of remote modules, in the order in which they prepare. */

import type { RemoteScheme } from '../modules/remote-scheme.ts';
import { NpmScheme } from './npm-scheme.ts';
import { WebScheme } from './web/scheme.ts';

/** Returns the schemes for the notebooks of a folder. */
export function remoteSchemes(folder: string): readonly RemoteScheme[] {
  // Modules from the web may import packages.
  return [new WebScheme(folder), new NpmScheme(folder)];
}
