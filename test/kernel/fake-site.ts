/** A web server on this machine whose modules tests change. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeFile {
  readonly type?: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Answer = (response: ServerResponse) => void;

export class FakeSite {
  readonly #server: Server;
  /** Files by path; a function answers for itself. */
  readonly files = new Map<string, FakeFile | Answer>();
  readonly requests: string[] = [];
  /** Its origin. */
  url = '';
  #listener: ((path: string) => void) | undefined;

  static async start(files: Readonly<Record<string, FakeFile | Answer>>): Promise<FakeSite> {
    const site = new FakeSite(files);
    await new Promise<void>(resolve => site.#server.listen(0, '127.0.0.1', resolve));
    site.url = `http://127.0.0.1:${(site.#server.address() as AddressInfo).port}`;
    return site;
  }

  private constructor(files: Readonly<Record<string, FakeFile | Answer>>) {
    for (const [path, file] of Object.entries(files)) this.files.set(path, file);
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  /** Resolves when this path is requested the next time. */
  requested(path: string): Promise<void> {
    return new Promise(resolve => {
      this.#listener = asked => {
        if (asked === path) resolve();
      };
    });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
    this.requests.push(url);
    this.#listener?.(url);
    const file = this.files.get(url);
    if (typeof file === 'function') {
      file(response);
    } else if (file === undefined) {
      response.writeHead(404, 'Not Found').end();
    } else {
      const { type = 'text/javascript', text, headers } = file;
      response.writeHead(200, { 'content-type': type, ...headers }).end(text);
    }
  }
}

export function redirectTo(location: string): Answer {
  return response => response.writeHead(302, { location }).end();
}
