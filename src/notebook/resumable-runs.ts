/** How a page knows that it has to ask for the output of runs (cell-outputs.ts). It is loaded with every page, so that it is small. */

/**
 * In `kernel_info_reply`, when the latest run ended that a page may ask for: the time of the reply if one is running, null if there is none.
 * ISO 8601.
 */
export const RESUMABLE_UNTIL = 'resumable_until';
/** A page takes a moment to show the end of a run: a file that is saved sooner may lack it. */
const SHOWN_MS = 250;

/** Whether the notebook's file, by the time of its last change, has the output of a run that ended then. */
export function isSaved(ended: string | null, saved: string | undefined): boolean {
  return ended !== null && Date.parse(saved ?? '') >= Date.parse(ended) + SHOWN_MS;
}
