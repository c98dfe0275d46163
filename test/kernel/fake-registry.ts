/** A registry of npm packages on this machine, for tests without the network. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface FakePackage {
  readonly name: string;
  readonly version: string;
  /** More of its `package.json`. */
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** Texts by path. */
  readonly files: Readonly<Record<string, string>>;
}

interface Published {
  readonly manifest: Record<string, unknown>;
  readonly tarball: Buffer;
}

export class FakeRegistry {
  /** Paths of the requests so far. */
  readonly requests: string[] = [];
  readonly #packages = new Map<string, Map<string, Published>>();
  readonly #server: Server;
  #port = 0;
  /** Tarballs that the server begins to send and does not complete. */
  readonly #held = new Map<string, (response: ServerResponse) => void>();
  readonly #folder = mkdtempSync(join(tmpdir(), 'fake-registry-'));

  private constructor() {
    this.#server = createServer(({ url = '' }, response) => this.#answer(decodeURIComponent(url), response));
  }

  static async start(packages: readonly FakePackage[]): Promise<FakeRegistry> {
    const registry = new FakeRegistry();
    registry.#server.listen(0, '127.0.0.1');
    await once(registry.#server, 'listening');
    registry.#port = (registry.#server.address() as AddressInfo).port;
    for (const each of packages) registry.publish(each);
    return registry;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Environment of a kernel that uses this registry, and neither the user's settings nor caches. */
  environment(): Record<string, string> {
    return {
      npm_config_registry: this.url,
      npm_config_cache: join(this.#folder, 'npm-cache'),
      npm_config_userconfig: join(this.#folder, 'no-npmrc'),
      STRIDELAB_JSR_REGISTRY: this.url,
      STRIDELAB_IMPORTS_DIR: join(this.#folder, 'imports')
    };
  }

  publish({ name, version, manifest, files }: FakePackage): void {
    const described = { name, version, ...manifest };
    const folder = join(this.#folder, 'sources', name, version, 'package');
    for (const [path, text] of Object.entries({ ...files, 'package.json': JSON.stringify(described) })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const file = join(folder, '..', 'package.tgz');
    execFileSync('tar', ['-czf', file, '-C', dirname(folder), 'package']);
    const versions = this.#packages.get(name) ?? new Map<string, Published>();
    this.#packages.set(name, versions.set(version, { manifest: described, tarball: readFileSync(file) }));
  }

  /** Sends only a part of this package from now on; resolves when it was requested. */
  hold(name: string): Promise<void> {
    return new Promise(resolve => {
      this.#held.set(name, response => {
        response.write('part');
        resolve();
      });
    });
  }

  /** Sends packages completely again. */
  release(): void {
    this.#held.clear();
  }

  /** Refuses connections from now on. */
  disconnect(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  close(): void {
    this.disconnect();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #answer(url: string, response: ServerResponse): void {
    this.requests.push(url);
    const [, name = '', version = ''] = /^\/(.+?)(?:\/-\/(.+)\.tgz)?$/.exec(url) ?? [];
    const versions = this.#packages.get(name);
    const tarball = versions?.get(version)?.tarball;
    const held = this.#held.get(name);
    if (tarball !== undefined && held !== undefined) held(response);
    else if (tarball !== undefined) response.end(tarball);
    else if (versions !== undefined) response.end(JSON.stringify(this.#packument(name, versions)));
    else response.writeHead(404).end('{"error":"not found"}');
  }

  #packument(name: string, versions: ReadonlyMap<string, Published>): object {
    const described = [...versions].map(([version, { manifest, tarball }]) => {
      const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
      const dist = { integrity, tarball: `${this.url}/${name}/-/${version}.tgz` };
      return [version, { ...manifest, dist }] as const;
    });
    return {
      name,
      'dist-tags': { latest: [...versions.keys()].at(-1) },
      versions: Object.fromEntries(described)
    };
  }
}
