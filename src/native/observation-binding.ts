/** Bindings of the addon for traces, hazard detection and the recording driver; see `binding.ts`. */

import type { Access, NativeDevice, NativeStorage } from './binding.ts';

/** The log of the recording driver, and injected failures. Shared by the process. */
export interface NativeRecording {
  /**
   * Returns the driver calls since the last `clear`, oldest first: `cuEventRecord(event 0x5100000020, stream 0x5100000010)`. Streams, events and
   * graphs appear as handles; numbers from 2 ** 26 on, addresses among them, are hexadecimal; the legacy stream is `stream 1`. A failed call ends
   * in ` = CUDA_ERROR_...`. Calls about contexts, names and pointer attributes are left out.
   */
  log(): string[];
  clear(): void;
  /** Makes the next `times` calls of that name return the CUresult `status`; -1 means always, and `*` matches every call. */
  fail(call: string, status: number, times: number): void;
  /** Clears the injected failures and the log. */
  reset(): void;
  /** Creates a stream outside the core, as another library would. */
  makeStream(): bigint;
  destroyStream(handle: bigint): void;
  /** Makes the context of a simulated or recording device current on this thread, as another library would; `popContext` returns its ordinal, -1 for none. */
  pushContext(device: NativeDevice): void;
  popContext(): number;
  /** Forks, uses the device in the child and returns the message of its error; empty if there was none. */
  useAfterFork(): string;
}

/** The columns of a trace: src/recording/trace/records.ts reads them. */
export interface NativeTraceRecords {
  /** `FIELDS` numbers per record, oldest record first. */
  readonly numbers: Float64Array;
  readonly names: readonly string[];
  /** Three words for each block that a record names: first byte, length, 1 if written. */
  readonly operands: BigUint64Array;
  /** The number of older records dropped from the ring. */
  readonly dropped: number;
  /** Changes with each start and clear. */
  readonly epoch: number;
  /** The number of records made, dropped ones included. */
  readonly added: number;
}

/** Traces what ran where. Shared by the process; times are microseconds since `start`. */
export interface NativeTrace {
  /**
   * Drops the recording and starts again, for `devices` or for all. The clocks of named devices are read now, others at their
   * first operation: the host waits for an event on an idle stream. Throws kind `driver` if that fails.
   */
  start(capacity: number, devices: readonly NativeDevice[] | null): void;
  stop(): void;
  clear(): void;
  enabled(): boolean;
  now(): number;
  /**
   * Sets the function that, while a trace is on, returns the place in the program where this thread submits
   * work: a number from 0 to 2 ** 32 - 1. Returns the number by which records name this environment.
   */
  setContext(context: () => number): number;
  /** Records a range of host time from `begin` until now. */
  noteRange(name: string, begin: number): void;
  /** Reads all records without waiting: times of unfinished work are NaN. */
  read(): NativeTraceRecords;
  /**
   * Reads the changes since the last read of that epoch, which ended before number `next`: the records in `open` (unfinished then)
   * that are now complete, then at most `limit` records from `next` on. Starts from the first record if the epoch has changed.
   * Does not query the device while hazard detection is on.
   */
  readSince(epoch: number, next: number, open: Float64Array, limit: number): NativeTraceRecords;
}

/** Records which stream was made to wait for which, while there is a reader. Shared by the process. */
export interface NativeWaits {
  /** Starts recording waits; pair each `start` with a `stop`. */
  start(): void;
  stop(): void;
  /** The current time in microseconds, on the clock of the entries. */
  now(): number;
  /** Returns the waits after the given number, oldest first, four numbers each: src/recording/exchanges/waits.ts reads them. */
  read(after: number): Float64Array;
}

export interface NativeHazardAccess {
  readonly access: Access;
  readonly streamHandle: bigint;
  /** As `NativeStream.id`; 0 for a stream without an object in the library. */
  readonly streamId: number;
  /** The number of the operation on the stream; 0 for driver calls without one. */
  readonly sequence: number;
  /** The name of the driver function or kernel. */
  readonly operation: string;
  /** Whether it was submitted inside a capture. */
  readonly captured: boolean;
  /** The result of `stack` (see `listen`) at the submission; empty if no JavaScript was running. */
  readonly stack: string;
}

/** Two accesses to the same bytes that nothing orders, at least one of them a write. */
export interface NativeHazardReport {
  readonly pointer: bigint;
  readonly bytes: number;
  readonly first: NativeHazardAccess;
  readonly second: NativeHazardAccess;
}

/** Hazard detection. It is on only if STRIDELAB_HAZARDS was set when the driver was opened. */
export interface NativeHazards {
  /** Sets the functions: `stack` is called at each submission; errors from `deliver` are thrown by the native call, which has completed. */
  listen(stack: () => string, deliver: (reports: NativeHazardReport[]) => void): void;
  /** Returns and removes the reports that were not delivered yet. */
  take(): NativeHazardReport[];
  /** Drops these reports and the list of reported pairs: each pair of places in the program is reported once. */
  clear(): void;
}

/** A request for an array through DLPack, or a read by Python, and the state of the resulting tensor or buffer. */
export interface NativeExport {
  /** A number in the process, from 1. */
  readonly number: number;
  /** The id from `follow` or `idOf`. */
  readonly storage: number;
  /**
   * The request: `__dlpack__` of JavaScript or of Python, or an exchange table, for an owned or a borrowed
   * tensor; or Python's read through an array interface or the buffer protocol.
   */
  readonly way:
    | 'javascript'
    | 'python'
    | 'python-table'
    | 'python-borrow'
    | 'native-table'
    | 'native-borrow'
    | 'python-cuda-interface'
    | 'python-array-interface'
    | 'python-buffer';
  /** The device that holds the array. */
  readonly device: readonly [type: number, id: number];
  /** The Python module that called; empty if unknown. */
  readonly asker: string;
  /** Dtype and shape, such as `float32 (3, 4)`; empty if unknown. */
  readonly array: string;
  /** The arguments of Python's `__dlpack__` that are not None. */
  readonly request: {
    readonly stream?: bigint;
    readonly maxVersion?: readonly [major: number, minor: number];
    readonly dlDevice?: readonly [type: number, id: number];
    readonly copy?: boolean;
  };
  /** Milliseconds since 1970. */
  readonly madeAt: number;
  /** The start, on the clock of NativeWaits, and the numbers of the last waits before the request and after the result. */
  readonly began: number;
  readonly waitsBefore: number;
  readonly waitsAfter: number;
  readonly versioned: boolean;
  /** Whether the tensor is over a copy of the array. */
  readonly copied: boolean;
  /** For an array interface: its version, and its `stream`, 0 for None. */
  readonly version: number;
  readonly stream: bigint;
  /** For a buffer: the PyBUF_ flags of the request, and whether it is read-only. */
  readonly flags: number;
  readonly readOnly: boolean;
  /** Why the request failed; empty if it succeeded. */
  readonly refusal: string;
  /** Whether a consumer took the tensor. */
  readonly taken: boolean;
  /** When the deleter ran or the buffer was released: its number in the sequence of `number`, and its time on the clock of `began`; 0 before that. */
  readonly endNumber: number;
  readonly ended: number;
}

/** Logs DLPack exports and reads by Python, while there is a reader. Shared by the process; keeps the latest 32 of each storage. */
export interface NativeExports {
  /** Starts logging the DLPack exports of a storage, until `unfollow` of the id that it returns. Keeps no memory alive. */
  follow(storage: NativeStorage): number;
  unfollow(id: number): void;
  /** Starts logging all exports and reads; pair each `start` with a `stop`. */
  start(): void;
  stop(): void;
  /** Returns the id of a storage between `start` and `stop`. */
  idOf(storage: NativeStorage): number;
  /** Returns the number of the latest entry that was added or ended. */
  last(): number;
  /** Returns the entries of one storage, or of all for id 0, that were added or ended after that number, oldest first. */
  read(id: number, after: number): NativeExport[];
  /** Counts the tensors over a storage whose deleters have not run, including those from before `follow`. */
  countOut(id: number): number;
}
