/** The parts of the Language Server Protocol 3.17 that the kernel reads, in the forms that its capabilities ask for. */

/** Both from 0; characters are UTF-16 units. */
export interface LspPosition {
  readonly line: number;
  readonly character: number;
}

export interface LspRange {
  readonly start: LspPosition;
  readonly end: LspPosition;
}

export interface MarkupContent {
  readonly kind: 'markdown' | 'plaintext';
  readonly value: string;
}

export interface Hover {
  readonly contents: MarkupContent;
}

export interface CompletionItem {
  readonly label: string;
  readonly kind?: number;
  readonly sortText?: string;
  /** Type or signature; known once the item was resolved. */
  readonly detail?: string;
  readonly insertText?: string;
  readonly textEdit?: { readonly range: LspRange; readonly newText: string };
}

export interface CompletionList {
  readonly items: CompletionItem[];
}

export interface SignatureHelp {
  readonly signatures: readonly SignatureInformation[];
  readonly activeSignature?: number;
  readonly activeParameter?: number;
}

export interface SignatureInformation {
  readonly label: string;
  readonly documentation?: MarkupContent;
  readonly parameters?: readonly ParameterInformation[];
  readonly activeParameter?: number;
}

export interface ParameterInformation {
  /** Its part of the signature's label. */
  readonly label: string;
  readonly documentation?: MarkupContent;
}

/** Names of `CompletionItemKind`, which counts from 1. */
const KINDS = [
  'text',
  'method',
  'function',
  'constructor',
  'field',
  'variable',
  'class',
  'interface',
  'module',
  'property',
  'unit',
  'value',
  'enum',
  'keyword',
  'snippet',
  'color',
  'file',
  'reference',
  'folder',
  'enum-member',
  'constant',
  'struct',
  'event',
  'operator',
  'type-parameter'
];

export function completionKind({ kind }: CompletionItem): string {
  return KINDS[(kind ?? 1) - 1] ?? 'text';
}

/** What is inserted, which is not always what is listed. */
export function completionText({ label, insertText, textEdit }: CompletionItem): string {
  const text = textEdit?.newText ?? insertText ?? label;
  // A member of what may be undefined comes with the `?.` before it, which would replace the dot.
  return text.startsWith('?.') ? label : text;
}

export interface LspDiagnostic {
  readonly range: LspRange;
  /** 1 error, 2 warning, 3 information, 4 hint. */
  readonly severity?: number;
  readonly code?: number | string;
  readonly message: string;
}

/** Of `textDocument/diagnostic`. */
export interface DiagnosticReport {
  readonly items: readonly LspDiagnostic[];
}

/** Of `textDocument/definition`. */
export interface LspLocationLink {
  readonly targetUri: string;
  /** The whole declaration. */
  readonly targetRange: LspRange;
  readonly targetSelectionRange: LspRange;
}
