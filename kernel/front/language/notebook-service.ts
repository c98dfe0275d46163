/** The language service of this kernel's notebook, with the servers that can answer. */

import type { LanguageHost } from './language-support.ts';
import { LanguageService } from '../typescript/language-service.ts';
import { startNativeServer } from '../typescript/native-server.ts';
import type { ServerSession } from '../typescript/session.ts';
import { SupervisedServer, type ServerChoice } from '../typescript/supervised-server.ts';

const NATIVE: ServerChoice = { name: 'TypeScript 7', start: startNativeServer };
const CLASSIC: ServerChoice = { name: 'TypeScript 6', start: startClassic };

/** Says which TypeScript answers, `6` or `7`; 7 with 6 behind it where it is not set. */
export const TYPESCRIPT_VARIABLE = 'STRIDELAB_TYPESCRIPT';

export function notebookService(folder: string, host: LanguageHost): LanguageService {
  const server = new SupervisedServer(folder, serverChoices(), line => host.tell(line));
  return new LanguageService(folder, server, () => host.config.read()!, host.live);
}

function serverChoices(): readonly ServerChoice[] {
  const forced = process.env[TYPESCRIPT_VARIABLE];
  if (forced === '6') return [CLASSIC];
  return forced === '7' ? [NATIVE] : [NATIVE, CLASSIC];
}

/** Loaded when it is needed: the library takes more time and memory than the rest of the kernel. */
async function startClassic(folder: string): Promise<ServerSession> {
  const { startClassicServer } = await import('../typescript/classic/classic-server.ts');
  return startClassicServer(folder);
}
