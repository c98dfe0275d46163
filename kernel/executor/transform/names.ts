/** The notebook's top-level names: `let`s of the script scope, as fast as locals; properties if the global object has the name. */

import { runInThisContext } from 'node:vm';
import { CUDA } from '../../../src/kernels/source/kernel-calls.ts';
import { DENO } from '../../protocol/cell-modules.ts';
import { COMPLETION_VALUE } from './completion-value.ts';

/** File name of scripts with which the kernel reads and sets the notebook's names: an interrupt does not stop them. */
export const KERNEL_SCRIPT = 'node:stridelab';

/** From its 4,096th script that declares names on, V8 reads names of the script scope a hundred times slower: later ones are properties. */
const MAX_DECLARING_SCRIPTS = 4_000;

/** Parameters and variables of a cell's function, which would hide the notebook's names, and the name that cells get from the first. */
const OWN_NAMES = new Set(['__stridelab', 'require', COMPLETION_VALUE, DENO]);

/** What a name was before a cell declared it. */
export interface EarlierName {
  readonly name: string;
  readonly existed: boolean;
  readonly isConstant: boolean;
  readonly isCuda: boolean;
}

export class NotebookNames {
  /** Names stored as properties, accessible to cells as `__stridelab.names`. */
  readonly properties: Record<string, unknown> = {};
  readonly #scriptScope = new Set<string>();
  readonly #constants = new Set<string>();
  /** Names under which cells imported `cuda`. */
  readonly #cuda = new Set<string>();
  /** Names declared in the script scope, which cannot be deleted, and forgotten since. */
  readonly #forgotten = new Set<string>();
  /** Names whose only declaration a failed cell did not reach. */
  readonly #unreached = new Set<string>();
  /** Package whose JSX cells have, if they imported one that has JSX. */
  jsxSource: string | undefined;
  #scripts = 0;

  /** Returns the expression with which code refers to the name: the name itself, or a property. */
  target(name: string): string {
    if (this.isProperty(name)) return `__stridelab.names.${name}`;
    return name === DENO ? '__stridelab.deno' : name;
  }

  isProperty(name: string): boolean {
    return Object.hasOwn(this.properties, name);
  }

  isConstant(name: string): boolean {
    return this.#constants.has(name);
  }

  has(name: string): boolean {
    return this.isProperty(name) || (this.#scriptScope.has(name) && !this.#forgotten.has(name));
  }

  isUnreached(name: string): boolean {
    return this.#unreached.has(name);
  }

  isForgotten(name: string): boolean {
    return this.#forgotten.has(name);
  }

  get count(): number {
    return this.#scriptScope.size - this.#forgotten.size + Object.keys(this.properties).length;
  }

  /** Returns all variables, in alphabetical order. */
  list(): string[] {
    return [...this.#scriptScope, ...Object.keys(this.properties)].filter(name => this.has(name)).sort();
  }

  value(name: string): unknown {
    if (this.isProperty(name)) return this.properties[name];
    return runInThisContext(name, { filename: KERNEL_SCRIPT });
  }

  all(): Record<string, unknown> {
    const values = Object.create(null) as Record<string, unknown>;
    for (const name of this.list()) values[name] = this.value(name);
    return values;
  }

  /** Yields the variables one by one, each read when it is requested; variables that were deleted by then are left out. */
  *each(): Generator<readonly [string, unknown]> {
    for (const name of this.list()) if (this.has(name)) yield [name, this.value(name)];
  }

  /** Releases the values; later cells get a ReferenceError, closures of earlier ones `undefined`. */
  forget(names: Iterable<string>): void {
    for (const name of names) {
      this.#constants.delete(name);
      this.#cuda.delete(name);
      if (this.isProperty(name)) delete this.properties[name];
      else {
        runInThisContext(`${name} = undefined`);
        this.#forgotten.add(name);
      }
    }
  }

  /** Creates names before the cell that declares them is rewritten. Existing names keep their values. Returns what they were. */
  declare(names: Iterable<string>): EarlierName[] {
    const fresh: string[] = [];
    const earlier: EarlierName[] = [];
    for (const name of names) {
      const isConstant = this.isConstant(name);
      earlier.push({ name, existed: this.has(name), isConstant, isCuda: this.#cuda.has(name) });
      this.#forgotten.delete(name);
      this.#unreached.delete(name);
      this.#cuda.delete(name);
      if (this.#scriptScope.has(name) || this.isProperty(name)) continue;
      if (name in globalThis || OWN_NAMES.has(name) || this.#scripts >= MAX_DECLARING_SCRIPTS)
        this.properties[name] = undefined;
      else fresh.push(name);
    }
    if (fresh.length === 0) return earlier;
    this.#scripts += 1;
    runInThisContext(`let ${fresh.join(', ')};`);
    for (const name of fresh) this.#scriptScope.add(name);
    return earlier;
  }

  /** Makes a name what it was before a cell declared it and failed. */
  restore({ name, existed, isConstant, isCuda }: EarlierName): void {
    if (!existed) {
      this.forget([name]);
      this.#unreached.add(name);
      return;
    }
    this.setConstant(name, isConstant);
    if (isCuda) this.#cuda.add(name);
    else this.#cuda.delete(name);
  }

  /** Declares variables with these values; cells may assign them. */
  assign(values: ReadonlyMap<string, unknown>): void {
    this.declare(values.keys());
    for (const [name, value] of values) {
      this.setConstant(name, false);
      if (this.isProperty(name)) this.properties[name] = value;
      else {
        const set = `(value => { ${name} = value; })`;
        (runInThisContext(set, { filename: KERNEL_SCRIPT }) as (value: unknown) => void)(value);
      }
    }
  }

  /** The names that stand for `cuda` in a cell, besides those that it imports; it may also get the plain name in another way. */
  get cuda(): ReadonlySet<string> {
    return CUDA.union(this.#cuda);
  }

  /** Notes names under which a cell imports `cuda`. */
  setCuda(names: Iterable<string>): void {
    for (const name of names) this.#cuda.add(name);
  }

  setConstant(name: string, constant: boolean): void {
    if (constant) this.#constants.add(name);
    else this.#constants.delete(name);
  }
}
