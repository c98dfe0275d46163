/** Finds the notebook variables that hold memory. */

import { types } from 'node:util';

import { NDArray } from '../../array/array.ts';
import { MemoryPointer } from '../../memory/manager/pointer.ts';
import type { Recorder } from '../../recording/memory/recorder.ts';
import type { Allocation } from '../../recording/memory/records.ts';

/** Maximum number of elements searched in a list or object. */
const MOST_ELEMENTS = 64;
/** Maximum number of names listed for one block; others are counted. */
const MOST_NAMES = 4;

export type Variables = Readonly<Record<string, unknown>>;

interface Name {
  readonly text: string;
  /** Whether the array covers all of the memory. */
  readonly whole: boolean;
}

/** Sets the owners of live allocations: `a`, `a (view b)`, `list[2]`. Freed allocations keep their last names. */
export function nameOwners(
  alive: readonly Allocation[],
  variables: Variables,
  recorder: Recorder
): Set<Allocation> {
  const names = new Map<Allocation, Name[]>();
  const note = (text: string, value: unknown): boolean => {
    const found = allocationOf(value, recorder);
    if (found === undefined) return false;
    const list = names.get(found.allocation) ?? [];
    list.push({ text, whole: found.whole });
    names.set(found.allocation, list);
    return true;
  };
  for (const [name, value] of Object.entries(variables)) {
    if (note(name, value)) continue;
    for (const [path, element] of elementsOf(value)) note(`${name}${path}`, element);
  }
  for (const [allocation, list] of names) allocation.owner = ownerText(list);
  for (const allocation of alive) if (!names.has(allocation)) allocation.owner = null;
  return new Set(names.keys());
}

function allocationOf(
  value: unknown,
  recorder: Recorder
): { readonly allocation: Allocation; readonly whole: boolean } | undefined {
  // A proxy runs user code, which may throw.
  if (types.isProxy(value)) return undefined;
  if (value instanceof NDArray) {
    if (value.freed) return undefined;
    const { storage } = value;
    const allocation = recorder.ofStorage(storage);
    return allocation && { allocation, whole: value.nbytes >= storage.bytes };
  }
  if (value instanceof MemoryPointer && !value.freed) {
    const allocation = recorder.at(value.pointer);
    return allocation && { allocation, whole: value.size >= allocation.requested };
  }
  return undefined;
}

/** Returns the elements of plain lists and objects, one level deep, without running code. */
function elementsOf(value: unknown): [path: string, element: unknown][] {
  if (typeof value !== 'object' || value === null || types.isProxy(value)) return [];
  const isList = Array.isArray(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!isList && prototype !== Object.prototype && prototype !== null) return [];
  const elements: [path: string, element: unknown][] = [];
  for (const key in value) {
    if (elements.length === MOST_ELEMENTS) break;
    const property = Object.getOwnPropertyDescriptor(value, key);
    if (property !== undefined && 'value' in property)
      elements.push([isList ? `[${key}]` : `.${key}`, property.value as unknown]);
  }
  return elements;
}

function ownerText(names: readonly Name[]): string {
  const whole = names.filter(name => name.whole).map(({ text }) => text);
  const views = names.filter(name => !name.whole).map(({ text }) => text);
  const list = (texts: readonly string[]): string => {
    const shown = texts.slice(0, MOST_NAMES).join(', ');
    return texts.length > MOST_NAMES ? `${shown} and ${texts.length - MOST_NAMES} more` : shown;
  };
  if (views.length === 0) return list(whole);
  return whole.length === 0 ? `view ${list(views)}` : `${list(whole)} (view ${list(views)})`;
}
