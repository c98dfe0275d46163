/** A module that the environment variable names. */

export { DeviceOnlyPlugin as _stridelab_memory_manager } from './plugins.ts';
