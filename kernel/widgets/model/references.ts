/** Widgets inside the state of others: they travel as the text `IPY_MODEL_` and the model's id. */

import { asBytes, isPlainObject } from './values.ts';

const PREFIX = 'IPY_MODEL_';

/** Anything that can stand in another widget's state. */
export interface Referable {
  readonly model_id: string;
  close(): void;
}

/** The open widgets by id; the base class adds and removes them. */
export const openWidgets = new Map<string, Referable>();

const referable = new WeakSet<object>();
const madeForHolder = new WeakSet<object>();

/** Marks an object as a widget for `packReferences`. */
export function makeReferable(widget: Referable): void {
  referable.add(widget);
}

export function isReferable(value: unknown): value is Referable {
  return typeof value === 'object' && value !== null && referable.has(value);
}

/** Marks a widget that a property made for the widget that holds it, which closes it with itself. */
export function markMadeForHolder(widget: Referable): void {
  madeForHolder.add(widget);
}

export function isMadeForHolder(value: unknown): value is Referable {
  return isReferable(value) && madeForHolder.has(value);
}

/** The value with every widget in it replaced by its reference; arrays and plain objects are looked into. */
export function packReferences(value: unknown): unknown {
  if (isReferable(value)) return `${PREFIX}${value.model_id}`;
  return mapInside(value, packReferences);
}

/** The value with every reference to an open widget replaced by the widget. */
export function unpackReferences(value: unknown): unknown {
  if (typeof value === 'string')
    return value.startsWith(PREFIX) ? (openWidgets.get(value.slice(PREFIX.length)) ?? value) : value;
  return mapInside(value, unpackReferences);
}

/** Copies arrays and plain objects; leaves and bytes stay the same. */
function mapInside(value: unknown, change: (item: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(change);
  if (!isPlainObject(value) || asBytes(value) !== undefined) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, change(item)]));
}
