/** Arrays between processes: what the library exports of this folder. */

export { emptyShared, sharedHostMemory, type SharedArrayOptions } from './host-array.ts';
export { Lease } from './lease.ts';
export { openShared, type OpenSharedOptions } from './open.ts';
export { share, type ShareOptions } from './share.ts';
export type { ShareToken } from './token.ts';
