/** Names the owner of an array's memory for readers. */

import { classNameOf } from '../../base/class-name.ts';
import { StridelabError } from '../../base/errors.ts';
import type { Storage } from '../../memory/storage.ts';
import { native } from '../../native/load.ts';
import { handleOf } from '../../python/interpreter/object.ts';

const UNKNOWN = 'elsewhere';

/** Returns the owner for a sentence: `torch (Python)`, a class, `another process`, `elsewhere`; null for our memory. Runs none of its code. */
export function originOf(storage: Storage): string | null {
  const { origin, borrowed, owner } = storage;
  if (!borrowed) return origin;
  // A Python buffer's owner is a list: the buffer and the object that described it.
  const first: unknown = Array.isArray(owner) ? (owner as readonly unknown[]).at(-1) : owner;
  if ((typeof first !== 'object' && typeof first !== 'function') || first === null) return UNKNOWN;
  return pythonOrigin(handleOf(first) ?? first) ?? classNameOf(first) ?? UNKNOWN;
}

/** Names a Python object's origin; undefined if the object is not from the Python in this process. */
function pythonOrigin(owner: object): string | undefined {
  try {
    const name = native().pythonImport.package(owner);
    return name === undefined ? undefined : pythonPackage(name);
  } catch (error) {
    if (error instanceof StridelabError) return PYTHON; // freed by its user, while arrays keep the memory
    throw error;
  }
}

const PYTHON = 'Python';

const pythonPackage = (name: string): string => (name === '' ? PYTHON : `${name} (${PYTHON})`);
