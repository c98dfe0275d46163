/** Functions of cells that a kernel calls and that show no sign of it, such as an untyped helper: their source is found when it is needed. */

import { runInThisContext } from 'node:vm';
import type { FunctionSource } from '../../../src/kernels/source/function-source.ts';
import { capturedFromTop, functionsFrom } from '../../../src/kernels/source/kernel-functions.ts';
import { parseModule, type Language } from '../../../src/kernels/source/parse.ts';
import { cellLanguage } from '../../protocol/cell-language.ts';
import type { CellSource, CellSources } from '../context/cell-sources.ts';
import type { NotebookNames } from '../transform/names.ts';
import { CellSyntaxError, offsetAt, positionAt } from '../transform/positions.ts';
import { stripTypes } from '../transform/strip-types.ts';

const HINT =
  'kernels do not know the names inside the function that made this one: pass the values as arguments';

export class UntypedFunctions {
  readonly #cells: CellSources;
  readonly #names: NotebookNames;
  readonly #known = new WeakMap<object, FunctionSource>();

  constructor(cells: CellSources, names: NotebookNames) {
    this.#cells = cells;
    this.#names = names;
  }

  /** Returns the source of a function, with the names of the notebook that it captures; undefined if no cell has it. */
  find(value: object): FunctionSource | undefined {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const text = Function.prototype.toString.call(value);
    for (const cell of this.#cells.latestFirst()) {
      const found = this.#inCell(cell, text);
      if (found === undefined) continue;
      this.#known.set(value, found);
      return found;
    }
    return undefined;
  }

  #inCell({ label, origin, compiled, toSource }: CellSource, text: string): FunctionSource | undefined {
    const at = compiled?.script.indexOf(text) ?? -1;
    if (compiled === undefined || at < 0) return undefined;
    const place = toSource(positionAt(compiled.script, at));
    if (place === null) return undefined;
    const { code } = compiled;
    const lang = cellLanguage(code);
    const program = parsed(code, lang);
    if (program === undefined) return undefined;
    // Arrow functions are mapped to what is before them.
    const after = functionsFrom(program, offsetAt(code, place));
    const node = after.find(each => isCompiled(code.slice(each.start, each.end), lang, text)) ?? after[0];
    if (node === undefined) return undefined;
    const start = positionAt(code, node.start);
    const { file, line } = { file: label, line: 1, ...origin };
    const captured = capturedFromTop(program, node).filter(
      name => this.#names.has(name) || !(name in globalThis)
    );
    return {
      text: code.slice(node.start, node.end),
      file,
      line: line + start.line - 1,
      column: start.column,
      hint: HINT,
      captured: Object.defineProperties(
        {},
        Object.fromEntries(captured.map(name => [name, this.#getter(name)]))
      )
    };
  }

  #getter(name: string): PropertyDescriptor {
    let read: (() => unknown) | undefined;
    const get = (): unknown => {
      // A later cell may declare it.
      if (!this.#names.has(name)) throw new ReferenceError(`${name} is not defined`);
      // Kernels read captured values at each launch, so the code is compiled once.
      read ??= this.#names.isProperty(name)
        ? () => this.#names.properties[name]
        : (runInThisContext(`() => ${name}`) as () => unknown);
      return read();
    };
    return { get, enumerable: true };
  }
}

function parsed(code: string, lang: Language): ReturnType<typeof parseModule> | undefined {
  try {
    return parseModule(code, lang);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // a cell that only the compiler understands
    throw error;
  }
}

/** Returns whether a function was compiled to this text, up to what compilers and the kernel add. */
function isCompiled(source: string, lang: Language, text: string): boolean {
  const plain = (code: string): string => code.replace(/[\s();]/g, '');
  try {
    return plain(stripTypes(`(${source})`, lang, {}).code) === plain(text);
  } catch (error) {
    if (error instanceof CellSyntaxError) return false;
    throw error;
  }
}
