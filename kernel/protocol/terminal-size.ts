/** The size of the terminal that cells see: programs wrap and redraw their lines for it. */

export const TERMINAL_COLUMNS = 100;
export const TERMINAL_ROWS = 40;
