/** The main thread's side of interrupts. */

// The global is loaded on first use, and an interrupt during that would leave it half loaded.
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import {
  INTERRUPT_WORDS,
  InterruptWord,
  PYTHON_INTERRUPT_WORDS,
  PythonPlace
} from '../../../src/native/python-interrupts-binding.ts';
import { compiledFolder } from '../../protocol/own-files.ts';
import type { AnswerLink } from '../front/answer-link.ts';
import { criticalDepth, leaveCriticalSections } from '../context/critical-section.ts';
import { interruptsAddon } from './addon.ts';
import { LOOK_WORDS, LookOutcome, LookWord } from './look-words.ts';
import { makeLook } from './look.ts';
import { runFresh } from './fresh-task.ts';
import { RunningCell } from './running-cell.ts';
import { sharedText } from '../front/front-link.ts';
import { answerLink } from '../front/input.ts';
import type { StackFrame } from '../context/stack-frames.ts';
import type { SharedFrame } from '../front/stream-frame.ts';

export interface InterruptWorkerData {
  /** The word of a `RunningCell`. */
  readonly cellWord: Int32Array<SharedArrayBuffer>;
  /** State of an interrupt, shared by the two threads; indexed by `LookWord`. */
  readonly look: Int32Array;
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
  readonly #running = new RunningCell();
  readonly #look = new Int32Array(new SharedArrayBuffer(4 * LOOK_WORDS));
  readonly #python = new Int32Array(new SharedArrayBuffer(4 * INTERRUPT_WORDS));
  readonly #interrupted: (frames: readonly StackFrame[]) => void;
  #watched = false;

  constructor(interrupted: (frames: readonly StackFrame[]) => void) {
    const shared = globalThis as Record<symbol, unknown>;
    shared[FLAG_KEY] = this.#running.word;
    shared[STOP_KEY] = () => this.#awaitStop();
    shared[PYTHON_INTERRUPT_WORDS] = this.#python;
    this.#interrupted = interrupted;
  }

  /** Begins a cell: interrupts of the previous cell do not apply to it. */
  cellBegins(): void {
    this.watch();
    leaveCriticalSections();
    unwind();
    this.#running.begin();
    Atomics.store(this.#python, InterruptWord.cell, this.#running.number);
  }

  /** Whether the current cell is to be stopped. */
  get isAsked(): boolean {
    return this.#running.isAsked;
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

  /** Ends the running code if its cell was asked to stop: native calls that follow each other give V8 no chance to. */
  stopIfAsked(): void {
    if (this.isAsked) this.#awaitStop();
  }

  /** Resolves once the interrupt of the running cell has ended it, or was withdrawn because Python raised it. */
  async settled(): Promise<void> {
    const end = performance.now() + STOP_MS;
    while (this.isAsked && Atomics.load(this.#look, LookWord.reported) === 0 && performance.now() < end)
      await new Promise<void>(resolve => runFresh(resolve));
  }

  /**
   * Waits to be terminated after an interrupt has ended a native wait: throwing would run `catch` and `finally`. Returns if Python raises
   * the exception. Also returns once the interrupt is over, because nothing terminates a timer of another cell.
   */
  #awaitStop(): void {
    if (criticalDepth[0] !== 0 || this.#python[InterruptWord.place] === PythonPlace.calledOut) return;
    const end = performance.now() + STOP_MS;
    while (this.isAsked && Atomics.load(this.#look, LookWord.outcome) !== LookOutcome.over)
      if (performance.now() > end) return;
  }

  /** Starts the thread, whose memory an unused kernel saves. Orders that arrive earlier wait in their pipe. */
  watch(): void {
    if (this.#watched) return;
    this.#watched = true;
    const look = this.#look;
    let stopped: readonly StackFrame[] | undefined;
    interruptsAddon().follow(makeLook(look, this.#running, frames => (stopped ??= frames)));
    const workerData: InterruptWorkerData = {
      cellWord: this.#running.word,
      look,
      answers: answerLink.threadEnd,
      text: sharedText,
      python: this.#python
    };
    const worker = new Worker(
      join(compiledFolder, 'kernel', 'executor', 'interrupt', 'interrupt-worker.js'),
      {
        workerData,
        transferList: [answerLink.threadEnd.port],
        // Cells need not wait for its output, and their stdout is separate.
        stdout: false,
        stderr: false
      }
    );
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
      if (look[LookWord.cell] === this.#running.number) this.#interrupted(frames);
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
