/** The executor as a child process, which receives requests and interrupts. It starts more slowly than the front, which therefore loads little before. */

import { spawn, type ChildProcess } from 'node:child_process';
import type { Duplex, Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { debuglog } from 'node:util';
import { encodeFrame, FrameDecoder } from '../../protocol/channel.ts';
import {
  FRONT_INPUT_FD,
  FRONT_OUTPUT_FD,
  INTERRUPT_FD,
  type FromExecutor,
  type InputAnswer,
  type InterruptNotice,
  type InterruptOrder,
  type LeftRunningNotice,
  type ToExecutor
} from '../../protocol/executor-messages.ts';
import { compiledFolder } from '../../protocol/own-files.ts';
import { DEBUGGER_FD, type DebuggerOrder } from '../../protocol/debugger-messages.ts';
import type { StreamName } from '../../protocol/messages.ts';
import { markPrefix } from '../../protocol/output-marks.ts';
import { OutputOrder } from '../output/output-order.ts';
import { pathWithNode } from './node-on-path.ts';
import { HEAP_VARIABLE, type ExecutorEnd } from './executor-loss.ts';

const OUTPUT_FDS = [1, 2, FRONT_OUTPUT_FD];

export interface ExecutorEvents {
  message(message: FromExecutor, buffers: readonly Uint8Array[]): void;
  /** Called with text written from outside JavaScript, by native code or child processes. */
  nativeOutput(name: StreamName, text: string): void;
  /** Called if the interrupted cell is still in a native call that cannot be stopped. */
  inNativeCode(): void;
  /** Called some time after an interrupt that did not end everything. */
  leftRunning(notice: LeftRunningNotice): void;
  /** Called when the process has ended by itself, after everything that it sent was delivered. */
  died(end: ExecutorEnd): void;
}

const MAIN = join(compiledFolder, 'kernel', 'executor', 'main.js');
const FLAGS = [
  // An interrupt unwinds callbacks, after which Node would find the async hooks unbalanced.
  '--no-force-async-hooks-checks',
  '--disable-warning=ExperimentalWarning'
];
/** Time that pipes may stay open after the process has exited, and that its child processes have to exit. */
const EXIT_DEADLINE_MS = 250;
/** Time to acknowledge the request to exit, for which the running cell must stop first. */
const ANSWER_DEADLINE_MS = 2_000;
/** Time for the user's exit handlers to run. */
const HANDLERS_DEADLINE_MS = 2_000;
const LOOK_MS = 10;
const LAST_WORDS = 4_096;

/** With `NODE_DEBUG=stridelab`, each message between the front and the executor goes to the front's stderr. */
const log = debuglog('stridelab');

/** Printed by Node if it exits during an interrupt; dropped, because users cannot act on it. */
const EXIT_REMARK = 'Waiting for the debugger to disconnect...\n';

export class ExecutorProcess {
  #events: ExecutorEvents | undefined;
  /** Events that happened before `follow`. */
  readonly #held: ((events: ExecutorEvents) => void)[] = [];
  readonly #child: ChildProcess;
  readonly #order: OutputOrder;
  readonly #decoder = new FrameDecoder<FromExecutor>();
  #nativeBytes = 0;
  #ready = false;
  #interruptWaiting = false;
  #stopping = false;
  #paused = false;
  /** Called when the process acknowledges the request to exit. */
  #exiting = (): void => undefined;
  #lastWords = '';
  /** Number of cells sent to the process. */
  #cells = 0;

  /** Starts the process. */
  constructor() {
    // A separate process group: only the front handles signals to its group.
    this.#child = spawn(process.execPath, [...FLAGS, ...heapFlag(), MAIN], {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
      env: { ...process.env, PATH: pathWithNode() },
      detached: true
    });
    this.#order = new OutputOrder(markPrefix(this.#child.pid ?? 0), (name, text) => {
      if (name === 'stdout') return this.#tell(events => events.nativeOutput(name, text));
      const shown = text.replace(EXIT_REMARK, '');
      this.#lastWords = (this.#lastWords + shown).slice(-LAST_WORDS);
      if (shown !== '') this.#tell(events => events.nativeOutput(name, shown));
    });
    this.#read(this.#child.stdout!, 'stdout');
    this.#read(this.#child.stderr!, 'stderr');
    const frames = this.#pipes[FRONT_OUTPUT_FD] as Readable;
    frames.on('data', (piece: Buffer) => this.#receive(piece));
    const notices = new FrameDecoder<InterruptNotice>();
    (this.#pipes[INTERRUPT_FD] as Readable).on('data', (piece: Buffer) => {
      for (const { message } of notices.push(piece)) {
        if (message.kind === 'left-running') this.#tell(events => events.leftRunning(message));
        else if (message.cell === this.#cells) this.#tell(events => events.inNativeCode());
      }
    });
    for (const pipe of this.#pipes) pipe?.on('error', () => undefined);
    this.#child.on('error', ({ message }) => this.#ended({ code: null, signal: null, failure: message }));
    // `close` comes after the last byte of every pipe; `exit` may come earlier.
    this.#child.on('close', (code, signal) => this.#ended({ code, signal }));
    this.#child.on('exit', () => {
      this.pauseOutput(false);
      void this.#endPrograms();
      // A child process that left the group can hold the pipes open forever.
      setTimeout(() => this.#pipes.forEach(pipe => pipe?.destroy()), EXIT_DEADLINE_MS);
    });
  }

  /** Delivers the events, those of the past first. */
  follow(events: ExecutorEvents): void {
    this.#events = events;
    for (const deliver of this.#held.splice(0)) deliver(events);
  }

  #tell(deliver: (events: ExecutorEvents) => void): void {
    if (this.#events === undefined) this.#held.push(deliver);
    else deliver(this.#events);
  }

  send(message: ToExecutor, buffers: readonly Uint8Array[] = []): void {
    log('to the executor: %O', message);
    if (message.kind === 'execute') this.#cells += 1;
    this.#write(FRONT_INPUT_FD, message, buffers);
  }

  /** Number of bytes sent that the process has not taken. */
  get unsent(): number {
    return (this.#pipes[FRONT_INPUT_FD] as Writable).writableLength;
  }

  /** Sends an answer to code that blocks the main thread. */
  answerBlocked(answer: InputAnswer): void {
    this.#write(INTERRUPT_FD, answer);
  }

  interrupt(): void {
    if (!this.#ready) {
      this.#interruptWaiting = true;
      return;
    }
    this.#write(INTERRUPT_FD, { kind: 'interrupt', cell: this.#cells });
  }

  /** Pauses or resumes reading the executor's output; its writes block while paused. */
  pauseOutput(paused: boolean): void {
    this.#paused = paused;
    for (const fd of OUTPUT_FDS) {
      const pipe = this.#pipes[fd] as Readable;
      if (paused) pipe.pause();
      else pipe.resume();
    }
  }

  /** Starts the executor's debugger thread and returns the pipe to it. Called once for each process. */
  openDebugger(): Duplex {
    this.send({ kind: 'watch' });
    this.#write(INTERRUPT_FD, { kind: 'debugger' });
    return this.#pipes[DEBUGGER_FD] as Duplex;
  }

  /** Resolves once all output of native code so far has been delivered. */
  async nativeOutputDrained(): Promise<void> {
    for (;;) {
      const before = this.#nativeBytes;
      // One complete poll of the pipes takes at most two turns.
      await nextTurn();
      await nextTurn();
      if (this.#nativeBytes === before && !this.#paused) return;
    }
  }

  /** Ends the process and its child processes, by force if they do not exit in time. `busy`: a cell is running. */
  async stop(busy: boolean): Promise<void> {
    this.#stopping = true;
    if (this.#child.pid === undefined) return;
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const gone = new Promise<void>(resolve => this.#child.once('exit', () => resolve()));
      this.send({ kind: 'exit' });
      if (busy) this.interrupt();
      const kill = (): boolean => this.#child.kill('SIGKILL');
      let deadline = setTimeout(kill, ANSWER_DEADLINE_MS);
      this.#exiting = () => {
        clearTimeout(deadline);
        deadline = setTimeout(kill, HANDLERS_DEADLINE_MS);
      };
      await gone;
      clearTimeout(deadline);
    }
    await this.#endPrograms();
  }

  #write(
    fd: number,
    message: ToExecutor | InterruptOrder | DebuggerOrder,
    buffers?: readonly Uint8Array[]
  ): void {
    const pipe = this.#pipes[fd] as Writable;
    if (pipe.writable) pipe.write(encodeFrame(message, buffers));
  }

  #receive(piece: Buffer): void {
    for (const { message, buffers } of this.#decoder.push(piece)) {
      log('from the executor: %O', message);
      if (message.kind === 'ready') this.#becameReady();
      if (message.kind === 'exiting') this.#exiting();
      const mark = message.kind === 'stream' || message.kind === 'publish' ? message.mark : undefined;
      this.#order.frame(mark, () => this.#tell(events => events.message(message, buffers)));
    }
  }

  /** All pipes of the process; Node's types know only five. */
  get #pipes(): readonly (Readable | Writable | Duplex | null | undefined)[] {
    return this.#child.stdio;
  }

  #becameReady(): void {
    this.#ready = true;
    if (this.#interruptWaiting) this.interrupt();
    this.#interruptWaiting = false;
  }

  #read(pipe: Readable, name: StreamName): void {
    pipe.on('data', (bytes: Buffer) => {
      this.#nativeBytes += bytes.length;
      this.#order.native(name, bytes);
    });
  }

  /** Ends the child processes of cells that outlived the executor. */
  async #endPrograms(): Promise<void> {
    if (!this.#signalGroup('SIGTERM')) return;
    for (const end = performance.now() + EXIT_DEADLINE_MS; performance.now() < end;) {
      await sleep(LOOK_MS);
      if (!this.#signalGroup(0)) return;
    }
    this.#signalGroup('SIGKILL');
  }

  /** Signals the process group. Returns false if the group has no processes left. */
  #signalGroup(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(-this.#child.pid!, signal);
    } catch (error) {
      // EPERM: the process belongs to another user.
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
      return signal !== 0;
    }
  }

  #ended(how: Omit<ExecutorEnd, 'lastWords'>): void {
    this.#order.end();
    if (this.#stopping) return;
    this.#stopping = true;
    const end = { ...how, lastWords: this.#lastWords };
    this.#tell(events => events.died(end));
  }
}

/** Returns the heap flag; none, for Node's own limit, if the variable is unset or not a number. */
function heapFlag(): string[] {
  const wanted = process.env[HEAP_VARIABLE] ?? '';
  return /^[1-9]\d*$/.test(wanted) ? [`--max-old-space-size=${wanted}`] : [];
}
