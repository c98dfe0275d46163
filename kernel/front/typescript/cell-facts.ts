/** Facts about a cell that the checker needs in advance: its declared names, its dialect and its imports. */

import type { ParseResult } from 'oxc-parser';
import { cellLanguage, parseCell, type CellLanguage } from '../../protocol/cell-language.ts';
import { jsxImports, type JsxImport } from '../../protocol/jsx-source.ts';
import { childNodes } from '../../protocol/syntax.ts';
import { domNames } from './dom-names.ts';

/** Kind of a declared name. Later cells can assign to a `variable`; the others are imports to them. */
export type NameKind =
  'variable' | 'constant' | 'function' | 'class' | 'enum' | 'namespace' | 'import' | 'type';

export interface DeclaredName {
  readonly kind: NameKind;
  /** Whether the declaration has no code at run time: the name is then available as soon as the cell is parsed. */
  readonly erased: boolean;
}

/** Language that a cell is checked as; also the extension of its document. */
export type Dialect = CellLanguage | 'js' | 'jsx';

export interface CellFacts {
  /** Whether the cell parses under the executor's rules. */
  readonly valid: boolean;
  readonly dialect: Dialect;
  readonly declared: ReadonlyMap<string, DeclaredName>;
  /** Declared names that the cell exports itself. */
  readonly exported: ReadonlySet<string>;
  /** Whether the cell has `declare global` or `declare module "…"`, which affect later cells. */
  readonly augments: boolean;
  /** Specifiers of the modules that the cell imports. */
  readonly modules: readonly string[];
  /** What the cell imports from Stridelab, by the names in the cell; `*` for all of it. */
  readonly library: ReadonlyMap<string, string>;
  /** Imports of packages with JSX of their own. */
  readonly jsxImports: readonly JsxImport[];
  /** Names of the members that the cell assigns, as in `a.b = 1`; those of the global object also as `globalThis.b`. */
  readonly members: ReadonlySet<string>;
  /** Names of the DOM that the cell uses. */
  readonly dom: ReadonlySet<string>;
  /** Offsets of the specifiers of static imports that run: if a module is missing, the run reports it. */
  readonly running: ReadonlySet<number>;
}

type Node = ParseResult['program']['body'][number];
type Declared = Map<string, DeclaredName>;

export interface Reading {
  /** Where the user types, in UTF-16 units: a cell that does not parse may parse with a word there. */
  readonly cursor?: number;
  /** Whether a cell without TypeScript's syntax is JavaScript, whose classes and objects get properties by assignment. */
  readonly javaScript?: boolean;
}

/** Reads a cell. */
export function readCell(code: string, { cursor, javaScript = false }: Reading = {}): CellFacts {
  const first = parse(code, javaScript);
  if (first.valid) return facts(first, code);
  if (cursor !== undefined) {
    const completed = parse(`${code.slice(0, cursor)}$${code.slice(cursor)}`, javaScript);
    if (completed.valid) return { ...facts(completed, code), valid: false };
  }
  return {
    valid: false,
    dialect: first.dialect,
    declared: namesByText(code),
    exported: new Set(),
    augments: false,
    modules: [],
    library: new Map(),
    jsxImports: [],
    members: new Set(),
    dom: new Set(),
    running: new Set()
  };
}

function parse(code: string, javaScript: boolean) {
  const language = cellLanguage(code);
  const parsed = parseCell(code, language, { showSemanticErrors: true });
  const valid = parsed.errors.length === 0;
  const plain = language === 'ts' ? 'js' : 'jsx';
  const isPlain =
    javaScript && valid && !mayImportTypes(parsed, code) && parseCell(code, plain).errors.length === 0;
  const dialect: Dialect = isPlain ? plain : language;
  return { valid, dialect, parsed };
}

/** Returns whether an imported name may be a type, as in the executor: it begins with a capital, and the cell does not use it. */
function mayImportTypes({ module }: ParseResult, code: string): boolean {
  const entries = module.staticImports.flatMap(({ entries }) => entries);
  return entries.some(({ importName, localName: { value } }) => {
    // Types are rarely default exports.
    const isNamed = importName.name !== null;
    return isNamed && /^\p{Lu}/u.test(value) && code.indexOf(value) === code.lastIndexOf(value);
  });
}

function facts({ valid, dialect, parsed }: ReturnType<typeof parse>, code: string): CellFacts {
  const { program, module } = parsed;
  const declared: Declared = new Map();
  let augments = false;
  for (const statement of program.body) {
    collect(statement, declared);
    if (statement.type === 'TSModuleDeclaration')
      augments ||= statement.kind === 'global' || statement.id.type === 'Literal';
  }
  const exports = module.staticExports.flatMap(({ entries }) => entries);
  const exported = new Set(
    exports.flatMap(({ exportName, moduleRequest }) => (moduleRequest ? [] : (exportName.name ?? [])))
  );
  const dynamic = module.dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
    const literal = /^(['"`])([^'"`$]*)\1$/.exec(code.slice(start, end));
    return literal === null ? [] : [literal[2]!];
  });
  const modules = [...module.staticImports.map(({ moduleRequest }) => moduleRequest.value), ...dynamic];
  const library = new Map(
    module.staticImports
      .filter(({ moduleRequest }) => moduleRequest.value === 'stridelab')
      .flatMap(({ entries }) => entries)
      .map(({ importName, localName }) => [localName.value, importName.name ?? '*'])
  );
  const running = program.body.flatMap(statement =>
    statement.type === 'ImportDeclaration' && statement.importKind !== 'type' ? statement.source.start : []
  );
  return {
    valid,
    dialect,
    declared,
    exported,
    augments,
    modules,
    library,
    jsxImports: jsxImports(code, program),
    members: assignedMembers(code),
    dom: domNames(program, code).difference(declared),
    running: new Set(running)
  };
}

function collect(statement: Node, names: Declared): void {
  switch (statement.type) {
    case 'ExportNamedDeclaration':
      if (statement.declaration) collect(statement.declaration, names);
      break;
    case 'ExportDefaultDeclaration':
      if (
        statement.declaration.type === 'FunctionDeclaration' ||
        statement.declaration.type === 'ClassDeclaration'
      ) {
        collect(statement.declaration, names);
      }
      break;
    case 'ImportDeclaration':
      for (const specifier of statement.specifiers) {
        const typeOnly =
          statement.importKind === 'type' ||
          (specifier.type === 'ImportSpecifier' && specifier.importKind === 'type');
        add(names, specifier.local.name, typeOnly ? 'type' : 'import', typeOnly);
      }
      break;
    case 'VariableDeclaration': {
      const kind = statement.kind === 'let' || statement.kind === 'var' ? 'variable' : 'constant';
      for (const { id } of statement.declarations) {
        collectPattern(id, name => add(names, name, kind, statement.declare === true));
      }
      break;
    }
    default:
      if (statement.type in NAMED_DECLARATIONS) collectNamed(statement as NamedDeclaration, names);
      else collectNestedVariables(statement, names);
  }
}

/** Kind of name that each declaration of a single name declares. */
const NAMED_DECLARATIONS = {
  FunctionDeclaration: 'function',
  TSDeclareFunction: 'function',
  ClassDeclaration: 'class',
  TSEnumDeclaration: 'enum',
  TSInterfaceDeclaration: 'type',
  TSTypeAliasDeclaration: 'type',
  TSImportEqualsDeclaration: 'import',
  TSModuleDeclaration: 'namespace'
} as const satisfies Record<string, NameKind>;

type NamedDeclaration = Extract<Node, { readonly type: keyof typeof NAMED_DECLARATIONS }>;

function collectNamed(statement: NamedDeclaration, names: Declared): void {
  const { id } = statement;
  // `declare global` and `declare module "…"` declare no name.
  if (id?.type !== 'Identifier' || ('kind' in statement && statement.kind === 'global')) return;
  const kind = NAMED_DECLARATIONS[statement.type];
  const declared = 'declare' in statement && statement.declare === true;
  const withoutBody = 'body' in statement && statement.body === null;
  const typeImport = 'importKind' in statement && statement.importKind === 'type';
  add(names, id.name, kind, kind === 'type' || declared || withoutBody || typeImport);
}

/** Adds a name. If declarations merge, the one that exists at run time determines its kind. */
function add(names: Declared, name: string, kind: NameKind, erased: boolean): void {
  const known = names.get(name);
  if (known === undefined || (known.erased && !erased)) names.set(name, { kind, erased });
}

/** Collects `var` declarations inside blocks and loops, which belong to the cell as well. */
function collectNestedVariables(node: Node, names: Declared): void {
  for (const child of childNodes(node)) {
    if (/Function|Class|^TS/.test(child.type)) continue;
    if (child.type === 'VariableDeclaration' && child.kind === 'var') collect(child, names);
    collectNestedVariables(child, names);
  }
}

type Pattern = Extract<Node, { type: 'VariableDeclaration' }>['declarations'][number]['id'];

function collectPattern(pattern: Pattern, found: (name: string) => void): void {
  switch (pattern.type) {
    case 'Identifier':
      found(pattern.name);
      break;
    case 'ObjectPattern':
      for (const property of pattern.properties) {
        collectPattern(property.type === 'RestElement' ? property.argument : property.value, found);
      }
      break;
    case 'ArrayPattern':
      for (const element of pattern.elements) {
        if (element !== null)
          collectPattern(element.type === 'RestElement' ? element.argument : element, found);
      }
      break;
    case 'AssignmentPattern':
      collectPattern(pattern.left, found);
      break;
    default:
  }
}

const ASSIGNED_MEMBER =
  /(?:\b(globalThis|global|window)\s*)?\.\s*([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*=(?![=>])/gu;

function assignedMembers(code: string): Set<string> {
  const found = new Set<string>();
  for (const [, global, name] of code.matchAll(ASSIGNED_MEMBER)) {
    found.add(name!);
    if (global !== undefined) found.add(`globalThis.${name}`);
  }
  return found;
}

const DECLARATION =
  /(?:^|[;}\n])[^\S\n]*(?:export\s+)?(?:declare\s+)?(?:abstract\s+|async\s+)?(const\s+enum|const|let|var|function\s*\*?|class|enum|interface|type|namespace)\s+([\p{ID_Start}$_][\p{ID_Continue}$]*)/gu;

const KIND_OF_KEYWORD: Readonly<Record<string, NameKind>> = {
  const: 'constant',
  let: 'variable',
  var: 'variable',
  function: 'function',
  class: 'class',
  enum: 'enum',
  interface: 'type',
  type: 'type',
  namespace: 'namespace'
};

/** Finds the names that a cell declares if no parser accepts its text. */
function namesByText(code: string): Map<string, DeclaredName> {
  const names = new Map<string, DeclaredName>();
  for (const match of code.matchAll(DECLARATION)) {
    // Deeper declarations belong to another scope.
    if (depthAt(code, match.index) > 0) continue;
    const keyword = match[1]!
      .replace(/\s*\*$/, '')
      .split(/\s+/)
      .at(-1)!;
    const kind = KIND_OF_KEYWORD[keyword] ?? 'constant';
    names.set(match[2]!, { kind, erased: kind === 'type' });
  }
  return names;
}

function depthAt(code: string, end: number): number {
  let depth = 0;
  for (const [bracket] of code.slice(0, end).matchAll(/[{}]/g)) depth += bracket === '{' ? 1 : -1;
  return depth;
}
