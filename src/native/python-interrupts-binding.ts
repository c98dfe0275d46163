/** The part of the addon that lets another thread interrupt the Python of this process; beside `python-binding.ts`. */

/** Where a kernel publishes the words by which its interrupting thread and Python know of each other. */
export const PYTHON_INTERRUPT_WORDS = Symbol.for('stridelab.python-interrupt-words');

/** Places in the words, 32 bits each, shared memory. */
export const InterruptWord = {
  /** Where the thread that started Python is: a `PythonPlace`. */
  place: 0,
  /** The number of the signal that interrupts it; 0 while there is none, when sending it would end the process. */
  signal: 1,
  /** Signals that arrived. */
  heard: 2,
  /** Interrupts that found Python on the stack: each becomes KeyboardInterrupt there. */
  taken: 3,
  /** 1 while one was taken and Python has yet to see it. */
  pending: 4,
  /** KeyboardInterrupts that no Python code caught and that went on into JavaScript. */
  escaped: 5,
  /** 1 while the next signal is to be taken; another one only makes system calls return. */
  wanted: 6,
  /** The cell that runs, by any number of its own: calls on other threads belong to the one that began them. */
  cell: 7
} as const;
export const INTERRUPT_WORDS = 8;

/** `calledOut`: in JavaScript that Python called. */
export const PythonPlace = { elsewhere: 0, inPython: 1, calledOut: 2 } as const;

export interface NativePythonInterrupts {
  /** Keeps the words in this shared memory from now on, for all of the process. */
  share(words: Int32Array): void;
  /** Raises KeyboardInterrupt in the calls on other threads that this cell began, where they run Python code. */
  interruptAsyncCalls(cell: number): void;
}
