/** A kernel started without a Jupyter server, and a client of its sockets. */

import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Dealer, Subscriber } from 'zeromq';
import { Wire } from '../../front/sockets/wire.ts';
import type { JsonObject, JupyterMessage } from '../../protocol/messages.ts';
import { CommandFailure } from '../kit/failure.ts';
import type { PublishedMessage } from './outputs.ts';

const START_TIMEOUT_MS = 30_000;
const SHUTDOWN_TIMEOUT_MS = 5_000;
/** Maximum lines of the kernel's stderr shown for a failure. */
const STDERR_LINES = 20;
/** The last part of each address: "ports" are file suffixes, since the transport is ipc. */
const PORTS = { shell: 1, iopub: 2, stdin: 3, control: 4, hb: 5 };

export interface SessionOptions {
  /** Program and arguments; `{connection_file}` is replaced by the connection file. */
  readonly argv: readonly string[];
  readonly folder: string;
  readonly onPublished?: (message: PublishedMessage) => void;
  /** Answers an `input_request`. */
  readonly onInput?: (prompt: string, password: boolean) => Promise<string>;
}

interface Pending {
  reply?: JsonObject;
  idle: boolean;
  readonly resolve: (reply: JsonObject) => void;
  readonly reject: (error: Error) => void;
}

export class KernelSession {
  readonly #options: SessionOptions;
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #wire: Wire;
  readonly #sockets: { shell: Dealer; control: Dealer; stdin: Dealer; iopub: Subscriber };
  readonly #pending = new Map<string, Pending>();
  readonly #exit: Promise<unknown>;
  /** Resolves once the subscription is active: no message is missed from then on. */
  readonly #welcome: Promise<void>;
  #welcomed: () => void = () => {};
  #stderr = '';
  #failure: CommandFailure | undefined;
  #closing = false;

  /** Starts a kernel; resolves once it responds. @throws CommandFailure that explains why it did not start */
  static async start(options: SessionOptions): Promise<{ session: KernelSession; info: JsonObject }> {
    const session = new KernelSession(options);
    try {
      return { session, info: await session.#handshake() };
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  private constructor(options: SessionOptions) {
    this.#options = options;
    this.#folder = mkdtempSync(join(tmpdir(), 'stridelab-'));
    const key = randomBytes(32).toString('hex');
    this.#wire = new Wire(key, 'sha256');
    const file = join(this.#folder, 'connection.json');
    const address = join(this.#folder, 'k');
    const connection = {
      transport: 'ipc',
      ip: address,
      ...Object.fromEntries(Object.entries(PORTS).map(([name, port]) => [`${name}_port`, port])),
      key,
      signature_scheme: 'hmac-sha256'
    };
    writeFileSync(file, JSON.stringify(connection), { mode: 0o600 });
    const [program = '', ...args] = options.argv.map(part => part.replace('{connection_file}', file));
    // A separate process group: Ctrl-C reaches only this process, which asks the kernel to stop the cell.
    this.#child = spawn(program, args, {
      cwd: options.folder,
      // Runs do not record history unless the user enables it.
      env: { STRIDELAB_HISTORY: 'off', ...process.env },
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe']
    });
    this.#child.stderr?.on('data', (text: Buffer) => (this.#stderr += text.toString()));
    this.#exit = once(this.#child, 'close').catch((error: unknown) => error);
    void this.#exit.then(ended => this.#ended(ended));
    this.#welcome = new Promise(resolve => (this.#welcomed = resolve));
    const routing = { linger: 0, reconnectInterval: 5, routingId: randomUUID() };
    this.#sockets = {
      shell: new Dealer(routing),
      control: new Dealer(routing),
      stdin: new Dealer(routing),
      iopub: new Subscriber({ linger: 0, reconnectInterval: 5 })
    };
    this.#sockets.iopub.subscribe('');
    for (const channel of ['shell', 'control', 'stdin', 'iopub'] as const) {
      this.#sockets[channel].connect(`ipc://${address}-${PORTS[channel]}`);
      void this.#read(channel);
    }
  }

  /** Returns the reply's content once the kernel is idle again. @throws CommandFailure if the kernel ends before that */
  request(
    channel: 'shell' | 'control',
    type: string,
    content: JsonObject,
    { onSent, metadata = {} }: { onSent?: (id: string) => void; metadata?: JsonObject } = {}
  ): Promise<JsonObject> {
    const frames = this.#wire.encode([], { type, content, metadata, parent: {} });
    const { msg_id: id } = JSON.parse(Buffer.from(frames[2]!).toString()) as { msg_id: string };
    return new Promise((resolve, reject) => {
      if (this.#closing) return reject(this.#failure ?? new CommandFailure('The kernel was shut down.'));
      this.#pending.set(id, { idle: false, resolve, reject });
      onSent?.(id);
      void this.#sockets[channel].send(frames).catch(reject);
    });
  }

  async interrupt(): Promise<void> {
    await this.request('control', 'interrupt_request', {});
  }

  /** Shuts the kernel down, by force if it does not exit. */
  async close(): Promise<void> {
    const running = this.#child.exitCode === null && this.#child.signalCode === null;
    if (running && this.#child.pid !== undefined) {
      const shutdown = this.request('control', 'shutdown_request', { restart: false }).catch(() => {});
      this.#closing = true;
      await Promise.race([
        shutdown.then(() => this.#exit),
        sleep(SHUTDOWN_TIMEOUT_MS, undefined, { ref: false })
      ]);
      this.#child.kill('SIGKILL');
      await this.#exit;
    }
    this.#closing = true;
    for (const socket of Object.values(this.#sockets)) socket.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  async #handshake(): Promise<JsonObject> {
    const slow = sleep(START_TIMEOUT_MS, undefined, { ref: false }).then(() => {
      throw new CommandFailure(
        `The kernel did not answer within ${START_TIMEOUT_MS / 1000} s.${this.#said()}`
      );
    });
    const gone = this.#exit.then(() => {
      throw this.#failure ?? new CommandFailure('The kernel was shut down.');
    });
    await Promise.race([this.#welcome, slow, gone]);
    return Promise.race([this.request('shell', 'kernel_info_request', {}), slow]);
  }

  #said(): string {
    const lines = this.#stderr.trimEnd().split('\n').slice(-STDERR_LINES);
    return this.#stderr === '' ? '' : ` Its stderr:\n${lines.join('\n')}`;
  }

  #ended(ended: unknown): void {
    const how =
      ended instanceof Error
        ? `could not be started (${ended.message})`
        : `ended (${this.#child.signalCode ?? `status ${this.#child.exitCode}`})`;
    this.#failure = new CommandFailure(`The kernel ${how}.${this.#said()}`);
    this.#closing = true;
    for (const { reject } of this.#pending.values()) reject(this.#failure);
    this.#pending.clear();
  }

  async #read(channel: 'shell' | 'control' | 'stdin' | 'iopub'): Promise<void> {
    for await (const frames of this.#sockets[channel]) {
      const message = this.#wire.decode(frames);
      if (message === null) continue;
      if (channel === 'iopub') this.#published(message);
      else if (channel === 'stdin') void this.#asked(message);
      else this.#settle(message, pending => (pending.reply = message.content));
    }
  }

  #published(message: JupyterMessage): void {
    const { header, parent, content, buffers } = message;
    if (header.msg_type === 'iopub_welcome') this.#welcomed();
    this.#options.onPublished?.({ type: header.msg_type, parentId: parent.msg_id ?? '', content, buffers });
    if (header.msg_type === 'status' && content['execution_state'] === 'idle')
      this.#settle(message, pending => (pending.idle = true));
  }

  #settle({ parent }: JupyterMessage, note: (pending: Pending) => void): void {
    const pending = this.#pending.get(parent.msg_id ?? '');
    if (pending === undefined) return;
    note(pending);
    if (pending.reply === undefined || !pending.idle) return;
    this.#pending.delete(parent.msg_id ?? '');
    pending.resolve(pending.reply);
  }

  async #asked({ header, content }: JupyterMessage): Promise<void> {
    if (header.msg_type !== 'input_request') return;
    const prompt = typeof content['prompt'] === 'string' ? content['prompt'] : '';
    const value = (await this.#options.onInput?.(prompt, content['password'] === true)) ?? '';
    const reply = { type: 'input_reply', content: { status: 'ok', value }, parent: header };
    await this.#sockets.stdin.send(this.#wire.encode([], reply));
  }
}
