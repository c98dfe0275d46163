/** What is not reported in cells unless the user's settings ask for it: code that runs as written, in the style of plain JavaScript. */

import type { CompilerOptions } from '../../protocol/tsconfig.ts';
import type { CellModule } from './composer.ts';
import type { LspDiagnostic } from './lsp-types.ts';
import { offsetAt } from './text-positions.ts';

/** Values that are `any` because nothing says more, except for packages without types. */
const IMPLICIT_ANY = /^(?:70(?:0[5689]|1[0-57-9]|2[0-6]|3[1-5]|39|41|5[1-57])|2683)$/;
/** Values of type `unknown`, such as the answer of a server. */
const UNKNOWN = new Set([2571, 2700, 18046]);
const TYPE_IMPORT = 1484;
const NO_NAME = 2304;
const NO_MEMBER = 2339;
const EXCESS_MEMBER = 2353;

/** Values that may be null or undefined, operators that convert their operands, `delete`, and a `var` that is declared twice. */
const LEGAL_IN_JAVASCRIPT = new Set([
  2362, 2363, 2365, 2403, 2531, 2532, 2533, 2721, 2722, 2723, 2790, 18047, 18048, 18049
]);
/** Objects whose fields begin as `null` or `[]`, and arguments that may be missing. */
const FILLED_LATER =
  /(?:to type|to parameter of type|on type) '(?:never|null|undefined)'|Type '(?:null|undefined)' is not assignable/;
/** Types of literals and functions, which get members at any time, and those of the DOM that stand for more specific ones. */
const OPEN_TYPE =
  /(?:on|in) type '(?:[{(<]|typeof (?!import\()|(?:HTMLElement|Element|EventTarget|(?:Child|Parent)?Node)')/;
/** A type of several kinds, of which some have the member. */
const SOME_MEMBERS = /\n/;

/** Returns whether cells are checked without the rules that plain JavaScript cannot satisfy. */
export function isRelaxed({ strict, noImplicitAny }: CompilerOptions): boolean {
  return strict !== true && noImplicitAny !== true;
}

/**
 * Returns the compiler's options for relaxed checks. Implicit `any` is allowed by not reporting it: without the option the compiler
 * would not infer the types of `let x` and `[]`. Null checks stay on for cells with types; JavaScript has no more messages with them.
 */
export function relaxedOptions(): CompilerOptions {
  return { strict: true, useUnknownInCatchVariables: false, strictPropertyInitialization: false };
}

/** Returns whether a diagnostic is not reported with the user's options. `members` are those that cells assign, as in `CellFacts`. */
export function isTolerated(
  { code: written, message, range }: LspDiagnostic,
  { code, facts }: Pick<CellModule, 'code' | 'facts'>,
  members: ReadonlySet<string>,
  options: CompilerOptions
): boolean {
  if (!isRelaxed(options)) return false;
  const number = Number(written);
  const start = offsetAt(code, range.start);
  const subject = code.slice(start, offsetAt(code, range.end));
  if (IMPLICIT_ANY.test(String(number)) || UNKNOWN.has(number)) return true;
  // The cell runs: names that begin with a capital may be types.
  if (number === TYPE_IMPORT && /^\p{Lu}/u.test(subject)) return options.verbatimModuleSyntax !== true;
  if (number === NO_NAME && members.has(`globalThis.${subject}`)) return true;
  if (number === NO_MEMBER && message.includes("on type 'unknown'")) return true;
  if (!facts.dialect.startsWith('js')) return false;
  if (LEGAL_IN_JAVASCRIPT.has(number) || FILLED_LATER.test(message)) return true;
  if (isInDocumentation(code, start)) return true;
  if (number === NO_MEMBER && (members.has(subject) || SOME_MEMBERS.test(message))) return true;
  return (number === NO_MEMBER || number === EXCESS_MEMBER) && OPEN_TYPE.test(message);
}

/** Returns whether a place is in a documentation comment, whose types are often informal. */
function isInDocumentation(code: string, offset: number): boolean {
  return code.lastIndexOf('/**', offset) > code.lastIndexOf('*/', offset);
}
