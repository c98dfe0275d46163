/** The main thread's side of interrupts. */

import { Worker } from 'node:worker_threads';
import {
  INTERRUPT_WORDS,
  InterruptWord,
  PYTHON_INTERRUPT_WORDS
} from '../../src/native/python-interrupts-binding.ts';
import type { AnswerLink } from './answer-link.ts';
import { criticalDepth, leaveCriticalSections } from './critical-section.ts';
import { sharedText } from './front-link.ts';
import { answerLink } from './input.ts';
import type { StackFrame } from './stack-frames.ts';
import type { SharedFrame } from './stream-frame.ts';

export interface InterruptWorkerData {
  readonly criticalDepth: Int32Array;
  readonly interruptFlag: Int32Array;
  /** Set by the main thread when its event loop turned after a `wake`. */
  readonly awake: Int32Array;
  /** Counts the cells that began, as the front counts them: an interrupt is meant for one of them and never stops the next. */
  readonly cellCount: Int32Array;
  /** Where answers are laid for a main thread that waits for one. */
  readonly answers: AnswerLink;
  /** What cells printed and the main thread has yet to send. */
  readonly text: SharedFrame;
  /** What Python and the thread that interrupts it tell each other. */
  readonly python: Int32Array;
}

/** `wake` asks for a turn of the event loop, which the main thread confirms. */
export type InterruptReport =
  | { readonly kind: 'wake' }
  | { readonly kind: 'interrupted'; readonly cell: number; readonly frames: readonly StackFrame[] };

/** Where the array library finds the word that native waits poll. */
const FLAG_KEY = Symbol.for('stridelab.interrupt-flag');

export class Interrupts {
  readonly #flag = new Int32Array(new SharedArrayBuffer(4));
  readonly #cellCount = new Int32Array(new SharedArrayBuffer(4));
  readonly #python = new Int32Array(new SharedArrayBuffer(4 * INTERRUPT_WORDS));
  readonly #interrupted: (frames: readonly StackFrame[]) => void;
  #watched = false;

  constructor(interrupted: (frames: readonly StackFrame[]) => void) {
    const shared = globalThis as Record<symbol, unknown>;
    shared[FLAG_KEY] = this.#flag;
    shared[PYTHON_INTERRUPT_WORDS] = this.#python;
    this.#interrupted = interrupted;
  }

  /** Called as a cell begins, which an interrupt of the one before does not concern. */
  cellBegins(): void {
    this.watch();
    Atomics.add(this.#cellCount, 0, 1);
    this.#python[InterruptWord.cell]! += 1;
    Atomics.store(this.#flag, 0, 0);
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
      const { native } = await import('../../src/native/load.ts');
      native().pythonInterrupts.interruptAsyncCalls(cell);
    };
  }

  /** Starts the thread. A kernel that nobody uses does without its memory; orders that come before wait in their pipe. */
  watch(): void {
    if (this.#watched) return;
    this.#watched = true;
    const awake = new Int32Array(new SharedArrayBuffer(4));
    const workerData: InterruptWorkerData = {
      criticalDepth,
      interruptFlag: this.#flag,
      awake,
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
    worker.on('message', (report: InterruptReport) => {
      if (report.kind === 'wake') {
        Atomics.store(awake, 0, 1);
        return;
      }
      // The termination takes effect at the next call, which may have been the first one of a critical section.
      leaveCriticalSections();
      if (report.cell === this.#cellCount[0]) this.#interrupted(report.frames);
    });
  }
}
