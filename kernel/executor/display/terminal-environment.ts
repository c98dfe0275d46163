/**
 * What libraries and child programs learn of the place where their output is shown: no terminal, but one that knows
 * colours. The variables are those that IPython's kernel sets; a value that the user gave is kept.
 */

/** Colours are wanted: see https://no-color.org. */
export const COLORS = (process.env['NO_COLOR'] ?? '') === '';

const VARIABLES: Readonly<Record<string, string>> = {
  // What waits for a key to show the next page would wait for ever.
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  // Python programs hold back what they print into a pipe.
  PYTHONUNBUFFERED: '1'
};

const COLOR_VARIABLES: Readonly<Record<string, string>> = {
  TERM: 'xterm-256color',
  CLICOLOR: '1',
  CLICOLOR_FORCE: '1',
  // 16 million of them.
  FORCE_COLOR: '3'
};

export function setTerminalEnvironment(): void {
  const given = { ...process.env };
  Object.assign(process.env, VARIABLES, COLORS && COLOR_VARIABLES, given);
  if (COLORS && given['TERM'] === 'dumb') process.env['TERM'] = COLOR_VARIABLES['TERM'];
}
