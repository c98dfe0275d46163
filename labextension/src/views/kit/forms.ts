/** Checks data of unknown origin, such as a saved notebook's, against forms, so that no picture is half drawn. */

import { __ } from './phrases.ts';

/** Checks a value. @throws TypeError that names the first part which is missing or malformed */
export type Form = (value: unknown, path: string) => void;

export const form =
  (accepts: (value: unknown) => boolean): Form =>
  (value, path) => {
    if (!accepts(value)) throw new TypeError(__('%1 is missing or malformed', path || __('the description')));
  };

export const text = form(value => typeof value === 'string');
export const number = form(Number.isFinite);
export const flag = form(value => typeof value === 'boolean');
export const oneOf = (...words: readonly string[]): Form => form(value => words.includes(value as string));
const list = form(Array.isArray);
const object = form(value => typeof value === 'object' && value !== null && !Array.isArray(value));

/** One form per field; the compiler checks that none is missing. */
export const record =
  <Of>(fields: { readonly [Key in keyof Of]-?: Form }): Form =>
  (value, path) => {
    object(value, path);
    for (const [name, check] of Object.entries<Form>(fields))
      check((value as Record<string, unknown>)[name], path === '' ? name : `${path}.${name}`);
  };

export const listOf =
  (item: Form): Form =>
  (value, path) => {
    list(value, path);
    for (const [index, entry] of (value as unknown[]).entries()) item(entry, `${path}[${index}]`);
  };

export const nullOr =
  (inner: Form): Form =>
  (value, path) =>
    value === null || inner(value, path);

export const optional =
  (inner: Form): Form =>
  (value, path) =>
    value === undefined || inner(value, path);
