/** Facts about a cell that the checker needs in advance: its declared names, its dialect and its imports. */

import type { ParseResult } from 'oxc-parser';
import { cellLanguage, parseCell, type CellLanguage } from '../../protocol/cell-language.ts';
import { childNodes } from '../../protocol/syntax.ts';

/** Kind of a declared name. Later cells can assign to a `variable`; the others are imports to them. */
export type NameKind =
  'variable' | 'constant' | 'function' | 'class' | 'enum' | 'namespace' | 'import' | 'type';

export interface DeclaredName {
  readonly kind: NameKind;
  /** Whether the declaration has no code at run time: the name is then available as soon as the cell is parsed. */
  readonly erased: boolean;
}

export interface CellFacts {
  /** Whether the cell parses under the executor's rules. */
  readonly valid: boolean;
  readonly dialect: CellLanguage;
  readonly declared: ReadonlyMap<string, DeclaredName>;
  /** Declared names that the cell exports itself. */
  readonly exported: ReadonlySet<string>;
  /** Whether the cell has `declare global` or `declare module "…"`, which affect later cells. */
  readonly augments: boolean;
  /** Specifiers of the modules that the cell imports. */
  readonly modules: readonly string[];
  /** What the cell imports from Stridelab, by the names in the cell; `*` for all of it. */
  readonly library: ReadonlyMap<string, string>;
}

type Node = ParseResult['program']['body'][number];
type Declared = Map<string, DeclaredName>;

/** Reads a cell. `cursor` (UTF-16 units) is where the user types: a cell that does not parse may parse with a word there. */
export function readCell(code: string, cursor?: number): CellFacts {
  const first = parse(code);
  if (first.valid) return facts(first, code);
  if (cursor !== undefined) {
    const completed = parse(`${code.slice(0, cursor)}$${code.slice(cursor)}`);
    if (completed.valid) return { ...facts(completed, code), valid: false };
  }
  return {
    valid: false,
    dialect: first.dialect,
    declared: namesByText(code),
    exported: new Set(),
    augments: false,
    modules: [],
    library: new Map()
  };
}

function parse(code: string) {
  const dialect = cellLanguage(code);
  const parsed = parseCell(code, dialect, { showSemanticErrors: true });
  return { valid: parsed.errors.length === 0, dialect, parsed };
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
  return { valid, dialect, declared, exported, augments, modules, library };
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
