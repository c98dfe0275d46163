/** A small Jupyter client that starts a real kernel and communicates with it over real sockets. */

import { spawn, type ChildProcess } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { curveKeyPair, Dealer, Request, Subscriber } from 'zeromq';
import { WriteQueue } from '../../kernel/front/sockets/write-queue.ts';
import { freePorts } from '../setup/free-ports.ts';

export const KERNEL_MAIN = join(import.meta.dirname, '../../dist/kernel/front/main.js');
const KEY = 'a key for tests';

/** For kernels of tests in which the types of cells do not matter: to check them takes up to a third of the CPU time of such a test. */
export const WITHOUT_TYPES = { STRIDELAB_TYPES: 'off' } as const;

export type Content = Record<string, unknown>;

export interface Message {
  readonly type: string;
  readonly header: Content;
  readonly parentId: string;
  readonly content: Content;
  readonly metadata: Content;
  readonly buffers: Buffer[];
}

export interface Execution {
  readonly id: string;
  readonly reply: Content;
  /** Everything on iopub from busy to idle. */
  readonly messages: readonly Message[];
  /** Without colours, like all text here. */
  readonly stdout: string;
  readonly stderr: string;
  /** `text/plain` of the result. */
  readonly result: string | undefined;
}

/** The frames of a signed message with these four parts. */
export function signedFrames(
  parts: readonly string[],
  buffers: readonly Uint8Array[] = []
): (string | Uint8Array)[] {
  const signature = createHmac('sha256', KEY).update(parts.join('')).digest('hex');
  return ['<IDS|MSG>', signature, ...parts, ...buffers];
}

/** The value under these keys, or undefined. The caller states its type. */
export function field<Value>(content: unknown, ...keys: readonly (string | number)[]): Value {
  return keys.reduce<unknown>((value, key) => (value as Content | undefined)?.[key], content) as Value;
}

type Channel = 'shell' | 'control' | 'stdin';
type Test = (message: Message) => boolean;

export class KernelClient {
  readonly folder: string;
  readonly child: ChildProcess;
  /** For further clients of the same kernel. */
  readonly endpoints: Readonly<Record<Channel | 'iopub' | 'heartbeat', string>>;
  /** The CurveZMQ keys of an encrypted connection. */
  readonly keys: { readonly publicKey: string; readonly secretKey: string } | undefined;
  readonly iopub: Message[] = [];
  /** Messages received on the stdin channel. */
  readonly questions: Message[] = [];
  stderr = '';
  readonly #session = randomUUID();
  readonly #sockets: {
    shell: Dealer;
    control: Dealer;
    stdin: Dealer;
    iopub: Subscriber;
    heartbeat: Request;
  };
  readonly #queues: Readonly<Record<Channel, WriteQueue>>;
  readonly #replies: Message[] = [];
  #waiters: { list: readonly Message[]; test: Test; resolve: (message: Message) => void }[] = [];

  static async start(
    transport: 'tcp' | 'ipc' = 'tcp',
    environment: Record<string, string> = {},
    encrypted = false,
    folder = mkdtempSync(join(tmpdir(), 'kernel-test-'))
  ): Promise<KernelClient> {
    const ports = transport === 'tcp' ? await freePorts(5) : [1, 2, 3, 4, 5];
    const client = new KernelClient(folder, transport, ports, environment, encrypted);
    await Promise.all([
      client.request('kernel_info_request', {}),
      // Messages published before the subscription takes effect are lost.
      client.published(({ type }) => type === 'iopub_welcome')
    ]);
    return client;
  }

  private constructor(
    folder: string,
    transport: 'tcp' | 'ipc',
    ports: number[],
    environment: Record<string, string>,
    encrypted: boolean
  ) {
    this.folder = folder;
    const ip = transport === 'tcp' ? '127.0.0.1' : join(folder, 'kernel-ipc');
    const [shell_port, iopub_port, stdin_port, control_port, hb_port] = ports;
    const connection = { transport, ip, shell_port, iopub_port, stdin_port, control_port, hb_port, key: KEY };
    const file = join(folder, 'connection.json');
    const keys = encrypted ? curveKeyPair() : undefined;
    const curve = keys && { curve_publickey: keys.publicKey, curve_secretkey: keys.secretKey };
    writeFileSync(file, JSON.stringify({ ...connection, signature_scheme: 'hmac-sha256', ...curve }));
    this.child = spawn(process.execPath, [KERNEL_MAIN, file], {
      cwd: folder,
      // Tests leave no entries in the user's history.
      env: { ...process.env, STRIDELAB_HISTORY: 'off', ...environment },
      stdio: ['ignore', 'ignore', 'pipe']
    });
    this.child.stderr!.on('data', (text: Buffer) => (this.stderr += text.toString()));
    const endpoint = (port: number | undefined): string =>
      transport === 'tcp' ? `tcp://${ip}:${port}` : `ipc://${ip}-${port}`;
    this.endpoints = {
      shell: endpoint(shell_port),
      stdin: endpoint(stdin_port),
      control: endpoint(control_port),
      iopub: endpoint(iopub_port),
      heartbeat: endpoint(hb_port)
    };
    this.keys = keys;
    const options = {
      linger: 0,
      reconnectInterval: 10,
      ...(keys && {
        curveServerKey: keys.publicKey,
        curvePublicKey: keys.publicKey,
        curveSecretKey: keys.secretKey
      })
    };
    // One identity on all channels, with which the kernel finds the client on stdin. Without a limit of queued messages: zeromq.js
    // may not notice that a full socket, on which it also waits for replies, can send again.
    const dealing = { ...options, routingId: this.#session, sendHighWaterMark: 0 };
    this.#sockets = {
      shell: new Dealer(dealing),
      control: new Dealer(dealing),
      stdin: new Dealer(dealing),
      iopub: new Subscriber(options),
      heartbeat: new Request(options)
    };
    const { shell, control, stdin } = this.#sockets;
    this.#queues = {
      shell: new WriteQueue(shell),
      control: new WriteQueue(control),
      stdin: new WriteQueue(stdin)
    };
    this.#sockets.iopub.subscribe('');
    this.#sockets.shell.connect(endpoint(shell_port));
    this.#sockets.control.connect(endpoint(control_port));
    this.#sockets.stdin.connect(endpoint(stdin_port));
    this.#sockets.iopub.connect(endpoint(iopub_port));
    this.#sockets.heartbeat.connect(endpoint(hb_port));
    void this.#read(this.#sockets.shell, this.#replies);
    void this.#read(this.#sockets.control, this.#replies);
    void this.#read(this.#sockets.stdin, this.questions);
    void this.#read(this.#sockets.iopub, this.iopub);
  }

  /** Returns the message's id. `forge` may change the frames after signing, `more` the parts before. */
  send(
    channel: Channel,
    type: string,
    content: Content,
    buffers: Uint8Array[] = [],
    forge: (frames: (string | Uint8Array)[]) => void = () => {},
    more: { readonly header?: Content; readonly parent?: Content; readonly metadata?: Content } = {}
  ): string {
    const id = randomUUID();
    const header = { msg_id: id, session: this.#session, username: 'test', date: new Date().toISOString() };
    const parts = [
      { ...header, msg_type: type, version: '5.3', ...more.header },
      more.parent ?? {},
      more.metadata ?? {},
      content
    ].map(part => JSON.stringify(part));
    const frames = signedFrames(parts, buffers);
    forge(frames);
    this.#queues[channel].push(
      frames.map(frame => Buffer.from(frame)),
      () => undefined
    );
    return id;
  }

  /** Replies to a question; without a parent by default, as many clients do. */
  answer(value: string, parent: Content = {}): void {
    this.send('stdin', 'input_reply', { value }, [], undefined, { parent });
  }

  /** Sends frames unchanged. */
  sendRaw(channel: Channel, frames: (string | Uint8Array)[]): void {
    this.#queues[channel].push(
      frames.map(frame => Buffer.from(frame)),
      () => undefined
    );
  }

  async request(type: string, content: Content, channel: Channel = 'shell'): Promise<Content> {
    return this.reply(this.send(channel, type, content));
  }

  async reply(id: string): Promise<Content> {
    return (await this.#wait(this.#replies, message => message.parentId === id)).content;
  }

  /** The first unanswered question after the first `count`. */
  async question(count = 0): Promise<Message> {
    const asked = (message: Message): boolean =>
      this.questions.indexOf(message) >= count && message.type === 'input_request';
    return this.#wait(this.questions, asked);
  }

  async published(test: Test): Promise<Message> {
    return this.#wait(this.iopub, test);
  }

  async idle(id: string): Promise<void> {
    await this.published(
      ({ type, parentId, content }) =>
        type === 'status' && parentId === id && content['execution_state'] === 'idle'
    );
  }

  startExecution(code: string, options: Content = {}): string {
    return this.send('shell', 'execute_request', { code, silent: false, store_history: true, ...options });
  }

  async execute(code: string, options: Content = {}): Promise<Execution> {
    return this.finish(this.startExecution(code, options));
  }

  async finish(id: string): Promise<Execution> {
    const [reply] = await Promise.all([this.reply(id), this.idle(id)]);
    const messages = this.iopub.filter(message => message.parentId === id);
    const stream = (name: string): string =>
      messages
        .filter(({ type, content }) => type === 'stream' && content['name'] === name)
        .map(textOf)
        .map(plain)
        .join('');
    const result = field<string | undefined>(
      messages.find(({ type }) => type === 'execute_result'),
      'content',
      'data',
      'text/plain'
    );
    return { id, reply, messages, stdout: stream('stdout'), stderr: stream('stderr'), result: plain(result) };
  }

  async beat(): Promise<string> {
    await this.#sockets.heartbeat.send('ping');
    const [answer] = await this.#sockets.heartbeat.receive();
    return answer!.toString();
  }

  async close(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill('SIGKILL');
      await once(this.child, 'exit');
    }
    for (const socket of Object.values(this.#sockets)) socket.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #wait(list: readonly Message[], test: Test): Promise<Message> {
    const found = list.find(test);
    if (found !== undefined) return Promise.resolve(found);
    return new Promise(resolve => this.#waiters.push({ list, test, resolve }));
  }

  async #read(socket: Dealer | Subscriber, list: Message[]): Promise<void> {
    for await (const frames of socket) {
      const start = frames.findIndex(frame => frame.toString() === '<IDS|MSG>') + 1;
      const [signature, ...parts] = frames.slice(start, start + 5);
      const expected = createHmac('sha256', KEY).update(Buffer.concat(parts)).digest('hex');
      if (signature!.toString() !== expected) throw new Error('the kernel signed a message wrongly');
      const [header, parent, metadata, content] = parts.map(part => JSON.parse(part.toString()) as Content);
      const message: Message = {
        type: field(header, 'msg_type'),
        header: header!,
        parentId: field<string | undefined>(parent, 'msg_id') ?? '',
        content: content!,
        metadata: metadata!,
        buffers: frames.slice(start + 5)
      };
      list.push(message);
      const due = this.#waiters.filter(waiter => waiter.list === list && waiter.test(message));
      this.#waiters = this.#waiters.filter(waiter => !due.includes(waiter));
      for (const { resolve } of due) resolve(message);
    }
  }
}

/** Text without terminal colours. */
export function plain(text: string | undefined): string | undefined {
  return text?.replace(/\x1b\[[\d;]*m/g, '');
}

export function traceback(reply: Content): string {
  return plain((reply['traceback'] as string[]).join('\n'))!;
}

function textOf({ content }: Message): string {
  return content['text'] as string;
}
