/** State that the interrupt thread and the main thread share during an interrupt. */

/** Indices of the shared words; all words are zero as an interrupt starts, except for the cell. */
export const LookWord = { outcome: 0, cell: 1, turned: 2, reported: 3, looks: 4 } as const;
export const LOOK_WORDS = 5;
/** States of an inspection. `over`: there is nothing left to stop. */
export const LookOutcome = { asked: 1, goesOn: 2, stopped: 3, over: 4 } as const;
