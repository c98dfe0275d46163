/** The main thread's side of interrupts. */

// The global is loaded on first use, and an interrupt during that would leave it half loaded.
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
  /** State of an interrupt, shared by the two threads; indexed by `LookWord`. */
  readonly look: Int32Array;
  /** Number of cells started, as the front counts them: an interrupt names its cell and never stops the next. */
  readonly cellCount: Int32Array;
  /** Port on which answers are posted for a waiting main thread. */
  readonly answers: AnswerLink;
  /** Printed text that the main thread has yet to send. */
  readonly text: SharedFrame;
  /** State shared by Python and the interrupt thread. */
  readonly python: Int32Array;
}

/** Symbols under which the array library finds the word that native waits poll, and the function that stops their callers. */
const FLAG_KEY = Symbol.for('stridelab.interrupt-flag');
const STOP_KEY = Symbol.for('stridelab.await-stop');
/** Functions that the library registers to run after a stop, last one first. */
const UNWIND_KEY = Symbol.for('stridelab.unwind');
/** Timeout for the interrupt thread, which needs some milliseconds, and more on a busy machine. */
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

  /** Called as a cell starts: interrupts of the previous cell do not apply to it. */
  cellBegins(): void {
    this.watch();
    leaveCriticalSections();
    unwind();
    Atomics.add(this.#cellCount, 0, 1);
    this.#python[InterruptWord.cell]! += 1;
    Atomics.store(this.#flag, 0, 0);
  }

  /** Whether the current cell is to be stopped. */
  get isAsked(): boolean {
    return this.#flag[0] !== 0;
  }

  /** Whether the process has started Python. */
  get pythonRuns(): boolean {
    return this.#python[InterruptWord.signal] !== 0;
  }

  /** Returns a function that ends Python calls of the current cell on other threads, as far as possible. */
  pythonCalls(): () => Promise<void> {
    const cell = this.#python[InterruptWord.cell]!;
    return async () => {
      if (!this.pythonRuns) return;
      const { native } = await import('../../../src/native/load.ts');
      native().pythonInterrupts.interruptAsyncCalls(cell);
    };
  }

  /**
   * Waits to be stopped after an interrupt has ended a native wait: an error would first run `catch` and `finally`, and
   * a timer would call its function again. Returns in critical sections, and if Python is to raise.
   */
  #awaitStop(): void {
    if (criticalDepth[0] !== 0 || this.#python[InterruptWord.place] === PythonPlace.calledOut) return;
    for (const end = performance.now() + STOP_MS; this.isAsked && performance.now() < end;);
  }

  /** Starts the thread. An unused kernel saves its memory; orders that arrive earlier wait in their pipe. */
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
      // Cells need not wait for its output, and their stdout is separate.
      stdout: false,
      stderr: false
    });
    // Each message is a turn of the event loop. The turn after a stop may itself be terminated, and is then repeated.
    worker.on('message', () => {
      Atomics.store(look, LookWord.turned, 1);
      if (stopped === undefined) return;
      const frames = stopped;
      Atomics.store(look, LookWord.reported, 1);
      stopped = undefined;
      // The termination takes effect at the next call, possibly the first one of a critical section.
      leaveCriticalSections();
      unwind();
      if (look[LookWord.cell] === this.#cellCount[0]) this.#interrupted(frames);
    });
  }
}

/** Runs the clean-up functions of stopped library functions. */
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
