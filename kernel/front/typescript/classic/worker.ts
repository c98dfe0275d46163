/** The thread of TypeScript 6: the requests of the Language Server Protocol that the kernel makes, answered by the library. */

import { fileURLToPath } from 'node:url';
import { parentPort } from 'node:worker_threads';
import { createMessageConnection, PortMessageReader, PortMessageWriter } from 'vscode-jsonrpc/node';
import type { LspPosition } from '../lsp-types.ts';
import { completions, resolvedCompletion, type ClassicItem } from './completions.ts';
import { definitions, diagnostics, hover, signatureHelp } from './answers.ts';
import { ClassicProject } from './project.ts';

interface DocumentPlace {
  readonly textDocument: { readonly uri: string };
  readonly position: LspPosition;
}

interface DocumentText {
  readonly textDocument: { readonly uri: string; readonly text: string };
  readonly contentChanges: readonly { readonly text: string }[];
}

const connection = createMessageConnection(
  new PortMessageReader(parentPort!),
  new PortMessageWriter(parentPort!)
);
let project: ClassicProject;

connection.onRequest('initialize', ({ rootUri }: { readonly rootUri: string }) => {
  project = new ClassicProject(fileURLToPath(rootUri));
  return {};
});
connection.onNotification('textDocument/didOpen', ({ textDocument }: DocumentText) =>
  project.write(fileURLToPath(textDocument.uri), textDocument.text)
);
connection.onNotification('textDocument/didChange', ({ textDocument, contentChanges }: DocumentText) =>
  project.write(fileURLToPath(textDocument.uri), contentChanges.at(-1)!.text)
);
connection.onNotification('textDocument/didClose', ({ textDocument }: DocumentText) =>
  project.close(fileURLToPath(textDocument.uri))
);
connection.onNotification(
  'workspace/didChangeWatchedFiles',
  ({ changes }: { readonly changes: readonly { readonly uri: string }[] }) =>
    project.changedOnDisk(changes.map(({ uri }) => fileURLToPath(uri)))
);

function answer(method: string, find: (file: string, offset: number) => object | null): void {
  connection.onRequest(method, ({ textDocument, position }: DocumentPlace) => {
    const file = fileURLToPath(textDocument.uri);
    return find(file, project.offsetAt(file, position));
  });
}

connection.onRequest('textDocument/diagnostic', ({ textDocument }: DocumentPlace) => ({
  items: diagnostics(project, fileURLToPath(textDocument.uri))
}));
answer('textDocument/hover', (file, offset) => hover(project, file, offset));
answer('textDocument/signatureHelp', (file, offset) => signatureHelp(project, file, offset));
answer('textDocument/definition', (file, offset) => definitions(project, file, offset));
answer('textDocument/completion', (file, offset) => completions(project, file, offset));
connection.onRequest('completionItem/resolve', (item: ClassicItem) => resolvedCompletion(project, item));
connection.listen();
