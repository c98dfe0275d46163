/** Parses TypeScript: the text of a function, and files that hold kernels. Pure. */

import { tsPlugin } from '@sveltejs/acorn-typescript';
import { Parser, type Function as FunctionNode, type Options, type Program } from 'acorn';

export type Language = 'ts' | 'tsx';

/** Skips checks of names, since types and values may share one and cells may use those of other cells. */
const withoutNameChecks = (Base: typeof Parser): typeof Parser =>
  class extends (Base as unknown as new (...parameters: unknown[]) => object) {
    declareName(): void {}

    raiseRecoverable(): void {}
  } as unknown as typeof Parser;

const PARSERS = {
  ts: Parser.extend(tsPlugin(), withoutNameChecks),
  tsx: Parser.extend(tsPlugin({ jsx: true }), withoutNameChecks)
};
const OPTIONS: Options = { ecmaVersion: 'latest', sourceType: 'module', ranges: true };

/**
 * Parses the text of a function: an arrow function, a function expression or a declaration. The nodes have offsets into
 * the text. Types are in `typeAnnotation` and `returnType`, which acorn's own types do not have.
 * @throws SyntaxError with its place in `loc`: the line, from 1, and the column, from 0
 */
export function parseFunction(text: string): FunctionNode {
  const node = withPlainMessage(() => PARSERS.ts.parseExpressionAt(text, 0, OPTIONS));
  if (node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression') return node;
  const loc = { line: 1, column: 0 };
  throw Object.assign(new SyntaxError('The text is not a function'), { pos: 0, loc });
}

/** Parses a module or a cell. @throws SyntaxError, as `parseFunction` does */
export function parseModule(text: string, lang: Language): Program {
  return withPlainMessage(() =>
    PARSERS[lang].parse(text, {
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
