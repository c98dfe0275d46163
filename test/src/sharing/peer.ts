/** Another process with the library loaded, controlled by a test. */

import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { DefaultCUDAMemoryManager, usingMemoryManager } from '../../../src/memory/index.ts';
import { COMPILED_SOURCES, root } from '../../setup/repository.ts';

const library = JSON.stringify(new URL('../../setup/whole-library.ts', import.meta.url).href);
const addon = JSON.stringify(new URL('../../../src/native/load.ts', import.meta.url).href);

const PROGRAM = `
  import * as lib from ${library};
  import { native } from ${addon};
  const on = { device: 'sim:0' };
  /** What the steps of a test keep for later ones. */
  const kept = {};
  const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));
  const AsyncFunction = pause.constructor === Function ? (async () => {}).constructor : pause.constructor;
  process.on('message', async ({ number, code, argument }) => {
    try {
      const body = new AsyncFunction('lib', 'native', 'on', 'kept', 'pause', 'argument', code);
      process.send({ number, value: await body(lib, native, on, kept, pause, argument) });
    } catch (error) {
      process.send({ number, failure: { name: error.name, message: error.message, code: error.code } });
    }
  });
  process.send({ number: 0 });
`;

interface Reply {
  readonly number: number;
  readonly value?: unknown;
  readonly failure?: { readonly name: string; readonly message: string; readonly code?: string };
}

export class Peer {
  readonly process: ChildProcess;
  readonly #folder: string;
  readonly #ended: Promise<void>;
  readonly #pending = new Map<number, (reply: Reply) => void>();
  #next = 0;

  private constructor(environment: NodeJS.ProcessEnv, user: number | undefined) {
    this.#folder = mkdtempSync(join(tmpdir(), 'stridelab-peer-'));
    const file = join(this.#folder, 'peer.mjs');
    writeFileSync(file, PROGRAM);
    this.process = fork(file, [], {
      cwd: root,
      // Under `npm run test:managers` too: what is shared here is memory of the default manager.
      env: { ...process.env, ...COMPILED_SOURCES, STRIDELAB_CUDA_MEMORY_MANAGER: '', ...environment },
      execArgv: ['--disable-warning=ExperimentalWarning', '--expose-gc'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      ...(user === undefined ? {} : { uid: user })
    });
    this.process.on('message', (reply: Reply) => {
      this.#pending.get(reply.number)?.(reply);
      this.#pending.delete(reply.number);
    });
    this.#ended = new Promise(resolve => {
      this.process.once('exit', () => {
        for (const [number, answer] of this.#pending)
          answer({ number, failure: { name: 'Error', message: 'the peer ended' } });
        rmSync(this.#folder, { recursive: true, force: true });
        resolve();
      });
    });
  }

  static async start(environment: NodeJS.ProcessEnv = {}, user?: number): Promise<Peer> {
    const peer = new Peer(environment, user);
    await peer.#reply(peer.#next++);
    return peer;
  }

  /**
   * Returns the result of an asynchronous function body run there. It sees `lib` (the library), `native` (the addon), `on` (options that name the simulated
   * device), `kept` (an object to keep things in), `pause` and `argument`. Errors come as errors of the same name, message and code.
   */
  async run<T = unknown>(code: string, argument?: unknown): Promise<T> {
    const number = this.#next++;
    const reply = this.#reply(number);
    this.process.send({ number, code, argument });
    const { value, failure } = await reply;
    if (failure === undefined) return value as T;
    throw Object.assign(new Error(failure.message), { name: failure.name, code: failure.code });
  }

  /** Ends the process immediately with a signal that cannot be handled. */
  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.#ended;
  }

  /** Lets the process exit by itself. */
  async exit(): Promise<void> {
    if (this.process.connected) this.process.send({ number: this.#next++, code: 'process.exit(0)' });
    await this.#ended;
  }

  #reply(number: number): Promise<Reply> {
    return new Promise(resolve => this.#pending.set(number, resolve));
  }
}

export let peer: Peer;

/** One peer for all tests of the file, and the default manager. */
export function withPeer(): void {
  let managed: Disposable;
  beforeAll(async () => {
    managed = usingMemoryManager(DefaultCUDAMemoryManager);
    peer = await Peer.start();
  });
  afterAll(async () => {
    managed[Symbol.dispose]();
    await peer.exit();
  });
}
