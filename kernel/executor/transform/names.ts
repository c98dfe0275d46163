/**
 * The notebook's top-level names. Most are `let`s of the global script scope, which cost what locals cost and which
 * closures of every cell share. Names that the global object already has stay away from there, because the libraries
 * in the process would see them: those become properties of one object.
 */

import { runInThisContext } from 'node:vm';

/** File of scripts by which the kernel reads and sets the notebook's names: an interrupt lets them end. */
export const KERNEL_SCRIPT = 'node:stridelab';

/**
 * V8 resolves script-scope names by inline caches only in the first 4,096 scripts that declare any, and a hundred
 * times slower beyond; a session that gets there goes on with properties.
 */
const MAX_DECLARING_SCRIPTS = 4_000;

/** A cell's function has them as its own, and would hide the notebook's. */
const PARAMETERS = new Set(['__stridelab', 'require']);

export class NotebookNames {
  /** The property form, reachable from the cells as `__stridelab.names`. */
  readonly properties: Record<string, unknown> = {};
  readonly #scriptScope = new Set<string>();
  readonly #constants = new Set<string>();
  /** Declared in the script scope, from where nothing can be deleted, and forgotten since. */
  readonly #forgotten = new Set<string>();
  /** What the latest cell declares. */
  declaredLast: readonly string[] = [];
  #scripts = 0;

  /** How code refers to the name: itself, or a property. */
  target(name: string): string {
    return Object.hasOwn(this.properties, name) ? `__stridelab.names.${name}` : name;
  }

  isProperty(name: string): boolean {
    return Object.hasOwn(this.properties, name);
  }

  isConstant(name: string): boolean {
    return this.#constants.has(name);
  }

  /** Whether the notebook has this variable. */
  has(name: string): boolean {
    return this.isProperty(name) || (this.#scriptScope.has(name) && !this.#forgotten.has(name));
  }

  isForgotten(name: string): boolean {
    return this.#forgotten.has(name);
  }

  /** How many variables there are. */
  get count(): number {
    return this.#scriptScope.size - this.#forgotten.size + Object.keys(this.properties).length;
  }

  /** All variables, in alphabetical order. */
  list(): string[] {
    return [...this.#scriptScope, ...Object.keys(this.properties)].filter(name => this.has(name)).sort();
  }

  value(name: string): unknown {
    if (this.isProperty(name)) return this.properties[name];
    return runInThisContext(name, { filename: KERNEL_SCRIPT });
  }

  /** All variables with their values. */
  all(): Record<string, unknown> {
    const values = Object.create(null) as Record<string, unknown>;
    for (const name of this.list()) values[name] = this.value(name);
    return values;
  }

  /** Yields the variables one by one, each read when it is requested; variables that were deleted by then are left out. */
  *each(): Generator<readonly [string, unknown]> {
    for (const name of this.list()) if (this.has(name)) yield [name, this.value(name)];
  }

  /** Lets go of the values; later cells meet a ReferenceError, closures of earlier ones `undefined`. */
  forget(names: Iterable<string>): void {
    for (const name of names) {
      this.#constants.delete(name);
      if (this.isProperty(name)) delete this.properties[name];
      else {
        runInThisContext(`${name} = undefined`);
        this.#forgotten.add(name);
      }
    }
  }

  /** Makes names exist before the cell that declares them is rewritten. Values of names that exist are kept. */
  declare(names: Iterable<string>): void {
    const fresh: string[] = [];
    this.declaredLast = [...names];
    for (const name of this.declaredLast) {
      this.#forgotten.delete(name);
      if (this.#scriptScope.has(name) || this.isProperty(name)) continue;
      if (name in globalThis || PARAMETERS.has(name) || this.#scripts >= MAX_DECLARING_SCRIPTS)
        this.properties[name] = undefined;
      else fresh.push(name);
    }
    if (fresh.length === 0) return;
    this.#scripts += 1;
    runInThisContext(`let ${fresh.join(', ')};`);
    for (const name of fresh) this.#scriptScope.add(name);
  }

  /** Variables with these values, which cells may assign. */
  assign(values: ReadonlyMap<string, unknown>): void {
    this.declare(values.keys());
    for (const [name, value] of values) {
      this.setConstant(name, false);
      if (this.isProperty(name)) this.properties[name] = value;
      else (runInThisContext(`value => { ${name} = value; }`) as (value: unknown) => void)(value);
    }
  }

  /** Says which of the names just declared may be assigned from now on. */
  setConstant(name: string, constant: boolean): void {
    if (constant) this.#constants.add(name);
    else this.#constants.delete(name);
  }
}
