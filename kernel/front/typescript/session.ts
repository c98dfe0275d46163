/** One life of a language server, whichever it is. */

import type { MessageConnection } from 'vscode-jsonrpc';

export interface ServerSession {
  readonly connection: MessageConnection;
  /** Rejects when the server ends; says how. */
  readonly ended: Promise<never>;
  kill(): void;
}

/** Starts a server for the notebook's folder; rejects where it cannot be started. */
export type StartServer = (folder: string) => Promise<ServerSession>;
