/** Whether a memory log records. Pure: pages load it. */

/** `off`: never started. `stopped`: what was recorded stays. */
export type MemoryLogState = 'off' | 'recording' | 'stopped';
