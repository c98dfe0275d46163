/** Methods that the debugger calls on the main thread, even while it is paused or in a loop: none of them waits. */

import { inspect, types } from 'node:util';
import { shorten } from '../../../src/base/short-texts.ts';
import { render } from '../../../src/notebook/rendering.ts';
import {
  NOTEBOOK_ACCESS,
  type BreakpointLines,
  type CellPlaceAnswer,
  type PlaceQuery,
  type ValueAnswer
} from '../../protocol/debugger-messages.ts';
import type { CellSources } from '../context/cell-sources.ts';
import { criticalDepth } from '../context/critical-section.ts';
import { flushOutput } from '../front/output.ts';
import type { NotebookNames } from '../transform/names.ts';
import type { KernelForms } from './kernel-forms.ts';
import { stopPlace } from './stop-place.ts';

const DISPLAY_METHOD = Symbol.for('Jupyter.display');
const MAX_TEXT = 120;

export class NotebookAccess {
  readonly #cells: CellSources;
  readonly #names: NotebookNames;
  readonly #ids = new WeakMap<object, number>();
  readonly #hits = new Map<string, number>();
  #lastId = 0;
  /** The kernels that run in the debugger; set with the first cell under it. */
  kernels: KernelForms | undefined;

  constructor(cells: CellSources, names: NotebookNames) {
    this.#cells = cells;
    this.#names = names;
  }

  /** Returns places in cells; null for files that are not cells. */
  places(queries: readonly PlaceQuery[]): (CellPlaceAnswer | null)[] {
    return queries.map(([file, line, column]) => {
      const cell = this.#cells.get(file);
      if (cell === undefined) return this.kernels?.place(file, line) ?? null;
      const position = stopPlace(cell.toSource, { line, column });
      return {
        label: cell.label,
        source: cell.source,
        line: position?.line ?? null,
        column: position?.column ?? 0
      };
    });
  }

  filesOf(key: string): string[] {
    return [...this.#cells.filesOf(key), ...(this.kernels?.filesOf(key) ?? [])];
  }

  breakpoints(all: readonly BreakpointLines[]): void {
    this.kernels?.setBreakpoints(all);
  }

  openKernel(id: number): void {
    this.kernels?.open(id);
  }

  variables(): Record<string, unknown> {
    return this.#names.all();
  }

  describe(...values: unknown[]): ValueAnswer[] {
    return values.map(value => {
      const id = this.#id(value);
      return criticalDepth[0] === 0 ? { id, text: ownText(value) } : { id };
    });
  }

  /** Returns elements of an array or typed array, values of a set, or entries of a map, by index. */
  members(
    collection: ArrayLike<unknown> | Map<unknown, unknown> | Set<unknown>,
    start: number,
    count: number
  ): unknown[] {
    if (types.isMap(collection)) {
      const entries = Map.prototype.entries.call(collection) as MapIterator<[unknown, unknown]>;
      return [...entries.drop(start).take(count)].map(([key, value]) => ({ key, value }));
    }
    if (!types.isSet(collection)) return Array.prototype.slice.call(collection, start, start + count);
    return [...Set.prototype.values.call(collection).drop(start).take(count)];
  }

  /** Returns the value's MIME bundle. With `atOnce` it awaits nothing, because promises do not settle while the thread is paused. */
  bundle(value: unknown, atOnce: boolean): unknown {
    if (!atOnce) return Promise.resolve(render(value)).then(({ data }) => data);
    const plain = { 'text/plain': inspect(value) };
    const method = isObject(value) ? (value as Record<symbol, unknown>)[DISPLAY_METHOD] : undefined;
    const shown: unknown = typeof method === 'function' ? method.call(value) : undefined;
    // A bundle may be a pair with its metadata.
    const own: unknown = Array.isArray(shown) ? shown[0] : shown;
    return isObject(own) && !types.isPromise(own) ? { ...plain, ...own } : plain;
  }

  /** Adds a variable to the notebook or assigns an existing one. Throws `TypeError` for a constant. */
  assign(name: string, value: unknown): void {
    if (this.#names.has(name) && this.#names.isConstant(name))
      throw new TypeError(`cannot assign to '${name}': it is a constant`);
    this.#names.assign(new Map([[name, value]]));
  }

  hit(breakpoint: string): number {
    const count = (this.#hits.get(breakpoint) ?? 0) + 1;
    this.#hits.set(breakpoint, count);
    return count;
  }

  /** Sends the collected output, so that it is visible during a pause. */
  flush(): void {
    if (criticalDepth[0] === 0) flushOutput();
  }

  #id(value: unknown): number {
    if (!isObject(value)) return 0;
    const known = this.#ids.get(value);
    if (known !== undefined) return known;
    this.#lastId += 1;
    this.#ids.set(value, this.#lastId);
    return this.#lastId;
  }
}

/** Returns an object's own description; null for proxies, whose traps are user code. */
function ownText(value: unknown): string | null {
  if (!isObject(value) || types.isProxy(value)) return null;
  try {
    if (!(inspect.custom in value) || ArrayBuffer.isView(value)) return null;
    const text = inspect(value, { depth: 0, breakLength: Infinity });
    return shorten(text.replace(/\s*\n\s*/g, ' '), MAX_TEXT);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Makes the access available to the debugger, as a hidden property of the global object. */
export function giveAccess(access: NotebookAccess): void {
  Object.defineProperty(globalThis, Symbol.for(NOTEBOOK_ACCESS), {
    value: access,
    configurable: true,
    enumerable: false
  });
}
