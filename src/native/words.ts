/** Names and numbers that TypeScript and native code share. The build writes them into a C++ header (scripts/setup/native-tables.mjs). Pure. */

/** Kinds of driver; `recording` is a simulated device that logs every driver call, for tests. */
export const DRIVER_KINDS = ['cuda', 'simulated', 'recording'] as const;
export const MEMORY_KINDS = ['device', 'pinned', 'managed'] as const;
export const ACCESSES = ['read', 'write'] as const;

/** Indices into `NativeKernel.config`. `grid` and `block` take three words each; from `access` on, one word for each storage. */
export const LAUNCH_WORD = { grid: 0, block: 3, sharedBytes: 6, cooperative: 7, access: 8 } as const;

/** Bit positions in a result of `NativeBinding.locate`: memory kind in the lowest bits, then the ordinal, then the driver kind. */
export const LOCATION_SHIFT = { ordinal: 2, driver: 16 } as const;
