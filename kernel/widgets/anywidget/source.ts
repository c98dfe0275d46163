/** Source of a module or a style sheet: text, a URL, or a file that may change. */

import { readFileSync, statSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Delay after a change: editors write a file in several steps. */
const SETTLE_MS = 50;

export interface Source {
  /** The text for the page: the source itself, or an `http:` or `https:` address. */
  readonly text: string;
  /** Path of the file, if the source is one. */
  readonly file: string | undefined;
}

/** Reads a source: the text itself, or a file if it is a `file:` URL or one line that ends in .js, .mjs or .css. Throws `Error`. */
export function sourceOf(given: string | URL): Source {
  if (given instanceof URL && given.protocol !== 'file:') return { text: given.href, file: undefined };
  const isFile = given instanceof URL || /^(?!https?:)[^\n{}]+\.(?:js|mjs|css)$/.test(given);
  if (!isFile) return { text: given, file: undefined };
  const file = given instanceof URL ? fileURLToPath(given) : resolve(given);
  try {
    return { text: readFileSync(file, 'utf8'), file };
  } catch (cause) {
    throw new Error(
      `${file} cannot be read: paths of widget modules are relative to the notebook's folder, ${process.cwd()}`,
      { cause }
    );
  }
}

interface Watched {
  readonly watcher: FSWatcher;
  readonly listeners: Set<(text: string) => void>;
}

/** The watchers by file, each shared by all widgets of the file. */
const watched = new Map<string, Watched>();

/** Calls `changed` with the file's text whenever the file changes; does not keep the process alive. */
export function watchSource(file: string, changed: (text: string) => void): Disposable {
  const entry = watched.get(file) ?? startWatching(file);
  entry.listeners.add(changed);
  return {
    [Symbol.dispose]() {
      entry.listeners.delete(changed);
      if (entry.listeners.size > 0 || watched.get(file) !== entry) return;
      watched.delete(file);
      entry.watcher.close();
    }
  };
}

function startWatching(file: string): Watched {
  const listeners = new Set<(text: string) => void>();
  const name = basename(file);
  let timer: NodeJS.Timeout | undefined;
  const read = (): void => {
    // Between two steps of an editor, the file may be missing or empty.
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
    const text = readFileSync(file, 'utf8');
    for (const listener of listeners) listener(text);
  };
  // Watches the folder, since editors replace the file.
  const watcher = watch(dirname(file), { persistent: false }, (_event, found) => {
    if (found !== name) return;
    clearTimeout(timer);
    timer = setTimeout(read, SETTLE_MS);
    timer.unref();
  });
  const entry = { watcher, listeners };
  watched.set(file, entry);
  return entry;
}
