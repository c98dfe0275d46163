/** Completions of the TypeScript 6 library, in the terms of the Language Server Protocol. */

import ts from 'typescript';
import type { CompletionItem, CompletionList, MarkupContent } from '../lsp-types.ts';
import { documentation } from './answers.ts';
import type { ClassicProject } from './project.ts';

/** An item that the library can be asked about again. */
export interface ClassicItem extends CompletionItem {
  readonly data: { readonly file: string; readonly offset: number; readonly name: string };
  readonly documentation?: MarkupContent;
}

/** Names that an import would have to bring are of no use to a client that inserts text alone. */
const PREFERENCES: ts.UserPreferences = {
  includeCompletionsForModuleExports: false,
  includeCompletionsWithInsertText: true,
  includeAutomaticOptionalChainCompletions: true
};

/** Of `CompletionItemKind`. */
const KINDS: Readonly<Record<string, number>> = {
  [ts.ScriptElementKind.primitiveType]: 14,
  [ts.ScriptElementKind.keyword]: 14,
  [ts.ScriptElementKind.constElement]: 6,
  [ts.ScriptElementKind.letElement]: 6,
  [ts.ScriptElementKind.variableElement]: 6,
  [ts.ScriptElementKind.localVariableElement]: 6,
  [ts.ScriptElementKind.variableUsingElement]: 6,
  [ts.ScriptElementKind.variableAwaitUsingElement]: 6,
  [ts.ScriptElementKind.alias]: 6,
  [ts.ScriptElementKind.parameterElement]: 6,
  [ts.ScriptElementKind.memberVariableElement]: 5,
  [ts.ScriptElementKind.memberGetAccessorElement]: 5,
  [ts.ScriptElementKind.memberSetAccessorElement]: 5,
  [ts.ScriptElementKind.functionElement]: 3,
  [ts.ScriptElementKind.localFunctionElement]: 3,
  [ts.ScriptElementKind.memberFunctionElement]: 2,
  [ts.ScriptElementKind.callSignatureElement]: 2,
  [ts.ScriptElementKind.indexSignatureElement]: 2,
  [ts.ScriptElementKind.constructSignatureElement]: 2,
  [ts.ScriptElementKind.enumElement]: 13,
  [ts.ScriptElementKind.enumMemberElement]: 20,
  [ts.ScriptElementKind.moduleElement]: 9,
  [ts.ScriptElementKind.externalModuleName]: 9,
  [ts.ScriptElementKind.classElement]: 7,
  [ts.ScriptElementKind.typeElement]: 7,
  [ts.ScriptElementKind.interfaceElement]: 8,
  [ts.ScriptElementKind.typeParameterElement]: 25,
  [ts.ScriptElementKind.warning]: 1,
  [ts.ScriptElementKind.scriptElement]: 17,
  [ts.ScriptElementKind.directory]: 19,
  [ts.ScriptElementKind.string]: 21
};
const PROPERTY = 10;

export function completions(project: ClassicProject, file: string, offset: number): CompletionList {
  const found = project.service.getCompletionsAtPosition(file, offset, PREFERENCES);
  const source = project.source(file);
  const items = (found?.entries ?? []).map(
    ({ name, kind, sortText, insertText, replacementSpan }): ClassicItem => {
      const span = replacementSpan ?? found?.optionalReplacementSpan;
      return {
        label: name,
        kind: KINDS[kind] ?? PROPERTY,
        sortText,
        ...(insertText === undefined ? {} : { insertText }),
        ...(span === undefined
          ? {}
          : { textEdit: { range: project.range(source, span), newText: insertText ?? name } }),
        data: { file, offset, name }
      };
    }
  );
  return { items };
}

export function resolvedCompletion(project: ClassicProject, item: ClassicItem): ClassicItem {
  const { file, offset, name } = item.data;
  const details = project.service.getCompletionEntryDetails(
    file,
    offset,
    name,
    undefined,
    undefined,
    PREFERENCES,
    undefined
  );
  if (details === undefined) return item;
  return {
    ...item,
    detail: ts.displayPartsToString(details.displayParts),
    documentation: { kind: 'markdown', value: documentation(details.documentation, details.tags) }
  };
}
