/** The TypeScript 7 language server, a native program, as a child process. */

import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection
} from 'vscode-jsonrpc/node';

export interface ServerSession {
  readonly connection: MessageConnection;
  /** Rejects when the server ends, with the reason. */
  readonly ended: Promise<never>;
  kill(): void;
}

const CAPABILITIES = {
  general: { positionEncodings: ['utf-16'] },
  workspace: {
    // Makes the server request its settings.
    configuration: true,
    // The server does not watch files; the kernel reports changes.
    didChangeWatchedFiles: { dynamicRegistration: true }
  },
  textDocument: {
    completion: {
      completionItem: {
        snippetSupport: false,
        documentationFormat: ['markdown', 'plaintext'],
        labelDetailsSupport: true
      }
    },
    definition: { linkSupport: true },
    hover: { contentFormat: ['markdown', 'plaintext'] },
    signatureHelp: {
      signatureInformation: {
        documentationFormat: ['markdown', 'plaintext'],
        activeParameterSupport: true
      }
    }
  }
};

/** Auto-imports are off: collecting names of modules that the cell does not import takes seconds. */
const SETTINGS = { suggest: { autoImports: false } };

/** Garbage collection at 40 % growth: a quarter less memory in a long notebook at equal speed. */
const COLLECTION_PERCENT = '40';

export async function startNativeServer(folder: string): Promise<ServerSession> {
  const server = spawn(await serverPath(), ['--lsp', '--stdio'], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { GOGC: COLLECTION_PERCENT, GOMAXPROCS: processors(), ...process.env }
  });
  const connection = createMessageConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin)
  );
  const ended = new Promise<never>((_, reject) => {
    server.once('exit', (code, signal) => {
      // Pending questions are rejected through `ended` first.
      setImmediate(() => connection.dispose());
      reject(new Error(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`));
    });
    server.once('error', reject);
  });
  ended.catch(() => undefined);
  server.stdin.on('error', () => undefined);
  // Settings are requested by section, with one answer for each.
  connection.onRequest((_method, parameters) => {
    const items = (parameters as { readonly items?: readonly unknown[] } | undefined)?.items;
    return items === undefined ? null : items.map(() => SETTINGS);
  });
  connection.onError(() => undefined);
  connection.listen();
  const root = pathToFileURL(folder).href;
  const initialized = connection.sendRequest('initialize', {
    processId: process.pid,
    rootUri: root,
    workspaceFolders: [{ uri: root, name: 'notebook' }],
    capabilities: CAPABILITIES,
    initializationOptions: { disableAutomaticTypeAcquisition: true }
  });
  initialized.catch(() => undefined);
  await Promise.race([initialized, ended]);
  void connection.sendNotification('initialized', {}).catch(() => undefined);
  return { connection, ended, kill: () => server.kill('SIGKILL') };
}

/** Returns the number of processors for the server: half of them, so that cells run on the others while it checks. */
function processors(): string {
  return String(Math.max(1, Math.floor(availableParallelism() / 2)));
}

async function serverPath(): Promise<string> {
  const root = dirname(createRequire(import.meta.url).resolve('ts7/package.json'));
  // Not among the package's exports, but only this module locates each platform's binary.
  const module = (await import(pathToFileURL(join(root, 'lib/getExePath.js')).href)) as {
    default: () => string;
  };
  return module.default();
}
