import { randomUUID } from 'node:crypto';
import { decode, encode, SUBPROTOCOL } from './wire.mjs';

/** @typedef {import('./wire.mjs').Message} Message */
/** @typedef {{ resolve: (answer: Answer) => void, reject: (error: Error) => void, reply?: Message, busy?: Message, idle: boolean }} Pending */
/** @typedef {{ reply: Message, kernelMs: number }} Answer `kernelMs`: from busy to the reply, on the kernel's clock */

/** A client of the kernel of one session of a running server, over its websocket. */
export class KernelClient {
  #socket;
  #session = randomUUID();
  /** @type {Map<string, Pending>} */
  #pending = new Map();
  #onOutput;

  /**
   * @param {WebSocket} socket open
   * @param {(message: Message) => void} onOutput called with every message of the iopub channel, in order
   */
  constructor(socket, onOutput) {
    this.#socket = socket;
    this.#onOutput = onOutput;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', event => this.#receive(decode(event.data)));
    socket.addEventListener('close', () =>
      this.#failAll(new Error('the server closed the connection to the kernel'))
    );
  }

  /**
   * Starts the kernel `kernelName` for a notebook and connects to it.
   * @param {import('./server.mjs').LabServer} server
   * @param {{ path: string, kernelName: string, onOutput: (message: Message) => void }} options
   * @returns {Promise<{ client: KernelClient, close: () => Promise<void> }>} `close` also shuts the kernel down
   */
  static async open({ url, token }, { path, kernelName, onOutput }) {
    const authorization = { Authorization: `token ${token}`, 'Content-Type': 'application/json' };
    const response = await fetch(`${url}/api/sessions`, {
      method: 'POST',
      headers: authorization,
      body: JSON.stringify({ path, name: path, type: 'notebook', kernel: { name: kernelName } })
    });
    /** @type {any} the server's answer: a session, or an error message */
    const session = await response.json();
    if (!response.ok)
      throw new Error(`the server could not start the kernel "${kernelName}": ${session.message}`);
    const close = async () => {
      await fetch(`${url}/api/sessions/${session.id}`, { method: 'DELETE', headers: authorization });
    };
    try {
      const address = `${url.replace('http', 'ws')}/api/kernels/${session.kernel.id}/channels?token=${token}`;
      const socket = new WebSocket(address, [SUBPROTOCOL]);
      await new Promise((resolve, reject) => {
        socket.addEventListener('open', resolve, { once: true });
        socket.addEventListener('error', () => reject(new Error('the kernel’s websocket did not open')), {
          once: true
        });
      });
      const client = new KernelClient(socket, onOutput);
      return {
        client,
        close: async () => {
          socket.close();
          await close();
        }
      };
    } catch (error) {
      await close();
      throw error;
    }
  }

  /**
   * Sends a request and returns its reply once the kernel is idle again. The time comes from the messages' dates: the
   * server leaves Nagle's algorithm on, which adds 40 ms to times measured here.
   * @param {'shell' | 'control'} channel
   * @param {string} type
   * @param {Record<string, unknown>} content
   * @param {{ timeout: number, onSent?: (id: string) => void }} options `timeout` in milliseconds
   * @returns {Promise<Answer>}
   */
  request(channel, type, content, { timeout, onSent }) {
    const id = randomUUID();
    const header = {
      msg_id: id,
      msg_type: type,
      session: this.#session,
      username: 'stridelab',
      date: new Date().toISOString(),
      version: '5.4'
    };
    onSent?.(id);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => settle(() => reject(new Error(`no answer within ${timeout / 1000} s`))),
        timeout
      );
      const settle = (/** @type {() => void} */ act) => {
        clearTimeout(timer);
        this.#pending.delete(id);
        act();
      };
      this.#pending.set(id, {
        idle: false,
        resolve: answer => settle(() => resolve(answer)),
        reject: error => settle(() => reject(error))
      });
      this.#socket.send(encode({ channel, header, parent_header: {}, metadata: {}, content, buffers: [] }));
    });
  }

  /** @param {Message} message */
  #receive(message) {
    const state =
      message.channel === 'iopub' &&
      message.header.msg_type === 'status' &&
      message.content['execution_state'];
    if (state === 'dead' || state === 'restarting')
      return this.#failAll(new Error(`the kernel ended (${state})`));
    if (message.channel === 'iopub') this.#onOutput(message);
    const pending = this.#pending.get(message.parent_header.msg_id ?? '');
    if (pending === undefined) return;
    if (state === 'busy') pending.busy = message;
    if (state === 'idle') pending.idle = true;
    if (message.channel === 'shell' || message.channel === 'control') pending.reply = message;
    const { busy, idle, reply } = pending;
    if (idle && reply !== undefined) {
      const kernelMs = milliseconds(reply.header.date) - milliseconds((busy ?? reply).header.date);
      pending.resolve({ reply, kernelMs });
    }
  }

  /** @param {Error} error */
  #failAll(error) {
    for (const pending of [...this.#pending.values()]) pending.reject(error);
  }
}

/** Converts an ISO date to milliseconds since the epoch, with the microseconds that `Date` would drop. @param {string} date */
function milliseconds(date) {
  const fraction = /\.\d+/.exec(date)?.[0] ?? '';
  return Date.parse(date.replace(fraction, '')) + 1000 * Number(`0${fraction}`);
}
