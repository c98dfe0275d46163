/** Extracts binary values from a widget's state, and restores them (Jupyter widget messaging protocol 2.1). */

import { asBytes, isPlainObject } from './values.ts';

export type PathStep = string | number;
export type BufferPath = readonly PathStep[];

export interface SplitState {
  /** The state without binary values: keys are removed, list entries are null. */
  readonly state: Record<string, unknown>;
  readonly paths: readonly BufferPath[];
  /** Views of the state's own memory. */
  readonly buffers: readonly Uint8Array[];
}

export function splitBuffers(state: Readonly<Record<string, unknown>>): SplitState {
  const paths: BufferPath[] = [];
  const buffers: Uint8Array[] = [];

  const split = (value: unknown, path: BufferPath): unknown => {
    const bytes = asBytes(value);
    if (bytes !== undefined) {
      paths.push(path);
      buffers.push(bytes);
      return null;
    }
    if (Array.isArray(value)) return value.map((item, index) => split(item, [...path, index]));
    return isPlainObject(value) ? splitObject(value, path) : value;
  };
  const splitObject = (
    object: Readonly<Record<string, unknown>>,
    path: BufferPath
  ): Record<string, unknown> => {
    const result: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(object)) {
      const kept = split(value, [...path, key]);
      if (asBytes(value) === undefined) result[key] = kept;
    }
    return result;
  };
  return { state: splitObject(state, []), paths, buffers };
}

/** Puts `buffers` into `state` at `paths`, if these are a list. Throws `RangeError` for a path that does not exist. */
export function joinBuffers(
  state: Record<string, unknown>,
  paths: unknown,
  buffers: readonly Uint8Array[]
): void {
  if (!Array.isArray(paths)) return;
  (paths as BufferPath[]).forEach((path, index) => {
    const last = path.at(-1);
    const holder = path.slice(0, -1).reduce<unknown>((value, step) => child(value, step), state);
    const buffer = buffers[index];
    if (last === undefined || buffer === undefined || typeof holder !== 'object' || holder === null) {
      throw new RangeError(`The buffer path [${path.join(', ')}] does not exist in the state`);
    }
    // Defined, not assigned: a path through `__proto__` must not change a prototype.
    Object.defineProperty(holder, last, {
      value: buffer,
      configurable: true,
      enumerable: true,
      writable: true
    });
  });
}

function child(value: unknown, step: PathStep): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    ? (value as Record<PathStep, unknown>)[step]
    : undefined;
}
