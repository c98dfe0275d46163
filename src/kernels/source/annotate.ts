/**
 * Attaches the TypeScript source to the functions of a file that kernels need. At run time their types are gone, and the
 * values that they capture cannot be reached. Pure.
 */

import { kernelFunctions, mayHaveKernelFunctions, type KernelFunction } from './kernel-functions.ts';
import type { Insertion } from './insertions.ts';
import { CUDA } from './kernel-calls.ts';
import { parseModule, type Language } from './parse.ts';

/** Where the text is from, as messages say it. */
export interface TextOrigin {
  readonly file: string;
  /** The number of the text's first line in the file. */
  readonly line: number;
}

/** Insertions before and after the same offset: the ends of inner functions come first, then starts of outer ones. */
interface Ordered extends Insertion {
  readonly order: number;
}

/**
 * Returns the insertions in order; none for a text without kernels, and for one that does not parse, whose compiler reports it. `names`
 * are those of `cuda` in the text, besides those that it imports.
 */
export function annotate(
  text: string,
  origin: TextOrigin,
  lang: Language,
  names = CUDA
): readonly Insertion[] {
  if (!mayHaveKernelFunctions(text, names)) return [];
  let functions: readonly KernelFunction[];
  try {
    functions = kernelFunctions(parseModule(text, lang), text, names);
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
  return functions
    .flatMap(found => insertionsFor(found, text, origin))
    .sort((a, b) => a.offset - b.offset || a.order - b.order);
}

function insertionsFor(
  { node, name, captured, types, blockStart }: KernelFunction,
  text: string,
  origin: TextOrigin
): Ordered[] {
  const { start, end } = node;
  const source = sourceCode(text, origin, { start, end, captured, types });
  // The hook may meet a bundle, whose own sources, with types, replace those of the hook.
  const property = `Symbol.for("stridelab.source"), { configurable: true, value: ${source} })`;
  if (blockStart !== undefined) {
    return [{ offset: blockStart, order: 0, text: `Object.defineProperty(${node.id!.name}, ${property}; ` }];
  }
  // Only the value of a property or variable gets its name.
  const [before, after] = name === undefined ? ['', ''] : [`{ ${name}: `, ` }.${name}`];
  return [
    { offset: start, order: text.length - end, text: `Object.defineProperty(${before}` },
    { offset: end, order: -start, text: `${after}, ${property}` }
  ];
}

/** Returns the code of a `FunctionSource`. */
function sourceCode(
  text: string,
  { file, line }: TextOrigin,
  {
    start,
    end,
    captured,
    types
  }: Pick<KernelFunction, 'captured' | 'types'> & { readonly start: number; readonly end: number }
): string {
  const before = text.slice(0, start).split('\n');
  const column = before.at(-1)!.length;
  const getters = captured.map(name => `get ${name}() { return ${name}; }`).join(', ');
  const fields = [
    `text: ${literal(text.slice(start, end))}`,
    `file: ${literal(file)}`,
    `line: ${line + before.length - 1}`,
    `column: ${column}`,
    `captured: { ${getters} }`
  ];
  const declared = [...types].map(([name, own]) => `${name}: ${literal(own)}`);
  if (declared.length > 0) fields.push(`types: { ${declared.join(', ')} }`);
  return `{ ${fields.join(', ')} }`;
}

/** Returns a string literal on one line, also for the separators that only JavaScript counts as ends of lines. */
function literal(text: string): string {
  return JSON.stringify(text)
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029');
}
