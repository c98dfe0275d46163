/** Class names of external objects, for messages. */

import { types } from 'node:util';

/** Names by prototype. Without this cache, a lookup takes a tenth of an exchange's time. */
const known = new WeakMap<object, string | undefined>();

/** Returns the name of an object's class; undefined for a plain object, and if reading the name would run the object's code. */
export function classNameOf(value: object): string | undefined {
  if (types.isProxy(value)) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (typeof prototype !== 'object' || prototype === null) return undefined;
  const name = known.get(prototype);
  if (name !== undefined || known.has(prototype)) return name;
  const found = nameBehind(prototype);
  known.set(prototype, found);
  return found;
}

function nameBehind(prototype: object): string | undefined {
  if (types.isProxy(prototype)) return undefined;
  const made: unknown = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  if (typeof made !== 'function' || types.isProxy(made)) return undefined;
  const name: unknown = Object.getOwnPropertyDescriptor(made, 'name')?.value;
  return typeof name !== 'string' || name === '' || name === 'Object' ? undefined : name;
}
