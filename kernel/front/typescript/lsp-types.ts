/** The parts of the Language Server Protocol 3.17 that the kernel reads. */

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
  readonly contents: MarkupContent | string;
}

export interface CompletionItem {
  readonly label: string;
  readonly kind?: number;
  readonly sortText?: string;
  readonly insertText?: string;
  readonly textEdit?: { readonly range: LspRange; readonly newText: string };
}

export interface CompletionList {
  readonly items: CompletionItem[];
}

export interface SignatureHelp {
  readonly signatures: readonly SignatureInformation[];
  readonly activeSignature?: number;
}

export interface SignatureInformation {
  readonly label: string;
  readonly documentation?: MarkupContent | string;
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
  return textEdit?.newText ?? insertText ?? label;
}
