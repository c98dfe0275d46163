/** The compiler's diagnostics of a cell, in the notebook's terms. */

import { originalPlace, type Insertion } from '../../../src/kernels/source/insertions.ts';
import { IMPORTABLE_MODULES, isOwnPackage } from '../../protocol/cell-modules.ts';
import { isPackageSpecifier } from '../../protocol/package-specifiers.ts';
import type { CellModule } from './composer.ts';
import type { LspDiagnostic, LspPosition, LspRange } from './lsp-types.ts';
import { offsetAt, positionAt } from './text-positions.ts';

export interface CellDiagnostic {
  /** Range in the cell's text; lines and UTF-16 characters from 0. */
  readonly range: LspRange;
  readonly severity: 'error' | 'warning';
  /** The compiler's code, such as TS2322; `kernel` for a fault of a kernel. */
  readonly code: string;
  readonly message: string;
  /** URL of a page about the code; null for none. */
  readonly href: string | null;
}

const ERROR = 1;
const WARNING = 2;
/** Variables with evolving types are legal in a cell, but the compiler cannot follow them into later cells. */
const EVOLVING_TYPES = new Set([7005, 7034]);
const ASSIGNED_IMPORT = 2632;
const NO_MODULE = new Set([2307, 2792, 2882]);
const TYPE_IN_JAVASCRIPT = 18042;
const TYPE_IMPORT = 1484;
/** The package of a cell's JSX is missing. */
const NO_JSX_MODULE = 2875;
const NO_TYPES_OF_MODULE = 7016;
/** Code of the warning about a package without types. */
export const NO_TYPES = `TS${NO_TYPES_OF_MODULE}`;
const NO_NAME = new Set([2304, 2552]);

/** Diagnostics for assigning to a name of an earlier cell, as if the notebook were one file. */
const ASSIGNMENTS: Readonly<Record<string, readonly [number, string]>> = {
  constant: [2588, 'a constant'],
  function: [2630, 'a function'],
  class: [2629, 'a class'],
  enum: [2628, 'an enum'],
  namespace: [2631, 'a namespace']
};

/**
 * Converts diagnostics. `kindOf`: kind of an earlier cell's name; `exporterOf`: module of this package that exports a name;
 * `isRunning`: whether the cell runs, which reports missing modules.
 */
export function cellDiagnostics(
  { code, facts, parentheses }: CellModule,
  items: readonly LspDiagnostic[],
  kindOf: (name: string) => string | undefined,
  exporterOf: (name: string) => string | undefined = () => undefined,
  isRunning = false
): CellDiagnostic[] {
  const found: CellDiagnostic[] = [];
  const inCell = (position: LspPosition): LspPosition => unparenthesized(code, parentheses, position);
  for (const { range: composed, severity = ERROR, code: written, message } of items) {
    const range = { start: inCell(composed.start), end: inCell(composed.end) };
    // Suggestions are for editors; text around the cell's is the kernel's.
    if (severity > WARNING || !inside(code, range.start)) continue;
    const start = offsetAt(code, range.start);
    const subject = code.slice(start, offsetAt(code, range.end));
    const number = Number(written);
    if (EVOLVING_TYPES.has(number) && facts.declared.has(subject)) continue;
    if (isRunning && (number === NO_JSX_MODULE || (NO_MODULE.has(number) && facts.running.has(start))))
      continue;
    const worded = reworded(number, message, subject, kindOf, exporterOf);
    found.push({
      range: { start: range.start, end: positionAt(code, offsetAt(code, range.end)) },
      severity: severity === ERROR && worded.code !== NO_TYPES_OF_MODULE ? 'error' : 'warning',
      message: worded.message,
      code: `TS${worded.code}`,
      href: `https://typescript.tv/errors/#ts${worded.code}`
    });
  }
  return found.sort((a, b) => compare(a.range.start, b.range.start) || a.code.localeCompare(b.code));
}

function reworded(
  code: number,
  message: string,
  subject: string,
  kindOf: (name: string) => string | undefined,
  exporterOf: (name: string) => string | undefined
): { code: number; message: string } {
  if (code === ASSIGNED_IMPORT) {
    const [ownCode, what] = ASSIGNMENTS[kindOf(subject) ?? ''] ?? [code, 'an import'];
    return { code: ownCode, message: `Cannot assign to '${subject}' because it is ${what}.` };
  }
  if (code === TYPE_IN_JAVASCRIPT) {
    const fix = `import { type ${subject} }`;
    return { code: TYPE_IMPORT, message: `'${subject}' is a type and must be imported as one: ${fix}.` };
  }
  const specifier = /^(['"])([^'"]*)\1$/.exec(subject)?.[2];
  const installable =
    specifier !== undefined && /^[^./#]/.test(specifier) && !/^(?:node|https?):/.test(specifier);
  if (specifier !== undefined && isPackageSpecifier(specifier)) {
    // Types that npm has were installed with the package.
    if (code === NO_TYPES_OF_MODULE)
      return { code, message: `The package '${specifier}' has no types: everything in it is any.` };
    if (NO_MODULE.has(code))
      return { code, message: `Cannot find module '${specifier}': it has not been installed.` };
  }
  if (NO_MODULE.has(code) && installable) {
    if (isOwnPackage(specifier)) {
      const known = IMPORTABLE_MODULES.join(', ');
      return { code, message: `Cannot find module '${specifier}'. Stridelab's modules are ${known}.` };
    }
    const name = packageName(specifier);
    return { code, message: `Cannot find module '${specifier}'. %npm install ${name} installs it.` };
  }
  // The message about an element names the package of its JSX.
  const untyped = code === NO_TYPES_OF_MODULE ? /module '([^'./][^']*)'/.exec(message)?.[1] : undefined;
  if (untyped !== undefined) {
    const name = packageName(untyped);
    const types = `@types/${name.replace(/^@(.+)\/(.+)$/, '$1__$2')}`;
    const advice = `%npm install ${types} may install them; without types everything in the package is any.`;
    return { code, message: `The package '${name}' has no types. ${advice}` };
  }
  const exporter = NO_NAME.has(code) ? exporterOf(subject) : undefined;
  if (exporter !== undefined) {
    const missing = `Missing import: import { ${subject} } from '${exporter}'.`;
    return { code, message: `Cannot find name '${subject}'. ${missing}` };
  }
  return { code, message };
}

function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Returns the place in the cell of a place in its module. */
function unparenthesized(
  code: string,
  parentheses: readonly Insertion[],
  position: LspPosition
): LspPosition {
  if (parentheses.length === 0) return position;
  const { line, character } = position;
  const place = originalPlace(code, parentheses, { line: line + 1, column: character });
  return { line, character: place?.column ?? character };
}

/** Returns whether the place is in the cell's text, its end included, so that a fault at the end of the cell is shown. */
function inside(code: string, { line, character }: LspPosition): boolean {
  const lines = code.split('\n');
  return line >= 0 && line < lines.length && character <= lines[line]!.length;
}

function compare(a: LspPosition, b: LspPosition): number {
  return a.line - b.line || a.character - b.character;
}
