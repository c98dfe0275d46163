/** The owner of an array's memory, for people. */

import { classNameOf } from '../../base/class-name.ts';
import { StridelabError } from '../../base/errors.ts';
import type { Storage } from '../../memory/storage.ts';
import { native } from '../../native/load.ts';
import { handleOf } from '../../python/interpreter/object.ts';

const UNKNOWN = 'elsewhere';

/**
 * As part of a sentence: `torch (Python)`, the class of an object of JavaScript's, `another process`, `elsewhere` where nobody was named;
 * null for the library's own memory. Runs no code of the owner's.
 */
export function originOf(storage: Storage): string | null {
  const { origin, borrowed, owner } = storage;
  if (!borrowed) return origin;
  // Behind a buffer of Python's are the buffer and who described it.
  const first: unknown = Array.isArray(owner) ? (owner as readonly unknown[]).at(-1) : owner;
  if ((typeof first !== 'object' && typeof first !== 'function') || first === null) return UNKNOWN;
  return pythonOrigin(handleOf(first) ?? first) ?? classNameOf(first) ?? UNKNOWN;
}

/** Undefined for what is no object of the Python in this process. */
function pythonOrigin(owner: object): string | undefined {
  try {
    const name = native().pythonImport.package(owner);
    return name === undefined ? undefined : pythonPackage(name);
  } catch (error) {
    if (error instanceof StridelabError) return PYTHON; // released by its user, while arrays keep the memory
    throw error;
  }
}

const PYTHON = 'Python';

function pythonPackage(name: string): string {
  return name === '' ? PYTHON : `${name} (${PYTHON})`;
}
