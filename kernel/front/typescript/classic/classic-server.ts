/** TypeScript 6, which is a library, as a language server in a thread: for machines where the native one cannot run. */

import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { createMessageConnection, PortMessageReader, PortMessageWriter } from 'vscode-jsonrpc/node';
import type { ServerSession } from '../session.ts';

export async function startClassicServer(folder: string): Promise<ServerSession> {
  const worker = new Worker(new URL('./worker.js', import.meta.url));
  // The kernel's end does not wait for it.
  worker.unref();
  const connection = createMessageConnection(new PortMessageReader(worker), new PortMessageWriter(worker));
  const ended = new Promise<never>((_, reject) => {
    worker.once('error', reject);
    worker.once('exit', code => {
      setImmediate(() => connection.dispose());
      reject(new Error(`ended with exit code ${code}`));
    });
  });
  ended.catch(() => undefined);
  connection.onError(() => undefined);
  connection.listen();
  const initialized = connection.sendRequest('initialize', { rootUri: pathToFileURL(folder).href });
  initialized.catch(() => undefined);
  await Promise.race([initialized, ended]);
  return { connection, ended, kill: () => void worker.terminate() };
}
