/** Lists the members of values without running any of their code: no getters, no proxies. */

import { types } from 'node:util';
import type { LiveMember } from '../../protocol/executor-messages.ts';
import type { NotebookNames } from '../transform/names.ts';

/** Maximum number of members listed; more do not help while typing. */
const MAX_MEMBERS = 1_000;
const MAX_DEPTH = 20;

/** Returns the members; null if there is no such value, or none that can be inspected without running code. */
export function liveMembers(names: NotebookNames, [root, ...keys]: readonly string[]): LiveMember[] | null {
  if (root === undefined || !names.has(root)) return null;
  let value = names.value(root);
  try {
    for (const key of keys) {
      const descriptor = find(value, key);
      // The value of a getter is unknown until it runs.
      if (descriptor === undefined || !('value' in descriptor)) return null;
      value = descriptor.value;
    }
    return membersOf(value);
  } catch {
    // Namespaces of modules that did not finish throw for exports without a value.
    return null;
  }
}

function membersOf(value: unknown): LiveMember[] | null {
  const members = new Map<string, string>();
  for (const holder of holders(value)) {
    // Elements of long arrays are not accessed by name.
    if (!isIndexed(holder)) note(holder, members);
    if (members.size >= MAX_MEMBERS) break;
  }
  return members.size === 0 ? null : [...members].map(([name, type]) => ({ name, type }));
}

function note(holder: object, members: Map<string, string>): void {
  for (const name of Object.getOwnPropertyNames(holder)) {
    if (members.size >= MAX_MEMBERS) return;
    if (members.has(name) || name === 'constructor' || name.startsWith('__')) continue;
    const value: unknown = Object.getOwnPropertyDescriptor(holder, name)?.value;
    members.set(name, typeof value === 'function' ? 'method' : 'property');
  }
}

function find(value: unknown, key: string): PropertyDescriptor | undefined {
  for (const holder of holders(value)) {
    const descriptor = Object.getOwnPropertyDescriptor(holder, key);
    if (descriptor !== undefined) return descriptor;
  }
  return undefined;
}

/** Yields the value and its prototypes, except those that all objects have; nothing if a proxy would notice. */
function* holders(value: unknown): Generator<object> {
  if (value === null || value === undefined) return;
  let holder: object | null = Object(value) as object;
  for (let depth = 0; depth < MAX_DEPTH && holder !== null && holder !== Object.prototype; depth += 1) {
    if (types.isProxy(holder)) return;
    yield holder;
    holder = Object.getPrototypeOf(holder) as object | null;
  }
}

function isIndexed(holder: object): boolean {
  // The prototype of arrays is itself an array, an empty one.
  if (Array.isArray(holder)) return holder.length > 0;
  return types.isTypedArray(holder) || types.isStringObject(holder);
}
