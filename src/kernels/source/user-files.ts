/** The files of a program that may have kernels, as its loader or bundler reads them. */

import { basename, isAbsolute, relative, sep } from 'node:path';
import { annotate } from './annotate.ts';
import type { Insertion } from './insertions.ts';
import type { Language } from './parse.ts';

const ENDING = /\.[cm]?[jt]sx?$/;
const DECLARATIONS = /\.d\.[cm]?ts$/;
const PACKAGES = `${sep}node_modules${sep}`;

/** Returns whether a path is of the program itself, in TypeScript or JavaScript. */
export function isUserFile(path: string): boolean {
  return isAbsolute(path) && ENDING.test(path) && !DECLARATIONS.test(path) && !path.includes(PACKAGES);
}

/** Returns what the sources of the kernels add to a file. */
export function annotateFile(path: string, text: string): readonly Insertion[] {
  return annotate(text, { file: nameOf(path), line: 1 }, languageOf(path));
}

/** Returns the path in the present folder, since paths of the machine mean nothing elsewhere. */
function nameOf(path: string): string {
  const name = relative(process.cwd(), path);
  return name.startsWith('..') || isAbsolute(name) ? basename(path) : name;
}

/** JavaScript may have JSX in any file. */
function languageOf(path: string): Language {
  return /[cm]?ts$/.test(path) ? 'ts' : 'tsx';
}
