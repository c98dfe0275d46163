/** The parts of the Language Server Protocol 3.17 that the kernel uses, in the forms that its capabilities select. */

/** A position; both count from 0, and characters are UTF-16 units. */
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
  /** Type or signature; known once the item is resolved. */
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
  /** The parameter's part of the signature's label. */
  readonly label: string;
  readonly documentation?: MarkupContent;
}

/** Names of `CompletionItemKind`, which counts from 1. */
const KINDS = (
  'text method function constructor field variable class interface module property unit value enum ' +
  'keyword snippet color file reference folder enum-member constant struct event operator type-parameter'
).split(' ');

export function completionKind({ kind }: CompletionItem): string {
  return KINDS[(kind ?? 1) - 1] ?? 'text';
}

/** Returns the text to insert, which can differ from the label. */
export function completionText({ label, insertText, textEdit }: CompletionItem): string {
  const text = textEdit?.newText ?? insertText ?? label;
  // A member of a possibly undefined value comes with a leading `?.`, which would replace the dot.
  return text.startsWith('?.') ? label : text;
}

export interface LspDiagnostic {
  readonly range: LspRange;
  /** 1 error, 2 warning, 3 information, 4 hint. */
  readonly severity?: number;
  readonly code?: number | string;
  readonly message: string;
}

/** Result of `textDocument/diagnostic`. */
export interface DiagnosticReport {
  readonly items: readonly LspDiagnostic[];
}

/** Result of `textDocument/definition`. */
export interface LspLocationLink {
  readonly targetUri: string;
  /** Range of the entire declaration. */
  readonly targetRange: LspRange;
  readonly targetSelectionRange: LspRange;
}
