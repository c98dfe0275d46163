/** Replaces style sheets, which the simulated page does not use. */
export {};
