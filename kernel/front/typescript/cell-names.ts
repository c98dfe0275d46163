/** The names that a cell declares at its top level, values and types alike. */

import { parseSync } from 'oxc-parser';
import { cellLanguage } from '../../protocol/cell-language.ts';

/** `variable` can be assigned by later cells; the others are known to them as imports. */
export type NameKind = 'variable' | 'declaration';

type Program = ReturnType<typeof parseSync>['program'];
type Node = Program['body'][number];

/** Of a cell that does not parse, what its readable statements declare. */
export function declaredNames(code: string): Map<string, NameKind> {
  const names = new Map<string, NameKind>();
  const lang = cellLanguage(code);
  for (const statement of parseSync(`cell.${lang}`, code, { lang, sourceType: 'module' }).program.body) {
    collect(statement, names);
  }
  return names;
}

function collect(statement: Node, names: Map<string, NameKind>): void {
  switch (statement.type) {
    case 'ExportNamedDeclaration':
      if (statement.declaration) collect(statement.declaration, names);
      break;
    case 'ImportDeclaration':
      for (const specifier of statement.specifiers) names.set(specifier.local.name, 'declaration');
      break;
    case 'VariableDeclaration': {
      const kind = statement.kind === 'let' || statement.kind === 'var' ? 'variable' : 'declaration';
      for (const { id } of statement.declarations) collectPattern(id, name => names.set(name, kind));
      break;
    }
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
    case 'ClassDeclaration':
      if (statement.id) names.set(statement.id.name, 'declaration');
      break;
    case 'TSEnumDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
    case 'TSImportEqualsDeclaration':
      names.set(statement.id.name, 'declaration');
      break;
    case 'TSModuleDeclaration':
      if (statement.id.type === 'Identifier') names.set(statement.id.name, 'declaration');
      break;
    default:
  }
}

type Pattern = Extract<Node, { type: 'VariableDeclaration' }>['declarations'][number]['id'];

function collectPattern(pattern: Pattern, add: (name: string) => void): void {
  switch (pattern.type) {
    case 'Identifier':
      add(pattern.name);
      break;
    case 'ObjectPattern':
      for (const property of pattern.properties) {
        collectPattern(property.type === 'RestElement' ? property.argument : property.value, add);
      }
      break;
    case 'ArrayPattern':
      for (const element of pattern.elements) {
        if (element !== null)
          collectPattern(element.type === 'RestElement' ? element.argument : element, add);
      }
      break;
    case 'AssignmentPattern':
      collectPattern(pattern.left, add);
      break;
    default:
  }
}
