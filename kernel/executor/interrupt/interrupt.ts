/** The main thread's side of interrupts. */

// The global is loaded when it is first used, and stays half loaded where an interrupt ends that.
import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import {
  INTERRUPT_WORDS,
  InterruptWord,
  PYTHON_INTERRUPT_WORDS,
  PythonPlace
} from '../../../src/native/python-interrupts-binding.ts';
import type { AnswerLink } from '../front/answer-link.ts';
import { criticalDepth, leaveCriticalSections } from '../context/critical-section.ts';
import { interruptsAddon } from './addon.ts';
import { LOOK_WORDS, LookWord } from './look-words.ts';
import { makeLook } from './look.ts';
import { sharedText } from '../front/front-link.ts';
import { answerLink } from '../front/input.ts';
import type { StackFrame } from '../context/stack-frames.ts';
import type { SharedFrame } from '../front/stream-frame.ts';

export interface InterruptWorkerData {
  readonly interruptFlag: Int32Array;
  /** What the two threads tell each other of an interrupt, by `LookWord`. */
  readonly look: Int32Array;
  /** Counts the cells that began, as the front counts them: an interrupt is meant for one of them and never stops the next. */
  readonly cellCount: Int32Array;
  /** Where answers are laid for a main thread that waits for one. */
  readonly answers: AnswerLink;
  /** What cells printed and the main thread has yet to send. */
  readonly text: SharedFrame;
  /** What Python and the thread that interrupts it tell each other. */
  readonly python: Int32Array;
}

/** Where the array library finds the word that native waits poll, and the function in which their callers are stopped. */
const FLAG_KEY = Symbol.for('stridelab.interrupt-flag');
const STOP_KEY = Symbol.for('stridelab.await-stop');
/** What the library wants called after a stop, last one first. */
const UNWIND_KEY = Symbol.for('stridelab.unwind');
/** The interrupting thread needs some milliseconds, on a machine that is busy many. */
const STOP_MS = 10_000;

export class Interrupts {
  readonly #flag = new Int32Array(new SharedArrayBuffer(4));
  readonly #cellCount = new Int32Array(new SharedArrayBuffer(4));
  readonly #python = new Int32Array(new SharedArrayBuffer(4 * INTERRUPT_WORDS));
  readonly #interrupted: (frames: readonly StackFrame[]) => void;
  #watched = false;

  constructor(interrupted: (frames: readonly StackFrame[]) => void) {
    const shared = globalThis as Record<symbol, unknown>;
    shared[FLAG_KEY] = this.#flag;
    shared[STOP_KEY] = () => this.#awaitStop();
    shared[PYTHON_INTERRUPT_WORDS] = this.#python;
    this.#interrupted = interrupted;
  }

  /** Called as a cell begins, which an interrupt of the one before does not concern. */
  cellBegins(): void {
    this.watch();
    leaveCriticalSections();
    unwind();
    Atomics.add(this.#cellCount, 0, 1);
    this.#python[InterruptWord.cell]! += 1;
    Atomics.store(this.#flag, 0, 0);
  }

  /** Whether the present cell is to be stopped. */
  get isAsked(): boolean {
    return this.#flag[0] !== 0;
  }

  /** Whether the process has started Python. */
  get pythonRuns(): boolean {
    return this.#python[InterruptWord.signal] !== 0;
  }

  /** What ends the work of Python for the present cell on other threads, as far as that is possible. */
  pythonCalls(): () => Promise<void> {
    const cell = this.#python[InterruptWord.cell]!;
    return async () => {
      if (!this.pythonRuns) return;
      const { native } = await import('../../../src/native/load.ts');
      native().pythonInterrupts.interruptAsyncCalls(cell);
    };
  }

  /**
   * A native wait ended because of the interrupt. Its caller is stopped here, where an error would first run its `catch` and
   * `finally`, and a timer's function would be called again. Not inside the kernel's own work, nor where Python is to raise.
   */
  #awaitStop(): void {
    if (criticalDepth[0] !== 0 || this.#python[InterruptWord.place] === PythonPlace.calledOut) return;
    for (const end = performance.now() + STOP_MS; this.isAsked && performance.now() < end;);
  }

  /** Starts the thread. A kernel that nobody uses does without its memory; orders that come before wait in their pipe. */
  watch(): void {
    if (this.#watched) return;
    this.#watched = true;
    const look = new Int32Array(new SharedArrayBuffer(4 * LOOK_WORDS));
    let stopped: readonly StackFrame[] | undefined;
    interruptsAddon().follow(makeLook(look, this.#cellCount, frames => (stopped ??= frames)));
    const workerData: InterruptWorkerData = {
      interruptFlag: this.#flag,
      look,
      cellCount: this.#cellCount,
      answers: answerLink.threadEnd,
      text: sharedText,
      python: this.#python
    };
    const worker = new Worker(new URL('./interrupt-worker.js', import.meta.url), {
      workerData,
      transferList: [answerLink.threadEnd.port],
      // Cells do not need it to be idle, and their stdout is not its own.
      stdout: false,
      stderr: false
    });
    // Each message is a turn of the event loop. The one after a stop may itself be cut, and then comes again.
    worker.on('message', () => {
      Atomics.store(look, LookWord.turned, 1);
      if (stopped === undefined) return;
      const frames = stopped;
      Atomics.store(look, LookWord.reported, 1);
      stopped = undefined;
      // The termination takes effect at the next call, which may have been the first one of a critical section.
      leaveCriticalSections();
      unwind();
      if (look[LookWord.cell] === this.#cellCount[0]) this.#interrupted(frames);
    });
  }
}

/** Ends what stopped functions of the library held open. */
function unwind(): void {
  const open = (globalThis as { [UNWIND_KEY]?: (() => void)[] })[UNWIND_KEY];
  for (let end = open?.pop(); end !== undefined; end = open?.pop()) {
    try {
      end();
    } catch (error) {
      process.emit('uncaughtException', error as Error);
    }
  }
}
