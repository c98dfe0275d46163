/** Part of the interrupt thread: interrupts Python on the main thread; if Python cannot see that, JavaScript is stopped instead. */

import { InterruptWord, PythonPlace } from '../../../src/native/python-interrupts-binding.ts';

const LOOK_MS = 2;
/** Time after which the signal is repeated, since a system call that starts just after it misses it. The time doubles. */
const AGAIN_MS = 50;
/** Time that JavaScript called from Python has to return. */
const CALLED_OUT_MS = 200;
/** Time after which the signal counts as not received. */
const UNHEARD_MS = 1_000;
/** Python that has not seen its interrupt after this time is in a native call. */
const NATIVE_MS = 1_000;

export interface PythonInterruptHost {
  /** Python raises KeyboardInterrupt: nothing else is to be stopped. */
  taken(): void;
  /** The main thread is not in Python, or stays in JavaScript that Python called. */
  notTaken(): void;
  /** The main thread is in a call that cannot be interrupted. */
  inNativeCode(): void;
  /** Wakes JavaScript that waits for an answer to Python's input request. */
  wake(): void;
}

export class PythonInterrupt {
  readonly #words: Int32Array;
  readonly #host: PythonInterruptHost;
  #looking: NodeJS.Timeout | undefined;
  #cell = -1;
  #escaped = 0;
  /** Number of the cell whose JavaScript must be stopped instead. */
  #givenUp = -1;

  constructor(words: Int32Array, host: PythonInterruptHost) {
    this.#words = words;
    this.#host = host;
  }

  /** Returns whether Python would see an interrupt of this cell; JavaScript that caught an earlier one must be stopped itself. */
  concerns(cell: number): boolean {
    if (this.#read('signal') === 0 || this.#read('place') === PythonPlace.elsewhere) return false;
    if (this.#givenUp === cell) return false;
    return this.#cell !== cell || this.#escaped === this.#read('escaped');
  }

  get isUnderWay(): boolean {
    return this.#looking !== undefined;
  }

  /** Interrupts Python, and reports the result to the host once. */
  ask(cell: number): void {
    if (cell !== this.#cell) this.#escaped = this.#read('escaped');
    this.#cell = cell;
    const heard = this.#read('heard');
    const taken = this.#read('taken');
    const begun = performance.now();
    let noticed = false;
    let again = AGAIN_MS;
    this.#want(cell);
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

  /** Repeats the signal while the main thread is in Python, which must return before JavaScript can be stopped. */
  nudge(cell: number): void {
    if (this.#read('place') === PythonPlace.inPython && this.#read('pending') === 0) this.#want(cell);
  }

  #want(cell: number): void {
    Atomics.store(this.#words, InterruptWord.wanted, cell + 1);
    this.#send();
  }

  /** Signals the process, not a thread: the handler forwards the signal to the right thread. */
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
