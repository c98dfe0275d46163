/** Describes the output of child programs in environment variables, as IPython's kernel does: not a terminal, but with colours. */

/** Whether colours are enabled: see https://no-color.org. */
export const COLORS = (process.env['NO_COLOR'] ?? '') === '';

const VARIABLES: Readonly<Record<string, string>> = {
  // A pager would wait forever for a key.
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  // Python buffers its output to pipes by default.
  PYTHONUNBUFFERED: '1'
};

const COLOR_VARIABLES: Readonly<Record<string, string>> = {
  TERM: 'xterm-256color',
  CLICOLOR: '1',
  CLICOLOR_FORCE: '1',
  // Level 3 means 16 million colours.
  FORCE_COLOR: '3'
};

export function setTerminalEnvironment(): void {
  const given = { ...process.env };
  Object.assign(process.env, VARIABLES, COLORS && COLOR_VARIABLES, given);
  if (COLORS && given['TERM'] === 'dumb') process.env['TERM'] = COLOR_VARIABLES['TERM'];
}
