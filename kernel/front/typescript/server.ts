/** The TypeScript 7 language server as a child process; started when it is needed, and again when it has died. */

import { spawn, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection
} from 'vscode-jsonrpc/node';

const CAPABILITIES = {
  general: { positionEncodings: ['utf-16'] },
  // Without it the server does not ask for settings.
  workspace: { configuration: true },
  textDocument: {
    completion: { completionItem: { snippetSupport: false, documentationFormat: ['markdown', 'plaintext'] } },
    hover: { contentFormat: ['markdown', 'plaintext'] },
    signatureHelp: { signatureInformation: { documentationFormat: ['markdown', 'plaintext'] } }
  }
};

/** Names of modules that the cell does not import would take seconds to gather, and need an import to be of use. */
const SETTINGS = { suggest: { autoImports: false } };

interface Session {
  readonly server: ChildProcess;
  readonly connection: MessageConnection;
}

export class TypeScriptServer {
  readonly #folder: string;
  /** Open documents with their versions, opened again in a new server. */
  readonly #documents = new Map<string, { readonly text: string; readonly version: number }>();
  /** Set once the server has the documents; writes before that are part of what it gets. */
  #live: Session | undefined;
  #starting: Promise<Session> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  uri(file: string): string {
    return pathToFileURL(join(this.#folder, file)).href;
  }

  /** Opens the document, or changes it to this text. */
  write(file: string, text: string): void {
    const known = this.#documents.get(file);
    if (known?.text === text) return;
    const version = (known?.version ?? 0) + 1;
    this.#documents.set(file, { text, version });
    if (known === undefined) this.#notify('textDocument/didOpen', this.#opening(file, text, version));
    else {
      const textDocument = { uri: this.uri(file), version };
      this.#notify('textDocument/didChange', { textDocument, contentChanges: [{ text }] });
    }
  }

  close(file: string): void {
    if (!this.#documents.delete(file)) return;
    this.#notify('textDocument/didClose', { textDocument: { uri: this.uri(file) } });
  }

  /** Rejects when the server dies meanwhile; the next request starts a new one. */
  async request<Result>(method: string, parameters: object): Promise<Result> {
    const { connection } = await (this.#starting ??= this.#start());
    return connection.sendRequest<Result>(method, parameters);
  }

  /** Ends the server; a request after this starts another. */
  stop(): void {
    this.#live?.server.kill();
  }

  #notify(method: string, parameters: object): void {
    // A server that dies takes its notifications along; the next one gets the documents anew.
    void this.#live?.connection.sendNotification(method, parameters).catch(() => undefined);
  }

  #opening(file: string, text: string, version: number): object {
    const languages = { json: 'json', tsx: 'typescriptreact' };
    const languageId =
      languages[file.slice(file.lastIndexOf('.') + 1) as keyof typeof languages] ?? 'typescript';
    return { textDocument: { uri: this.uri(file), languageId, version, text } };
  }

  async #start(): Promise<Session> {
    const server = spawn(await serverPath(), ['--lsp', '--stdio'], {
      cwd: this.#folder,
      stdio: ['pipe', 'pipe', 'ignore']
    });
    const connection = createMessageConnection(
      new StreamMessageReader(server.stdout),
      new StreamMessageWriter(server.stdin)
    );
    const ended = new Promise<never>((_, reject) => {
      const forget = (): void => {
        connection.dispose();
        this.#live = undefined;
        this.#starting = undefined;
        reject(new Error('The TypeScript server ended'));
      };
      server.once('exit', forget);
      server.once('error', forget);
    });
    ended.catch(() => undefined);
    // Settings are asked for by sections, one answer for each.
    connection.onRequest((_method, parameters) => {
      const items = (parameters as { readonly items?: readonly unknown[] } | undefined)?.items;
      return items === undefined ? null : items.map(() => SETTINGS);
    });
    connection.onError(() => undefined);
    connection.listen();
    await Promise.race([this.#initialize(connection), ended]);
    this.#live = { server, connection };
    for (const [file, { text, version }] of this.#documents) {
      this.#notify('textDocument/didOpen', this.#opening(file, text, version));
    }
    return this.#live;
  }

  async #initialize(connection: MessageConnection): Promise<void> {
    const root = pathToFileURL(this.#folder).href;
    await connection.sendRequest('initialize', {
      processId: process.pid,
      rootUri: root,
      workspaceFolders: [{ uri: root, name: 'notebook' }],
      capabilities: CAPABILITIES,
      initializationOptions: { disableAutomaticTypeAcquisition: true }
    });
    await connection.sendNotification('initialized', {});
  }
}

async function serverPath(): Promise<string> {
  const root = dirname(createRequire(import.meta.url).resolve('ts7/package.json'));
  // Not among the package's exports, but the one place that knows each platform's binary.
  const module = (await import(pathToFileURL(join(root, 'lib/getExePath.js')).href)) as {
    default: () => string;
  };
  return module.default();
}
