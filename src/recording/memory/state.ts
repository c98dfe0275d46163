/** Whether a memory log is recording. Pure: pages load it. */

/** `off`: never started. `stopped`: the records are kept. */
export type MemoryLogState = 'off' | 'recording' | 'stopped';
