/** The members of values, found without running any code of theirs: no getter, no proxy. */

import { types } from 'node:util';
import type { LiveMember } from '../../protocol/executor-messages.ts';
import type { NotebookNames } from '../transform/names.ts';

/** Most members that are listed; more do not help anyone who is typing. */
const MAX_MEMBERS = 1_000;
/** Prototypes that are followed. */
const MAX_DEPTH = 20;

/** Null if there is no such value, or none that can be inspected without running code. */
export function liveMembers(names: NotebookNames, [root, ...keys]: readonly string[]): LiveMember[] | null {
  if (root === undefined || !names.has(root)) return null;
  let value = names.value(root);
  try {
    for (const key of keys) {
      const descriptor = find(value, key);
      // The value behind a getter is known to nobody before it ran.
      if (descriptor === undefined || !('value' in descriptor)) return null;
      value = descriptor.value;
    }
    return membersOf(value);
  } catch {
    // A module that was not run to its end throws for exports without a value.
    return null;
  }
}

function membersOf(value: unknown): LiveMember[] | null {
  const members = new Map<string, string>();
  for (const holder of holders(value)) {
    // The elements of long arrays are not what somebody looks for by name.
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

/** The value and its prototypes, up to those that every object has; nothing where a proxy would see the look. */
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
  // The prototype of arrays is an array as well, an empty one.
  if (Array.isArray(holder)) return holder.length > 0;
  return types.isTypedArray(holder) || types.isStringObject(holder);
}
