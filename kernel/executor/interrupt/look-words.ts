/** What the interrupt thread and the main thread tell each other while an interrupt is under way. */

/** Words that the two threads share; all are zero as an interrupt begins, but for the cell. */
export const LookWord = { outcome: 0, cell: 1, turned: 2, reported: 3, looks: 4 } as const;
export const LOOK_WORDS = 5;
/** `over`: there is nothing left to stop. */
export const LookOutcome = { asked: 1, goesOn: 2, stopped: 3, over: 4 } as const;
