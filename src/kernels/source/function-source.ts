/** The source of a function: what the cell transform, the loader hook and the bundler plugin attach, and kernels read. Pure. */

/** The key of the property. It is in the registry, so that transformed code needs no import. */
export const SOURCE: unique symbol = Symbol.for('stridelab.source') as never;

/** TypeScript source of a function, with the values of the names that it captures. */
export interface FunctionSource {
  /** The text of the function: an arrow function, a function expression or a declaration. */
  readonly text: string;
  /** The file as messages name it: `cell 5`, or a path. */
  readonly file: string;
  /** The line in the file where the text starts, from 1. */
  readonly line: number;
  /** The column where the text starts, from 0. */
  readonly column: number;
  /** Getters of the captured names, which read the present values; a name that is not defined throws its ReferenceError. */
  readonly captured: Readonly<Record<string, unknown>>;
  /** What helps against a name that is not defined or a type that is missing, for a function of which only the text is known. */
  readonly hint?: string;
  /** Texts of the declared types that annotations name, by their names: aliases and interfaces around the function. */
  readonly types?: Readonly<Record<string, string>>;
}

/** Finds the source of a function that was not transformed. */
type SourceFinder = (value: object) => FunctionSource | undefined;

const UNTRANSFORMED =
  'only the text of the function is known, without types and the names that it captures: run the program with node --import stridelab/register, ' +
  'or build it with stridelab/bundler, as a package in node_modules must be';
const UNFOUND =
  'only the text of the function is known: declare it at the top level of its file, with a type such as f32 for a parameter';

let finder: SourceFinder | undefined;

/** Sets who knows functions that were not transformed: the kernel of Jupyter, which has the cells. */
export function setSourceFinder(find: SourceFinder): void {
  finder = find;
}

/**
 * Returns the source that was attached to a function. A function that was not transformed and is in no cell has its text alone: without
 * types, and without the names that it captures.
 */
export function sourceOfFunction(value: object, name: string): FunctionSource {
  const attached = (value as { readonly [SOURCE]?: FunctionSource })[SOURCE];
  const found = attached ?? finder?.(value);
  if (found !== undefined) return found;
  const text = Function.prototype.toString.call(value);
  return {
    text,
    file: name,
    line: 1,
    column: 0,
    captured: {},
    hint: finder === undefined ? UNTRANSFORMED : UNFOUND
  };
}
