/** Stands for style sheets, which the simulated page does not draw by. */
export {};
