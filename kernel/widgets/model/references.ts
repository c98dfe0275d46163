/** References to widgets inside the state of other widgets: a prefix and the model's id. */

import { asBytes, isPlainObject } from './values.ts';

/** The prefix that widget managers resolve, and that of anywidget, for widgets from modules in the state of others. */
type Prefix = 'IPY_MODEL_' | 'anywidget:';

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

/** Returns a function that replaces every widget in a value by its reference, inside arrays and plain objects. */
export function packer(prefixOf: (widget: Referable) => Prefix): (value: unknown) => unknown {
  const pack = (value: unknown): unknown =>
    isReferable(value) ? `${prefixOf(value)}${value.model_id}` : mapInside(value, pack);
  return pack;
}

/** Returns the value with every widget replaced by its reference, inside arrays and plain objects. */
export const packReferences = packer(() => 'IPY_MODEL_');

/** Returns the value with every reference to an open widget replaced by the widget. */
export function unpackReferences(value: unknown): unknown {
  if (typeof value !== 'string') return mapInside(value, unpackReferences);
  const id = /^(?:IPY_MODEL_|anywidget:)(.+)$/.exec(value)?.[1];
  return (id === undefined ? undefined : openWidgets.get(id)) ?? value;
}

/** Copies arrays and plain objects, with `change` applied to their items; other values and bytes are not copied. */
function mapInside(value: unknown, change: (item: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(change);
  if (!isPlainObject(value) || asBytes(value) !== undefined) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, change(item)]));
}
