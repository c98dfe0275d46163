/** The five sockets of a Jupyter kernel. All are bound before any is read: reading during a bind loses messages. */

import { rmSync } from 'node:fs';
import { capability, Reply, Router, XPublisher } from 'zeromq';
import type { MessageHeader, JupyterMessage } from '../../protocol/messages.ts';
import { bindTo } from './binding.ts';
import { ConnectionFileError, PORT_NAMES, type Connection, type Ports } from './connection-file.ts';
import type { OutgoingMessage, Wire } from './wire.ts';
import { sendPatiently, WriteQueue } from './write-queue.ts';

export type RequestChannel = 'shell' | 'control';
export interface Receiver {
  /** Returns a promise if the channel's next request is to be read only after it. */
  request(channel: RequestChannel, message: JupyterMessage): Promise<void> | undefined;
  /** A message of the stdin channel. */
  input(message: JupyterMessage): void;
}

/** First byte of a subscription message on an XPUB socket. */
const SUBSCRIBE = 1;
/** ZeroMQ disconnects a peer that sends a longer frame. */
const MAX_FRAME_BYTES = 2 ** 30;
/** Subscriptions and heartbeats are short. */
const MAX_SHORT_FRAME_BYTES = 2 ** 20;
/** Time to send messages that are still queued when the sockets close. */
const LINGER_MS = 1_000;
/** Index of the content in a published message: topic, delimiter, signature, header, parent and metadata precede it. */
const CONTENT_FRAME = 6;
/** Number of messages that a subscriber may be behind before the kernel waits for it. */
const IOPUB_MESSAGES = 100;

const REQUESTS = {
  sendHighWaterMark: 0,
  maxMessageSize: MAX_FRAME_BYTES,
  // A client that connects again under its identity, while its old connection is still open, would be ignored.
  handover: true
};

export class KernelSockets {
  readonly #connection: Connection;
  #ports: Ports;
  readonly #wire: Wire;
  readonly #shell = new Router({ ...REQUESTS, linger: LINGER_MS });
  readonly #control = new Router({ ...REQUESTS, linger: LINGER_MS });
  /** Mandatory: sending to a client that is not connected fails instead of blocking forever. */
  readonly #stdin = new Router({ ...REQUESTS, linger: 0, mandatory: true });
  readonly #iopub = new XPublisher({
    sendHighWaterMark: IOPUB_MESSAGES,
    linger: LINGER_MS,
    maxMessageSize: MAX_SHORT_FRAME_BYTES
  });
  /** Called with the number of bytes queued for subscribers whenever it changes. */
  backlogged: (bytes: number) => void = () => undefined;
  readonly #heartbeat = new Reply({ linger: 0, maxMessageSize: MAX_SHORT_FRAME_BYTES });
  readonly #queues = {
    shell: new WriteQueue(this.#shell),
    control: new WriteQueue(this.#control),
    stdin: new WriteQueue(this.#stdin),
    iopub: new WriteQueue({ send: frames => sendPatiently(this.#iopub, frames) }, bytes =>
      this.backlogged(bytes)
    )
  };

  readonly #bound = {
    shell_port: this.#shell,
    iopub_port: this.#iopub,
    stdin_port: this.#stdin,
    control_port: this.#control,
    hb_port: this.#heartbeat
  } as const;

  /** Constructs the sockets, not yet bound. Throws `ConnectionFileError` if they cannot encrypt, but must. */
  constructor(connection: Connection, wire: Wire, canEncrypt = capability.curve === true) {
    this.#connection = connection;
    this.#ports = connection.ports;
    this.#wire = wire;
    this.#iopub.verbosity = 'allSubs';
    this.#iopub.noDrop = true;
    const { curve, file } = connection;
    if (curve === undefined) return;
    if (!canEncrypt)
      throw new ConnectionFileError(
        file,
        'requires encryption, which the installed ZeroMQ lacks: install the npm package zeromq again'
      );
    const { publicKey, secretKey } = curve;
    for (const socket of Object.values(this.#bound))
      Object.assign(socket, { curveServer: true, curvePublicKey: publicKey, curveSecretKey: secretKey });
  }

  /** The ports that the sockets are bound to. */
  get ports(): Ports {
    return this.#ports;
  }

  /** Binds the sockets, and welcomes subscribers from then on. Throws `ConnectionFileError` if an address cannot be used. */
  async bind(): Promise<void> {
    const { file, transport, ip, ports } = this.#connection;
    const bind = async (name: keyof Ports): Promise<[string, number]> => {
      try {
        return [name, await bindTo(this.#bound[name], transport, ip, ports[name])];
      } catch (error) {
        const fault = `names an address that cannot be used for "${name}": ${(error as Error).message}`;
        throw new ConnectionFileError(file, fault, { cause: error });
      }
    };
    this.#ports = Object.fromEntries(await Promise.all(PORT_NAMES.map(bind))) as Ports;
    void this.#welcomeSubscribers();
  }

  serve(receive: Receiver): void {
    void this.#read(this.#shell, message => receive.request('shell', message));
    void this.#read(this.#control, message => receive.request('control', message));
    void this.#read(this.#stdin, message => void receive.input(message));
    void this.#beat();
  }

  reply(channel: RequestChannel, request: JupyterMessage, type: string, content: object): void {
    const parent = request.header;
    this.#queues[channel].push(this.#wire.encode(request.identities, { type, content, parent }));
  }

  /** Sends an `input_request` to the client that sent `request`; calls `unreachable` if it has no stdin channel. */
  ask(request: JupyterMessage, id: string, content: object, unreachable: () => void): void {
    const message = { type: 'input_request', content, parent: request.header, id };
    this.#queues.stdin.push(this.#wire.encode(request.identities, message), unreachable);
  }

  /** Publishes a message; returns its `msg_id` and the size of its content in bytes. */
  publish(message: OutgoingMessage): { readonly id: string; readonly bytes: number } {
    const topic = Buffer.from(`kernel.${this.#wire.session}.${message.type}`);
    const id = this.#wire.nextId();
    const frames = this.#wire.encode([topic], { ...message, id });
    this.#queues.iopub.push(frames);
    return { id, bytes: frames[CONTENT_FRAME]!.byteLength };
  }

  publishStatus(state: 'starting' | 'busy' | 'idle', parent: MessageHeader | Record<string, never>): void {
    this.publish({ type: 'status', content: { execution_state: state }, parent });
  }

  async close(): Promise<void> {
    const late = setTimeout(() => (this.#iopub.noDrop = false), LINGER_MS);
    await Promise.all(Object.values(this.#queues).map(queue => queue.drained()));
    clearTimeout(late);
    for (const socket of Object.values(this.#bound)) socket.close();
    // The library removes the files on a separate thread, which may be too late.
    const { transport, ip } = this.#connection;
    if (transport === 'ipc')
      for (const port of Object.values(this.#ports)) rmSync(`${ip}-${port}`, { force: true });
  }

  async #read(
    socket: Router,
    receive: (message: JupyterMessage) => Promise<void> | undefined
  ): Promise<void> {
    for await (const frames of socket) {
      const message = this.#wire.decode(frames);
      if (message !== null) await receive(message);
    }
  }

  /** Welcomes new subscribers: from its `iopub_welcome` on, a subscriber misses no message. */
  async #welcomeSubscribers(): Promise<void> {
    for await (const [event] of this.#iopub) {
      if (event === undefined || event[0] !== SUBSCRIBE) continue;
      const topic = event.subarray(1);
      const content = { subscription: topic.toString() };
      this.#queues.iopub.push(this.#wire.encode([topic], { type: 'iopub_welcome', content, parent: {} }));
    }
  }

  async #beat(): Promise<void> {
    for await (const frames of this.#heartbeat) await this.#heartbeat.send(frames);
  }
}
