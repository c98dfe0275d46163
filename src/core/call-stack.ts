/** Where in the user's program the library was called. */

import { notebookHost } from '../notebook/host.ts';

/** Frames that are read of a stack. */
const FRAMES = 40;
const LIBRARY = new URL('..', import.meta.url);
const FOLDERS = [LIBRARY.href, decodeURI(LIBRARY.pathname)];

/** The stack of the caller, as the engine writes it. */
export function currentStack(): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES;
  const { stack } = new Error();
  Error.stackTraceLimit = limit;
  return typeof stack === 'string' ? stack : '';
}

/** The frames of a stack that are the user's, as places in the notebook where there is one. */
export function userFrames(stack: string): readonly string[] {
  const lines = stack.split('\n').filter(line => /^\s+at /.test(line) && !isLibrary(line));
  const shown = notebookHost()?.showStack?.(lines.join('\n'));
  return shown ?? lines.map(line => line.trim());
}

function isLibrary(line: string): boolean {
  return /[ (]node:/.test(line) || FOLDERS.some(folder => line.includes(folder));
}
