/** Bindings of the addon with which another thread interrupts the Python of this process; see `python-binding.ts`. */

/** The symbol under which a kernel publishes the words that its interrupt thread and Python share. */
export const PYTHON_INTERRUPT_WORDS = Symbol.for('stridelab.python-interrupt-words');

/** Indices of the words: 32 bits each, in shared memory. */
export const InterruptWord = {
  /** The state of the thread that started Python: a `PythonPlace`. */
  place: 0,
  /** The number of the signal that interrupts it; 0 while no handler is installed and the signal would end the process. */
  signal: 1,
  /** The number of signals that arrived. */
  heard: 2,
  /** The number of interrupts that found Python on the stack: each becomes a KeyboardInterrupt there. */
  taken: 3,
  /** 1 while an interrupt was taken and Python has not handled it yet. */
  pending: 4,
  /** The number of KeyboardInterrupts that Python did not catch and that reached JavaScript. */
  escaped: 5,
  /** The number of the cell to interrupt, plus 1; 0 for none. A signal in another cell only makes system calls return. */
  wanted: 6,
  /** The number of the running cell. Calls on other threads belong to the cell that started them. */
  cell: 7
} as const;
export const INTERRUPT_WORDS = 8;

/** Values of the word `place`. `calledOut`: in JavaScript that Python called. */
export const PythonPlace = { elsewhere: 0, inPython: 1, calledOut: 2 } as const;

export interface NativePythonInterrupts {
  /** Keeps the words in this shared memory, for the entire process. */
  share(words: Int32Array): void;
  /** Raises KeyboardInterrupt in the calls on other threads that this cell started, if they run Python code. */
  interruptAsyncCalls(cell: number): void;
}
