/** How a page knows whether to request the output of runs (cell-outputs.ts). Small, because every page loads it. */

/** In `kernel_info_reply`: when the latest run ended that a page may ask for (now if it runs, null if there is none), in ISO 8601. */
export const RESUMABLE_UNTIL = 'resumable_until';
/** The delay until a page shows the end of a run, in ms: a file that is saved sooner may lack it. */
const SHOWN_MS = 250;

/** Returns true if the notebook's file, by its modification time, contains the output of a run that ended then. */
export function isSaved(ended: string | null, saved: string | undefined): boolean {
  return ended !== null && Date.parse(saved ?? '') >= Date.parse(ended) + SHOWN_MS;
}
