/** References to widgets inside the state of other widgets: they are sent as `IPY_MODEL_` and the model's id. */

import { asBytes, isPlainObject } from './values.ts';

const PREFIX = 'IPY_MODEL_';

/** A widget that can be part of another widget's state. */
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

/** Marks a widget that a property created for its holder, which closes it when it is closed. */
export function markMadeForHolder(widget: Referable): void {
  madeForHolder.add(widget);
}

export function isMadeForHolder(value: unknown): value is Referable {
  return isReferable(value) && madeForHolder.has(value);
}

/** Returns the value with every widget replaced by its reference, inside arrays and plain objects. */
export function packReferences(value: unknown): unknown {
  if (isReferable(value)) return `${PREFIX}${value.model_id}`;
  return mapInside(value, packReferences);
}

/** Returns the value with every reference to an open widget replaced by the widget. */
export function unpackReferences(value: unknown): unknown {
  if (typeof value === 'string')
    return value.startsWith(PREFIX) ? (openWidgets.get(value.slice(PREFIX.length)) ?? value) : value;
  return mapInside(value, unpackReferences);
}

/** Copies arrays and plain objects, with `change` applied to their items; other values and bytes are not copied. */
function mapInside(value: unknown, change: (item: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(change);
  if (!isPlainObject(value) || asBytes(value) !== undefined) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, change(item)]));
}
