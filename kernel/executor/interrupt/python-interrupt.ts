/**
 * Part of the interrupt thread: interrupts Python that the main thread is in, whose own code may then catch it. Where the main
 * thread is elsewhere, or cannot get to see it, the cell's JavaScript is stopped instead.
 */

import { InterruptWord, PythonPlace } from '../../../src/native/python-interrupts-binding.ts';

const LOOK_MS = 2;
/** A system call that began just after the signal did not see it: another signal makes it return. The time doubles. */
const AGAIN_MS = 50;
/** Time that JavaScript which Python called has to return to it. */
const CALLED_OUT_MS = 200;
/** A signal that the thread does not even hear. */
const UNHEARD_MS = 1_000;
/** Python that did not see its interrupt after so long is in a call of native code. */
const NATIVE_MS = 1_000;

export interface PythonInterruptHost {
  /** Python raises KeyboardInterrupt: nothing else is to be stopped. */
  taken(): void;
  /** The main thread is not in Python, or stays in JavaScript that Python called. */
  notTaken(): void;
  /** The main thread is in a call that cannot be interrupted. */
  inNativeCode(): void;
  /** Wakes JavaScript that waits for an answer to Python's question. */
  wake(): void;
}

export class PythonInterrupt {
  readonly #words: Int32Array;
  readonly #host: PythonInterruptHost;
  #looking: NodeJS.Timeout | undefined;
  #cell = -1;
  #escaped = 0;
  /** The cell whose JavaScript has to be stopped. */
  #givenUp = -1;

  constructor(words: Int32Array, host: PythonInterruptHost) {
    this.#words = words;
    this.#host = host;
  }

  /**
   * Whether the main thread is where Python would get to see an interrupt of this cell. JavaScript that caught an earlier one of
   * the same cell and went on is itself to be stopped.
   */
  concerns(cell: number): boolean {
    if (this.#read('signal') === 0 || this.#read('place') === PythonPlace.elsewhere) return false;
    if (this.#givenUp === cell) return false;
    return this.#cell !== cell || this.#escaped === this.#read('escaped');
  }

  get isUnderWay(): boolean {
    return this.#looking !== undefined;
  }

  /** Tells the host once what became of it. */
  ask(cell: number): void {
    if (cell !== this.#cell) this.#escaped = this.#read('escaped');
    this.#cell = cell;
    const heard = this.#read('heard');
    const taken = this.#read('taken');
    const begun = performance.now();
    let noticed = false;
    let again = AGAIN_MS;
    this.#want();
    this.#looking = setInterval(() => {
      const time = performance.now() - begun;
      const inJavaScript = this.#read('place') === PythonPlace.calledOut;
      if (this.#read('heard') === heard) {
        if (time > UNHEARD_MS) this.#end(() => this.#host.notTaken());
      } else if (this.#read('taken') === taken) {
        this.#end(() => this.#host.notTaken());
      } else if (this.#read('pending') === 0) {
        this.#end(() => this.#host.taken());
      } else if (inJavaScript) {
        this.#host.wake();
        if (time > CALLED_OUT_MS) {
          this.#givenUp = cell;
          this.#end(() => this.#host.notTaken());
        }
      } else {
        if (time > again) {
          again *= 2;
          this.#send();
        }
        if (time > NATIVE_MS && !noticed) {
          noticed = true;
          this.#host.inNativeCode();
        }
      }
    }, LOOK_MS);
  }

  /** A main thread that is being stopped may be in Python meanwhile, which has to return first. */
  nudge(): void {
    if (this.#read('place') === PythonPlace.inPython && this.#read('pending') === 0) this.#want();
  }

  #want(): void {
    Atomics.store(this.#words, InterruptWord.wanted, 1);
    this.#send();
  }

  /** By process and not by thread: the handler passes it on to the thread that is meant. */
  #send(): void {
    process.kill(process.pid, this.#read('signal'));
  }

  #end(tell: () => void): void {
    clearInterval(this.#looking);
    this.#looking = undefined;
    tell();
  }

  #read(word: keyof typeof InterruptWord): number {
    return Atomics.load(this.#words, InterruptWord[word]);
  }
}
