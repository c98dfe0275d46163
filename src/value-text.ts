/** Values of others in messages of ours: never long, and never running their code. */

import { types } from 'node:util';

/** A number, a text or a word for what it is. */
export function textOf(value: unknown): string {
  switch (typeof value) {
    case 'bigint':
      return `${value}n`;
    case 'string':
      return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
    case 'number':
    case 'boolean':
    case 'undefined':
      return String(value);
    case 'object':
      return value === null ? 'null' : Array.isArray(value) ? 'a list' : 'an object';
    default:
      return `a ${typeof value}`;
  }
}

/** The name of an object's class; undefined for a plain object, and where only its own code could tell. */
export function classNameOf(value: object): string | undefined {
  if (types.isProxy(value)) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (typeof prototype !== 'object' || prototype === null || types.isProxy(prototype)) return undefined;
  const made: unknown = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  if (typeof made !== 'function' || types.isProxy(made)) return undefined;
  const name: unknown = Object.getOwnPropertyDescriptor(made, 'name')?.value;
  return typeof name !== 'string' || name === '' || name === 'Object' ? undefined : name;
}
