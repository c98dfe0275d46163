/** Parses the arguments of `%%python`: variables passed to Python and those that it returns. */

import type { CellText } from './magics.ts';

export interface PythonArguments {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Other arguments, which are an error. */
  readonly unknown: string;
}

const OPTION = /^\s*(-[io])\s*((?:[\p{ID_Continue}$]+\s*,\s*)*[\p{ID_Continue}$]+)(?=\s|$)/u;

export function pythonArguments(argument: string): PythonArguments {
  const names = { '-i': [] as string[], '-o': [] as string[] };
  let rest = argument;
  for (let found = OPTION.exec(rest); found !== null; found = OPTION.exec(rest)) {
    names[found[1] as '-i' | '-o'].push(...found[2]!.split(/\s*,\s*/));
    rest = rest.slice(found[0].length);
  }
  return { inputs: names['-i'], outputs: names['-o'], unknown: rest.trim() };
}

/** Returns the cell for the type checker: the variables that Python returns are declared in place of the magic. */
export function codeWithPythonNames({ code, magics }: CellText): string {
  const magic = magics.find(({ kind, name }) => kind === 'cell' && name === 'python');
  if (magic === undefined) return code;
  const { outputs } = pythonArguments(magic.argument);
  if (outputs.length === 0) return code;
  // Shorter than the magic, so that later text keeps its offsets.
  const declaration = `let{${[...new Set(outputs)].join()}}:any=0`;
  return code.slice(0, magic.start) + declaration + code.slice(magic.start + declaration.length);
}
