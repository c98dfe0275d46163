/** The language service of this kernel's notebook, with the servers that can answer. */

import type { LanguageHost } from '../language-support.ts';
import { LanguageService } from './language-service.ts';
import { startNativeServer } from './native-server.ts';
import { SupervisedServer, type ServerChoice } from './supervised-server.ts';

const NATIVE: ServerChoice = { name: 'TypeScript 7', start: startNativeServer };

export function notebookService(folder: string, host: LanguageHost): LanguageService {
  const server = new SupervisedServer(folder, [NATIVE], line => host.tell(line));
  return new LanguageService(folder, server, () => host.config.read()!, host.live);
}
