import type { NotebookNames } from '../transform/names.ts';

/** Records the values of a compiled cell's names before it starts; the returned function lists those that it has assigned. */
export function watchAssigned(names: NotebookNames): () => string[] {
  const before = new Map(names.declaredLast.map(name => [name, held(names.value(name))]));
  return () =>
    [...before].flatMap(([name, kept]) => {
      const old: unknown = kept instanceof WeakRef ? kept.deref() : kept;
      const collected = kept instanceof WeakRef && old === undefined;
      return collected || !Object.is(names.value(name), old) ? [name] : [];
    });
}

/** Holds objects weakly, so that a value that the cell replaces can be collected. */
function held(value: unknown): unknown {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isObject ? new WeakRef(value) : value;
}
