/** The scripts that V8 has loaded: the file of each, and whether its code is the user's. */

import type { Debugger } from 'node:inspector';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { PlaceQuery } from '../../protocol/debugger-messages.ts';
import { compiledFolder } from '../../protocol/own-files.ts';
import { InspectorError } from './inspector-client.ts';

/** Patterns for `Debugger.setBlackboxPatterns`: steps do not enter code of Node, the kernel or its library. */
export const INTERNAL_PATTERNS = [
  '^node:',
  '^evalmachine',
  `^${RegExp.escape(pathToFileURL(compiledFolder).href)}/`
];

export interface ScriptFile {
  readonly scriptId: string;
  /** Path, or URL if the script is not a file. A version after a question mark is left out. */
  readonly file: string;
  readonly isInternal: boolean;
}

export class Scripts {
  readonly #byId = new Map<string, ScriptFile>();
  readonly #awaited = new Map<string, PromiseWithResolvers<ScriptFile>>();

  add({ scriptId, url }: Debugger.ScriptParsedEventDataType): void {
    const file = fileOf(url);
    const script = { scriptId, file, isInternal: isInternal(url, file) };
    this.#byId.set(scriptId, script);
    this.#awaited.get(file)?.resolve(script);
    this.#awaited.delete(file);
  }

  /** Returns the place in the user's code; undefined in other code. */
  placeOf({ scriptId, lineNumber, columnNumber = 0 }: Debugger.Location): PlaceQuery | undefined {
    const script = this.#byId.get(scriptId);
    return script?.isInternal === false ? [script.file, lineNumber + 1, columnNumber] : undefined;
  }

  /** Returns whether the place is in code of the user. */
  isUsers(location: Debugger.Location): boolean {
    return this.placeOf(location) !== undefined;
  }

  /** Returns the newest script of a file; undefined if V8 has reported none. */
  newest(file: string): ScriptFile | undefined {
    return [...this.#byId.values()].findLast(script => script.file === file);
  }

  /** Returns the newest script of a file, once it is compiled. @throws InspectorError if the debugger is detached first */
  compiled(file: string): Promise<ScriptFile> {
    const known = this.newest(file);
    if (known !== undefined) return Promise.resolve(known);
    const awaited = this.#awaited.get(file) ?? Promise.withResolvers<ScriptFile>();
    this.#awaited.set(file, awaited);
    return awaited.promise;
  }

  userFiles(): string[] {
    const scripts = [...this.#byId.values()].filter(
      ({ isInternal, file }) => !isInternal && file.startsWith('/')
    );
    return [...new Set(scripts.map(({ file }) => file))];
  }

  clear(): void {
    this.#byId.clear();
    for (const { reject } of this.#awaited.values()) reject(new InspectorError('The debugger was detached'));
    this.#awaited.clear();
  }
}

/** Returns a pattern for V8's URLs of a user's file, in whichever version it was imported. */
export function urlPattern(path: string): string {
  return `^${RegExp.escape(pathToFileURL(path).href)}(\\?.*)?$`;
}

function fileOf(url: string): string {
  if (!url.startsWith('file:')) return url;
  try {
    return fileURLToPath(url.replace(/[?#].*$/, ''));
  } catch {
    return url;
  }
}

function isInternal(url: string, file: string): boolean {
  return url === '' || !file.startsWith('/') || file.startsWith(`${compiledFolder}/`);
}
