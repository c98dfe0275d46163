/** The modules that TypeScript code names by literals. */

import { parseCell, type CellLanguage } from './cell-language.ts';
import { childNodes } from './syntax.ts';

/** How code names a module: `static` imports precede its first statement, `type` imports leave no code behind. */
export type ImportKind = 'static' | 'type' | 'dynamic' | 'require';

export interface NamedModule {
  readonly specifier: string;
  readonly kind: ImportKind;
  /** Offset of the literal in the code, in UTF-16 units. */
  readonly start: number;
}

/** Every way to name a module by a literal contains one of these words. */
const MAY_IMPORT = /\b(?:import|export|require)\b/;

/** Returns the modules that the code names, in its order; none if it does not parse. */
export function namedModules(code: string, lang: CellLanguage): NamedModule[] {
  if (!MAY_IMPORT.test(code)) return [];
  const { program, errors } = parseCell(code, lang);
  if (errors.length > 0) return [];
  const found: NamedModule[] = [];
  collect(program, found);
  return found;
}

/** The parts of the syntax that name modules. */
interface SyntaxNode {
  readonly type: string;
  readonly source?: SyntaxNode | null;
  readonly importKind?: string;
  readonly exportKind?: string;
  readonly expression?: SyntaxNode;
  readonly callee?: SyntaxNode & { readonly name?: string };
  readonly arguments?: readonly SyntaxNode[];
  readonly value?: unknown;
  readonly start?: number;
}

function collect(node: SyntaxNode, found: NamedModule[]): void {
  const [literal, kind] = moduleOf(node);
  if (literal?.type === 'Literal' && typeof literal.value === 'string') {
    found.push({ specifier: literal.value, kind, start: literal.start ?? 0 });
  }
  for (const child of childNodes(node)) collect(child, found);
}

function moduleOf(node: SyntaxNode): readonly [SyntaxNode | null | undefined, ImportKind] {
  switch (node.type) {
    case 'ImportDeclaration':
      return [node.source, node.importKind === 'type' ? 'type' : 'static'];
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return [node.source, node.exportKind === 'type' ? 'type' : 'static'];
    case 'ImportExpression':
      return [node.source, 'dynamic'];
    case 'TSImportType':
      return [node.source, 'type'];
    case 'TSExternalModuleReference':
      return [node.expression, 'require'];
    case 'CallExpression':
      return [node.callee?.name === 'require' ? node.arguments?.[0] : undefined, 'require'];
    default:
      return [undefined, 'static'];
  }
}
