/** A Jupyter client that starts any kernel with the argv of its kernelspec, and times its answers. */

import { spawn } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Dealer, Subscriber } from 'zeromq';
import { processTree } from './memory.mjs';

const KEY = randomUUID();
const EXIT_DEADLINE_MS = 5_000;
const ASK_AGAIN_MS = 1_000;

/** @typedef {{ type: string, parent: string, content: Record<string, any>, at: number }} Message `at`: time of arrival in ms */
/**
 * @typedef {object} Answer times in ms since the request
 * @property {Record<string, any>} reply
 * @property {number} replied
 * @property {number} total until both the reply and the idle status have arrived
 * @property {Message[]} outputs the messages published for the request, without statuses
 */

/** Running kernels, to be ended if the benchmark is interrupted: they have separate process groups. @type {Set<BenchClient>} */
const running = new Set();
process.on('exit', () => {
  for (const { child } of running)
    for (const pid of child.pid === undefined ? [] : processTree(child.pid)) kill(pid);
});
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.on(signal, () => process.exit(1));

/** Thrown if a request is not answered in time, or if the kernel exited. */
export class NoAnswer extends Error {}

export class BenchClient {
  /** @type {import('node:child_process').ChildProcess} */ child;
  /** From the start of the process to its first reply, in ms. */
  startTime = 0;
  /** Set if the kernel did not answer its first request. */
  lostFirst = false;
  /** @type {Set<(channel: string, message: Message) => void>} */
  #listeners = new Set();
  #session = randomUUID();
  #folder = mkdtempSync(join(tmpdir(), 'bench-kernel-'));
  #sockets = {
    shell: new Dealer({ linger: 0, reconnectInterval: 2, routingId: this.#session }),
    control: new Dealer({ linger: 0, reconnectInterval: 2, routingId: this.#session }),
    iopub: new Subscriber({ linger: 0, reconnectInterval: 2, receiveHighWaterMark: 0 })
  };

  /**
   * Starts a kernel and waits until it answers and its iopub messages arrive.
   * @param {readonly string[]} argv with `{connection_file}` in place of the file's path
   * @param {{ log?: string, cwd?: string, env?: NodeJS.ProcessEnv }} [options]
   */
  static async start(argv, options = {}) {
    const client = new BenchClient(argv, await freePorts(5), options);
    try {
      await client.#ready();
    } catch (error) {
      await client.close();
      throw error;
    }
    return client;
  }

  /** @param {readonly string[]} argv @param {number[]} ports @param {{ log?: string, cwd?: string, env?: NodeJS.ProcessEnv }} options */
  constructor(argv, ports, { log, cwd, env }) {
    const [shell_port, iopub_port, stdin_port, control_port, hb_port] = ports;
    const file = join(this.#folder, 'connection.json');
    const connection = { shell_port, iopub_port, stdin_port, control_port, hb_port };
    const rest = { transport: 'tcp', ip: '127.0.0.1', key: KEY, signature_scheme: 'hmac-sha256' };
    writeFileSync(file, JSON.stringify({ ...connection, ...rest }));
    const [program, ...args] = argv.map(part => part.replace('{connection_file}', file));
    const sink = log === undefined ? 'ignore' : openSync(log, 'a');
    this.spawned = performance.now();
    // A separate process group, as in Jupyter: an interrupt by signal goes to the whole group.
    this.child = spawn(/** @type {string} */ (program), args, {
      cwd: cwd ?? this.#folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', sink, sink],
      detached: true
    });
    running.add(this);
    this.child.on('error', () => undefined);
    this.#sockets.iopub.subscribe('');
    this.#sockets.shell.connect(`tcp://127.0.0.1:${shell_port}`);
    this.#sockets.control.connect(`tcp://127.0.0.1:${control_port}`);
    this.#sockets.iopub.connect(`tcp://127.0.0.1:${iopub_port}`);
    for (const channel of /** @type {const} */ (['shell', 'control', 'iopub'])) void this.#read(channel);
  }

  /** @param {'shell' | 'control'} channel @param {string} type @param {object} content @returns {string} its `msg_id` */
  send(channel, type, content) {
    const id = randomUUID();
    const header = { msg_id: id, session: this.#session, username: 'bench', date: new Date().toISOString() };
    const parts = [{ ...header, msg_type: type, version: '5.3' }, {}, {}, content].map(part =>
      JSON.stringify(part)
    );
    const signature = createHmac('sha256', KEY).update(parts.join('')).digest('hex');
    void this.#sockets[channel].send(['<IDS|MSG>', signature, ...parts]);
    return id;
  }

  /** @param {string} code @returns {string} the request's `msg_id` */
  sendExecution(code) {
    return this.send('shell', 'execute_request', {
      code,
      silent: false,
      store_history: true,
      user_expressions: {},
      allow_stdin: false,
      stop_on_error: true
    });
  }

  /** @param {string} code @param {number} [deadline] in ms @returns {Promise<Answer>} */
  execute(code, deadline) {
    return this.#answered(() => this.sendExecution(code), deadline);
  }

  /** @param {string} type @param {object} content @param {number} [deadline] in ms @returns {Promise<Answer>} */
  request(type, content, deadline) {
    return this.#answered(() => this.send('shell', type, content), deadline);
  }

  /** @param {'message' | 'signal'} mode as the kernelspec's `interrupt_mode` */
  interrupt(mode) {
    if (mode === 'message') this.send('control', 'interrupt_request', {});
    else process.kill(-(/** @type {number} */ (this.child.pid)), 'SIGINT');
  }

  /**
   * Waits for the first message that passes the test.
   * @param {(channel: string, message: Message) => boolean} test
   * @param {number} deadline in ms
   * @returns {Promise<Message>}
   */
  next(test, deadline) {
    return new Promise((resolve, reject) => {
      /** @param {string} channel @param {Message} message */
      const listener = (channel, message) => {
        if (!test(channel, message)) return;
        stop();
        resolve(message);
      };
      const fail = (/** @type {string} */ why) => {
        stop();
        reject(new NoAnswer(why));
      };
      const died = () => fail('the kernel exited');
      const timer = setTimeout(() => fail(`no answer within ${deadline} ms`), deadline);
      const stop = () => {
        clearTimeout(timer);
        this.#listeners.delete(listener);
        this.child.off('exit', died);
      };
      this.#listeners.add(listener);
      this.child.once('exit', died);
    });
  }

  /** Passes all messages to the listener until the returned function is called. @param {(channel: string, message: Message) => void} listener */
  listen(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Requests a shutdown. @returns {Promise<number | undefined>} the ms it took; undefined if the kernel had to be killed */
  async close() {
    const { child } = this;
    const asked = performance.now();
    let took;
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit').then(() => true);
      this.send('control', 'shutdown_request', { restart: false });
      const late = AbortSignal.timeout(EXIT_DEADLINE_MS);
      const went = await Promise.race([gone, once(late, 'abort').then(() => false)]);
      if (went) took = performance.now() - asked;
      else await this.#kill();
    }
    this.#release();
    return took;
  }

  /** Ends a kernel that no longer answers. */
  async kill() {
    await this.#kill();
    this.#release();
  }

  async #kill() {
    const { child } = this;
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    for (const pid of processTree(child.pid)) kill(pid);
    await gone;
  }

  #release() {
    running.delete(this);
    for (const socket of Object.values(this.#sockets)) socket.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #ready() {
    for (let first = true; ; first = false) {
      const id = this.send('shell', 'kernel_info_request', {});
      try {
        const { at } = await this.next(
          (channel, { parent }) => channel === 'shell' && (first ? parent === id : parent !== ''),
          ASK_AGAIN_MS
        );
        this.startTime = at - this.spawned;
        break;
      } catch (error) {
        if (this.child.exitCode !== null || performance.now() - this.spawned > 60_000) throw error;
        this.lostFirst = true;
      }
    }
    // The subscription may not be active yet.
    while (!(await this.request('kernel_info_request', {}, 300).catch(() => undefined))) await sleep(10);
  }

  /** @param {() => string} send @param {number} [deadline] in ms @returns {Promise<Answer>} */
  async #answered(send, deadline = 60_000) {
    const begun = performance.now();
    let id = '';
    /** @type {Record<string, any> | undefined} */ let reply;
    let replied = 0;
    let idle = 0;
    /** @type {Message[]} */
    const outputs = [];
    const done = this.next((channel, message) => {
      if (message.parent !== id) return false;
      if (channel === 'shell') {
        reply = message.content;
        replied = message.at - begun;
      } else if (message.type === 'status') {
        if (message.content['execution_state'] === 'idle') idle = message.at - begun;
      } else outputs.push(message);
      return reply !== undefined && idle > 0;
    }, deadline);
    id = send();
    await done;
    return { reply: reply ?? {}, replied, total: Math.max(replied, idle), outputs };
  }

  /** @param {'shell' | 'control' | 'iopub'} channel */
  async #read(channel) {
    for await (const frames of this.#sockets[channel]) {
      const at = performance.now();
      const start = frames.findIndex(frame => frame.equals(DELIMITER)) + 2;
      const [header, parent, , content] = frames
        .slice(start, start + 4)
        .map(frame => JSON.parse(frame.toString()));
      const message = { type: header.msg_type, parent: parent.msg_id ?? '', content, at };
      for (const listener of [...this.#listeners]) listener(channel, message);
    }
  }
}

const DELIMITER = Buffer.from('<IDS|MSG>');

/** Returns the visible text of the outputs. @param {readonly Message[]} outputs */
export function textOf(outputs) {
  return outputs
    .map(({ type, content }) => {
      if (type === 'stream') return content['text'];
      if (type === 'error') return `${content['ename']}: ${content['evalue']}`;
      return content['data']?.['text/plain'] ?? '';
    })
    .join('\n');
}

/** @param {number} pid */
function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already exited.
  }
}

/** @param {number} count @returns {Promise<number[]>} */
async function freePorts(count) {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    })
  );
  const ports = servers.map(server => /** @type {import('node:net').AddressInfo} */ (server.address()).port);
  await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))));
  return ports;
}
