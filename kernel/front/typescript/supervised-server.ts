/** The TypeScript server: started at the first question, and restarted with the current documents if it dies or hangs. */

import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ErrorCodes, ResponseError } from 'vscode-jsonrpc/node';
import { startNativeServer, type ServerSession } from './native-server.ts';
import { Scratch } from './scratch.ts';

/** Types of `FileEvent` in the Language Server Protocol. */
export const FILE_CREATED = 1;
export const FILE_CHANGED = 2;
export const FILE_DELETED = 3;

export interface FileEvent {
  readonly path: string;
  readonly type: typeof FILE_CREATED | typeof FILE_CHANGED | typeof FILE_DELETED;
}

/** The protocol's names of languages, by extension; others are TypeScript. */
const LANGUAGES: Readonly<Record<string, string>> = {
  '.json': 'json',
  '.tsx': 'typescriptreact',
  '.js': 'javascript',
  '.jsx': 'javascriptreact'
};

/** Timeout after which the server counts as hung. Generous: a machine may be very busy. */
const REQUEST_DEADLINE_MS = 20_000;

/** Error codes of the library for a closed connection. */
const CONNECTION_ERRORS = new Set<number>([
  ErrorCodes.MessageWriteError,
  ErrorCodes.MessageReadError,
  ErrorCodes.PendingResponseRejected,
  ErrorCodes.ConnectionInactive
]);

interface KnownDocument {
  readonly text: string;
  /** Whether the document can be in another folder than the notebook's. */
  readonly movable: boolean;
}

interface Live {
  readonly session: ServerSession;
  /** Settles with the first question. */
  loading?: Promise<unknown>;
  /** Open documents, with the text that the server has. */
  readonly opened: Map<string, { readonly version: number; readonly text: string }>;
  /** Reject functions of unanswered questions, called when the server ends. */
  readonly waiting: Set<(error: Error) => void>;
  end: Error | undefined;
  /** Whether the kernel ended the server, to start a new one. */
  replaced: boolean;
}

export class SupervisedServer {
  readonly #folder: string;
  readonly #startServer: (folder: string) => Promise<ServerSession>;
  readonly #deadline: number;
  readonly #documents = new Map<string, KnownDocument>();
  readonly #scratch = new Scratch();
  #live: Promise<Live> | undefined;
  #current: Live | undefined;
  /** Incremented by `restart`: a server that was starting then is not the current one. */
  #starts = 0;
  #stopped = false;

  constructor(folder: string, start = startNativeServer, deadline = REQUEST_DEADLINE_MS) {
    this.#folder = folder;
    this.#startServer = start;
    this.#deadline = deadline;
  }

  /** Returns the URI of a file, which is relative to the notebook's folder or absolute. */
  uri(file: string): string {
    return pathToFileURL(join(this.#folder, file)).href;
  }

  /** Folder of movable documents; the server treats it as the notebook's folder. */
  get scratchFolder(): string {
    return this.#scratch.folder;
  }

  /** Sets the text of a document. A `movable` one is written to disk for a server that does not have it yet. */
  write(file: string, text: string, movable = false): void {
    this.#documents.set(file, { text, movable });
  }

  remove(file: string): void {
    this.#documents.delete(file);
    this.#scratch.remove(file);
    if (this.#current?.opened.delete(file) === true) {
      this.#notify('textDocument/didClose', { textDocument: { uri: this.uri(file) } });
    }
  }

  removeAll(): void {
    for (const file of [...this.#documents.keys()]) this.remove(file);
  }

  filesChanged(events: readonly FileEvent[]): void {
    const changes = events.map(({ path, type }) => ({ uri: pathToFileURL(path).href, type }));
    this.#notify('workspace/didChangeWatchedFiles', { changes });
  }

  /** Asks about documents that need `files`. Retries once if the server dies or loses its project, and after each `restart`. */
  async request<Result>(method: string, parameters: object, files: readonly string[]): Promise<Result> {
    for (let failed = false; ;) {
      try {
        return await this.#ask<Result>(method, parameters, files);
      } catch (error) {
        if (this.#stopped) throw error;
        const replaced = error instanceof ServerDeath && error.replaced;
        if (!replaced && (failed || !(error instanceof ServerDeath || isConfused(error)))) throw error;
        if (isConfused(error)) this.restart();
        failed ||= !replaced;
      }
    }
  }

  /** Starts the process before the first question, which would start it too, and reports a failure. */
  start(): void {
    this.#running().catch(() => undefined);
  }

  /** Starts a new server at the next question: for changes that a running one would not notice. */
  restart(): void {
    const replaced = this.#live;
    this.#live = undefined;
    this.#current = undefined;
    this.#starts += 1;
    // It may still be starting.
    void replaced?.then(
      live => {
        live.replaced = true;
        live.session.kill();
      },
      () => undefined
    );
  }

  stop(): void {
    this.#stopped = true;
    this.#scratch.dispose();
    void this.#live?.then(
      ({ session }) => session.kill(),
      () => undefined
    );
  }

  async #ask<Result>(method: string, parameters: object, files: readonly string[]): Promise<Result> {
    const live = await this.#running();
    // Questions sent while the server loads the project may fail to find it.
    if (live.loading !== undefined) await live.loading;
    for (const file of files) this.#open(live, file);
    // Not raced with `session.ended`, which would retain part of every question for its lifetime.
    const failure = Promise.withResolvers<never>();
    // If sending throws, nothing else handles this rejection.
    failure.promise.catch(() => undefined);
    if (live.end === undefined) live.waiting.add(failure.reject);
    else failure.reject(live.end);
    const late = new Error(`gave no answer for ${this.#deadline / 1000} s`);
    const timer = setTimeout(() => failure.reject(late), this.#deadline);
    try {
      // Throws synchronously if the connection is known to be closed.
      const answer = live.session.connection.sendRequest<Result>(method, parameters);
      answer.catch(() => undefined);
      live.loading ??= answer.catch(() => undefined);
      return await Promise.race([answer, failure.promise]);
    } catch (error) {
      if (error instanceof ResponseError && !CONNECTION_ERRORS.has(error.code)) throw error;
      // Any other error means that the server is dead, even if its exit was not noticed yet.
      this.#forget(live);
      live.session.kill();
      throw new ServerDeath(`TypeScript 7 ${(error as Error).message}`, live.replaced, error);
    } finally {
      live.waiting.delete(failure.reject);
      clearTimeout(timer);
    }
  }

  #open({ opened }: Live, file: string): void {
    const document = this.#documents.get(file);
    const known = opened.get(file);
    if (document === undefined || known?.text === document.text) return;
    const { text, movable } = document;
    if (known === undefined && movable && this.#scratch.write(file, text)) return;
    const version = (known?.version ?? 0) + 1;
    opened.set(file, { version, text });
    const uri = this.uri(file);
    if (known !== undefined) {
      this.#notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] });
      return;
    }
    const languageId = LANGUAGES[extname(file)] ?? 'typescript';
    this.#notify('textDocument/didOpen', { textDocument: { uri, languageId, version, text } });
  }

  #notify(method: string, parameters: object): void {
    try {
      void this.#current?.session.connection.sendNotification(method, parameters).catch(() => undefined);
    } catch {
      // The server is dying; its successor gets all documents again.
    }
  }

  #running(): Promise<Live> {
    return (this.#live ??= this.#start());
  }

  async #start(): Promise<Live> {
    const start = this.#starts;
    try {
      const session = await this.#startServer(this.#folder);
      const live: Live = { session, opened: new Map(), waiting: new Set(), end: undefined, replaced: false };
      if (start === this.#starts) this.#current = live;
      session.ended.catch((error: Error) => {
        live.end = error;
        for (const reject of live.waiting) reject(error);
        this.#forget(live);
      });
      if (this.#stopped) session.kill();
      return live;
    } catch (error) {
      if (start === this.#starts) this.#live = undefined;
      const { message } = error as Error;
      const fix = 'run npm run build to install the packages again';
      throw new Error(`TypeScript 7 cannot be started (${message}): ${fix}`, { cause: error });
    }
  }

  /** Forgets the server, so that the next question starts a new one. */
  #forget(live: Live): void {
    if (this.#current !== live) return;
    this.#current = undefined;
    this.#live = undefined;
  }
}

class ServerDeath extends Error {
  /** Whether the kernel ended the server, to start a new one. */
  readonly replaced: boolean;

  constructor(message: string, replaced: boolean, cause: unknown) {
    super(message, { cause });
    this.replaced = replaced;
  }
}

/** Returns whether TypeScript 7 lost the project of a document that was just opened, which happens occasionally. */
function isConfused(error: unknown): boolean {
  return error instanceof ResponseError && /no project found/i.test(error.message);
}
