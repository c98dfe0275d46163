/** Gets one URL from its server. */

import { setTimeout as pause } from 'node:timers/promises';
import { RemoteImportError } from '../../modules/remote-scheme.ts';
import { endingOf, type ModuleEnding } from './media.ts';
import type { WebRedirect } from './store.ts';

/** A server that sends nothing for this long is given up. */
const SILENCE_MS = 30_000;
const ATTEMPTS = 3;
const RETRY_MS = 500;
const ACCEPT =
  'application/typescript, text/typescript, application/javascript, text/javascript, application/json, */*;q=0.5';

export interface Downloaded {
  readonly url: string;
  readonly ending: ModuleEnding;
  readonly content: Uint8Array;
  readonly types: string | undefined;
}

/** Gets a URL, or where it redirects to. Throws `RemoteImportError`, or the signal's reason. */
export async function download(url: string, signal: AbortSignal): Promise<Downloaded | WebRedirect> {
  refuseUnsafe(url);
  for (let attempt = 1; ; attempt++) {
    const last = attempt === ATTEMPTS;
    const outcome = await request(url, signal, last);
    if (outcome !== undefined) return outcome;
    await pause(RETRY_MS * attempt, undefined, { signal });
  }
}

/** Refuses unencrypted URLs, whose code could be replaced on its way, except those of this machine. Throws `RemoteImportError`. */
function refuseUnsafe(url: string): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)) return;
  throw new RemoteImportError(`Cannot fetch ${url}: it is not encrypted. Import it by https:`);
}

/** Returns undefined if another attempt may succeed. */
async function request(
  url: string,
  signal: AbortSignal,
  last: boolean
): Promise<Downloaded | WebRedirect | undefined> {
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(), SILENCE_MS);
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { accept: ACCEPT },
      signal: AbortSignal.any([signal, silent.signal])
    });
    const retried = response.status === 429 || response.status >= 500;
    if (retried && !last) return undefined;
    return await read(url, response, () => timer.refresh());
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RemoteImportError) throw error;
    if (silent.signal.aborted) {
      throw new RemoteImportError(`Cannot fetch ${url}: the server sent nothing for ${SILENCE_MS / 1000} s`);
    }
    if (!last) return undefined;
    throw new RemoteImportError(`Cannot fetch ${url}: ${reasonOf(error)}. Check the network`);
  } finally {
    clearTimeout(timer);
  }
}

async function read(
  url: string,
  response: Response,
  received: () => void
): Promise<Downloaded | WebRedirect> {
  const { status, statusText, headers } = response;
  const location = headers.get('location');
  if (status >= 300 && status < 400 && location !== null) {
    await response.body?.cancel();
    return { url, to: new URL(location, url).href };
  }
  if (status !== 200) {
    await response.body?.cancel();
    throw new RemoteImportError(`Cannot fetch ${url}: ${status} ${statusText}`.trimEnd());
  }
  const ending = endingOf(url, headers.get('content-type'));
  if (ending === undefined) {
    await response.body?.cancel();
    const media = headers.get('content-type') ?? 'a file of unknown type';
    throw new RemoteImportError(`Cannot import ${url}: it is ${media}, not JavaScript, TypeScript or JSON`);
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) {
    received();
    chunks.push(chunk as Uint8Array);
  }
  const types = headers.get('x-typescript-types');
  return {
    url,
    ending,
    content: Buffer.concat(chunks),
    types: types === null ? undefined : new URL(types, url).href
  };
}

/** Returns the message of the error that made `fetch` fail. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  if (cause instanceof AggregateError) return reasonOf({ cause: (cause.errors as unknown[])[0] });
  if (cause instanceof Error) return cause.message;
  return error instanceof Error ? error.message : String(error);
}
