/** Completion and inspection of cells, in Jupyter's terms, by the TypeScript server. */

import { toCodePoints, toUtf16 } from '../code-points.ts';
import { CellComposer } from './composer.ts';
import {
  completionKind,
  completionText,
  type CompletionItem,
  type CompletionList,
  type Hover,
  type LspPosition,
  type SignatureHelp
} from './lsp-types.ts';
import { hoverMarkdown, plainText, signatureMarkdown } from './markdown.ts';
import { globalDeclarations, projectSettings } from './project.ts';
import { TypeScriptServer } from './server.ts';

const SETTINGS_FILE = 'tsconfig.json';
const WORD_BEFORE = /[\p{ID_Continue}$]*$/u;
const WORD_AFTER = /^[\p{ID_Continue}$]*/u;

export class LanguageService {
  readonly #server: TypeScriptServer;
  #composer = new CellComposer();
  #files: string[] = [];
  /** Questions share the draft document, so each waits for the one before. */
  #last: Promise<unknown> = Promise.resolve();

  /** `cells` ran already. */
  constructor(folder: string, cells: readonly string[]) {
    this.#server = new TypeScriptServer(folder);
    this.#server.write(SETTINGS_FILE, projectSettings());
    // The documents that the settings name.
    for (const draft of ['', '<b/>']) this.#draft(draft);
    const globals = globalDeclarations();
    this.#server.write(globals.file, globals.text);
    for (const code of cells) this.commit(code);
  }

  commit(code: string): void {
    const { file, text } = this.#composer.commit(code);
    this.#files.push(file);
    this.#server.write(file, text);
  }

  /** Forgets all cells. */
  reset(): void {
    for (const file of this.#files) this.#server.close(file);
    this.#files = [];
    this.#composer = new CellComposer();
  }

  stop(): void {
    this.#server.stop();
  }

  /** Content of a `complete_reply`; cursors count code points. */
  complete(code: string, cursor: number): Promise<object> {
    return this.#exclusive(() => this.#complete(code, toUtf16(code, cursor)));
  }

  /** Content of an `inspect_reply`. */
  inspect(code: string, cursor: number): Promise<object> {
    return this.#exclusive(() => this.#inspect(code, toUtf16(code, cursor)));
  }

  #exclusive<Result>(question: () => Promise<Result>): Promise<Result> {
    const answer = this.#last.then(question);
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  async #complete(code: string, offset: number): Promise<object> {
    const document = this.#draft(code);
    const answer = await this.#server.request<CompletionList | CompletionItem[] | null>(
      'textDocument/completion',
      {
        ...document,
        position: positionOf(code, offset),
        context: { triggerKind: 1 }
      }
    );
    const items = Array.isArray(answer) ? answer : (answer?.items ?? []);
    const wordStart = offset - WORD_BEFORE.exec(code.slice(0, offset))![0].length;
    // The server gives a range of its own to module names, which are longer than a word.
    const startOf = ({ textEdit }: CompletionItem): number =>
      textEdit === undefined ? wordStart : offsetOf(code, textEdit.range.start);
    const matching = items
      .filter(item =>
        completionText(item)
          .toLowerCase()
          .startsWith(code.slice(startOf(item), offset).toLowerCase())
      )
      .sort((a, b) => compare(a.sortText ?? a.label, b.sortText ?? b.label) || compare(a.label, b.label));
    // The protocol knows one range for all.
    const start = matching.some(item => startOf(item) === wordStart)
      ? wordStart
      : startOf(matching[0] ?? { label: '' });
    const fitting = matching.filter(item => startOf(item) === start);
    const end = offset + WORD_AFTER.exec(code.slice(offset))![0].length;
    const cursorStart = toCodePoints(code, start);
    const cursorEnd = toCodePoints(code, end);
    return {
      status: 'ok',
      matches: fitting.map(completionText),
      cursor_start: cursorStart,
      cursor_end: cursorEnd,
      metadata: {
        _jupyter_types_experimental: fitting.map(item => ({
          text: completionText(item),
          type: completionKind(item),
          start: cursorStart,
          end: cursorEnd
        }))
      }
    };
  }

  async #inspect(code: string, offset: number): Promise<object> {
    const document = this.#draft(code);
    const markdown =
      (await this.#hover(document, code, offset)) ?? (await this.#signature(document, code, offset));
    if (markdown === undefined) return { status: 'ok', found: false, data: {}, metadata: {} };
    const data = { 'text/markdown': markdown, 'text/plain': plainText(markdown) };
    return { status: 'ok', found: true, data, metadata: {} };
  }

  /** Of the word at the cursor, or of the one that ends there. */
  async #hover(document: object, code: string, offset: number): Promise<string | undefined> {
    const start = offset - WORD_BEFORE.exec(code.slice(0, offset))![0].length;
    if (start === offset && WORD_AFTER.exec(code.slice(offset))![0] === '') return undefined;
    const position = positionOf(code, start);
    const hover = await this.#server.request<Hover | null>('textDocument/hover', { ...document, position });
    return hover === null ? undefined : hoverMarkdown(hover);
  }

  async #signature(document: object, code: string, offset: number): Promise<string | undefined> {
    const position = positionOf(code, offset);
    const help = await this.#server.request<SignatureHelp | null>('textDocument/signatureHelp', {
      ...document,
      position
    });
    return help === null ? undefined : signatureMarkdown(help);
  }

  #draft(code: string): { readonly textDocument: { readonly uri: string } } {
    const { file, text } = this.#composer.draft(code);
    this.#server.write(file, text);
    return { textDocument: { uri: this.#server.uri(file) } };
  }
}

function positionOf(text: string, offset: number): LspPosition {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length - 1, character: before.length - (before.lastIndexOf('\n') + 1) };
}

function offsetOf(text: string, { line, character }: LspPosition): number {
  const lines = text.split('\n').slice(0, line);
  return lines.reduce((sum, { length }) => sum + length + 1, 0) + character;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
