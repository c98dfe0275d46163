/** Decides whether a page requests the output of runs (cell-outputs.ts). Small, because every page loads it. */

/** Field of `kernel_info_reply`: the end in ISO 8601 of the latest run that a page may request; now while it runs, null if there is none. */
export const RESUMABLE_UNTIL = 'resumable_until';
/** The delay until a page shows the end of a run, in ms: a file that is saved sooner may lack it. */
const SHOWN_MS = 250;

/** Returns true if the notebook's file, by its modification time, contains the output of a run that ended at `ended`. */
export function isSaved(ended: string | null, saved: string | undefined): boolean {
  return ended !== null && Date.parse(saved ?? '') >= Date.parse(ended) + SHOWN_MS;
}
