/** Parses TypeScript: the text of a function, and files that hold kernels. Pure. */

import type { Function as FunctionNode, Options, Parser, Program } from 'acorn';

export type Language = 'ts' | 'tsx';

/** Loads the parsers at the first kernel, since most programs and cells have none. Parsing is synchronous, and so is this. */
function parserOf(lang: Language): typeof Parser {
  loaded ??= process.getBuiltinModule('node:module').createRequire(import.meta.url)('#parsers') as Parsers;
  return loaded[lang];
}

type Parsers = Readonly<Record<Language, typeof Parser>>;
let loaded: Parsers | undefined;

const OPTIONS: Options = { ecmaVersion: 'latest', sourceType: 'module', ranges: true };

/**
 * Parses the text of a function: an arrow function, a function expression or a declaration. The nodes have offsets into
 * the text. Types are in `typeAnnotation` and `returnType`, which acorn's own types do not have.
 * @throws SyntaxError with its place in `loc`: the line, from 1, and the column, from 0
 */
export function parseFunction(text: string): FunctionNode {
  const node = withPlainMessage(() => parserOf('ts').parseExpressionAt(text, 0, OPTIONS));
  if (node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression') return node;
  const loc = { line: 1, column: 0 };
  throw Object.assign(new SyntaxError('The text is not a function'), { pos: 0, loc });
}

/** Parses a module or a cell. @throws SyntaxError, as `parseFunction` does */
export function parseModule(text: string, lang: Language): Program {
  return withPlainMessage(() =>
    parserOf(lang).parse(text, {
      ...OPTIONS,
      allowAwaitOutsideFunction: true,
      allowReturnOutsideFunction: true
    })
  );
}

/** Removes the place from messages, which is in the error too. */
function withPlainMessage<Result>(parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SyntaxError) error.message = error.message.replace(/ \(\d+:\d+\)$/, '');
    throw error;
  }
}
