/** Names and numbers that TypeScript and native code share. The build writes them into a C++ header (scripts/setup/native-tables.mjs). Pure. */

/** `recording` is a simulated device that notes every driver call, for tests. */
export const DRIVER_KINDS = ['cuda', 'simulated', 'recording'] as const;
export const MEMORY_KINDS = ['device', 'pinned', 'managed'] as const;
export const ACCESSES = ['read', 'write'] as const;

/** Places in `NativeKernel.config`. `grid` and `block` are three words each; from `access` on there is one word for each storage. */
export const LAUNCH_WORD = { grid: 0, block: 3, sharedBytes: 6, cooperative: 7, access: 8 } as const;

/** How `NativeBinding.locate` packs a location: the memory kind in the lowest bits, then the ordinal, then the kind of driver. */
export const LOCATION_SHIFT = { ordinal: 2, driver: 16 } as const;
