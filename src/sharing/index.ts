/** Arrays between processes. */

export { emptyShared, sharedHostMemory, type SharedArrayOptions } from './host-array.ts';
export { getIpcHandle, openIpcArray, type IpcArrayOptions } from './ipc-array.ts';
export { Lease } from './lease.ts';
export { openShared, type OpenSharedOptions } from './open.ts';
export { share, type ShareOptions } from './share.ts';
export type { ShareToken } from './token.ts';
