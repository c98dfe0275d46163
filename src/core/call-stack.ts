/** Finds the place in the user's program that called the library. */

import { notebookHost } from '../notebook/host.ts';

/** The number of stack frames that are captured. */
const FRAMES = 40;
/** The folder of the library's files: of its sources, or of its bundles, which are in one folder below it. */
const LIBRARY = new URL('..', import.meta.url);
const FOLDERS = [LIBRARY.href, decodeURI(LIBRARY.pathname)];

/** Returns the caller's stack, in V8's format. */
export function currentStack(): string {
  const { stackTraceLimit, prepareStackTrace } = Error;
  Error.stackTraceLimit = FRAMES;
  // The engine's own text is the cheapest: most stacks are never read.
  Object.assign(Error, { prepareStackTrace: undefined });
  const { stack } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  Error.prepareStackTrace = prepareStackTrace;
  return typeof stack === 'string' ? stack : '';
}

/** Returns the user's frames of a stack, as places in the notebook if there is one. */
export function userFrames(stack: string): readonly string[] {
  const lines = stack.split('\n').filter(line => /^\s+at /.test(line) && !isLibrary(line));
  const shown = notebookHost()?.showStack?.(lines.join('\n'));
  return shown ?? lines.map(line => line.trim());
}

/** Returns whether a line of V8's stack text is of this library or of Node. */
export function isLibrary(line: string): boolean {
  return /[ (]node:/.test(line) || FOLDERS.some(folder => line.includes(folder));
}
