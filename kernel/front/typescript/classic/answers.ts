/** What the TypeScript 6 library finds, in the terms of the Language Server Protocol and worded as TypeScript 7 does. */

import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import type { Hover, LspDiagnostic, LspLocationLink, SignatureHelp } from '../lsp-types.ts';
import type { ClassicProject } from './project.ts';

const SEVERITIES: Readonly<Record<ts.DiagnosticCategory, number>> = {
  [ts.DiagnosticCategory.Error]: 1,
  [ts.DiagnosticCategory.Warning]: 2,
  [ts.DiagnosticCategory.Message]: 3,
  [ts.DiagnosticCategory.Suggestion]: 4
};

export function diagnostics(project: ClassicProject, file: string): LspDiagnostic[] {
  const source = project.source(file);
  const program = project.service.getProgram()!;
  // The service's own method would add complaints about declaration files, which nobody makes here.
  const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  return found.map(({ start = 0, length = 0, category, code, messageText }) => ({
    range: project.range(source, { start, length }),
    severity: SEVERITIES[category],
    code,
    message: ts.flattenDiagnosticMessageText(messageText, '\n')
  }));
}

export function hover(project: ClassicProject, file: string, offset: number): Hover | null {
  const info = project.service.getQuickInfoAtPosition(file, offset);
  if (info === undefined) return null;
  const code = ts.displayPartsToString(info.displayParts);
  const about = documentation(info.documentation, info.tags);
  return { contents: { kind: 'markdown', value: `\`\`\`typescript\n${code}\n\`\`\`\n${about}` } };
}

export function signatureHelp(project: ClassicProject, file: string, offset: number): SignatureHelp | null {
  const help = project.service.getSignatureHelpItems(file, offset, {});
  if (help === undefined) return null;
  const signatures = help.items.map(item => {
    const parts = item.parameters.map(parameter => ts.displayPartsToString(parameter.displayParts));
    const separator = ts.displayPartsToString(item.separatorDisplayParts);
    const [before, after] = [item.prefixDisplayParts, item.suffixDisplayParts].map(ts.displayPartsToString);
    const last = item.parameters.length - 1;
    return {
      label: `${before}${parts.join(separator)}${after}`,
      documentation: { kind: 'markdown' as const, value: markdown(item.documentation) },
      parameters: item.parameters.map(({ documentation: about }, index) => ({
        label: parts[index]!,
        documentation: { kind: 'markdown' as const, value: markdown(about) }
      })),
      activeParameter: item.isVariadic ? Math.min(help.argumentIndex, last) : help.argumentIndex
    };
  });
  return { signatures, activeSignature: help.selectedItemIndex };
}

export function definitions(project: ClassicProject, file: string, offset: number): LspLocationLink[] {
  const found = project.service.getDefinitionAtPosition(file, offset) ?? [];
  return found.map(({ fileName, textSpan, contextSpan }) => {
    const source = project.source(fileName);
    return {
      targetUri: pathToFileURL(fileName).href,
      targetRange: project.range(source, contextSpan ?? textSpan),
      targetSelectionRange: project.range(source, textSpan)
    };
  });
}

export function documentation(
  parts: readonly ts.SymbolDisplayPart[] | undefined,
  tags: readonly ts.JSDocTagInfo[] = []
): string {
  return [markdown(parts), ...tags.map(tag)].filter(text => text !== '').join('\n\n');
}

function tag({ name, text = [] }: ts.JSDocTagInfo): string {
  const subject = text.find(({ kind }) => /^(?:parameterName|typeParameterName|propertyName)$/.test(kind));
  const about = markdown(text.filter(part => part !== subject)).trim();
  const named = subject === undefined ? '' : ` \`${subject.text}\``;
  const separator = about === '' ? '' : about.startsWith('```') ? '\n' : ' — ';
  return `*@${name}*${named}${separator}${about}`;
}

/** Links are shown as the code that they point at. */
function markdown(parts: readonly ts.SymbolDisplayPart[] = []): string {
  return parts
    .filter(({ kind }) => kind !== 'link')
    .map(({ kind, text }) => (kind === 'linkName' || kind === 'linkText' ? `\`${text.trim()}\`` : text))
    .join('');
}
