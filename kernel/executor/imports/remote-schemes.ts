/** The schemes of remote modules, in the order in which they prepare. */

import type { RemoteScheme } from '../modules/remote-scheme.ts';

export const remoteSchemes: readonly RemoteScheme[] = [];
