/** The parts of the addon that tell what ran: trace, hazards, and the recording driver; beside `binding.ts`. */

import type { Access, NativeDevice, NativeStorage } from './binding.ts';

/** What the recording driver noted, and how it can be made to fail. Shared by the process. */
export interface NativeRecording {
  /**
   * Driver calls since the last `clear`, oldest first: `cuEventRecord(event 0x5100000020, stream 0x5100000010)`. Streams, events
   * and graphs stand as handles, other numbers from 2 ** 26 on, so that addresses are, in hexadecimal, the legacy stream is `stream 1`. A refused
   * call ends in ` = CUDA_ERROR_...`. Calls about contexts, names and pointer attributes are left out.
   */
  log(): string[];
  clear(): void;
  /** The next `times` calls of that name answer the CUresult `status`; -1 is for ever, and `*` names every call. */
  fail(call: string, status: number, times: number): void;
  /** Forgets what `fail` was told, and the log. */
  reset(): void;
  /** A stream that the core knows nothing of, as another library would have made it, and its end. */
  makeStream(): bigint;
  destroyStream(handle: bigint): void;
  /** Leaves the context of a simulated or recording device current on this thread, as another library would, and takes it away: which ordinal it was, -1 for none. */
  pushContext(device: NativeDevice): void;
  popContext(): number;
  /** Forks, uses the device in the child and gives the message of the error it met there, empty where there was none. */
  useAfterFork(): string;
}

/** The columns of a trace: src/recording/trace/records.ts reads them. */
export interface NativeTraceRecords {
  /** `FIELDS` numbers a record, oldest record first. */
  readonly numbers: Float64Array;
  readonly names: readonly string[];
  /** Three words for each block that a record names: first byte, length, whether it is written. */
  readonly operands: BigUint64Array;
  /** Older records that the ring had no room for. */
  readonly dropped: number;
  /** Another number after each start and clear. */
  readonly epoch: number;
  /** How many were recorded, dropped ones included. */
  readonly added: number;
}

/** What ran where. Shared by the process; times are microseconds since `start`. */
export interface NativeTrace {
  /**
   * Drops what was recorded and starts anew, of `devices` or of all. Named devices have their clocks read now, others at their
   * first operation: the host waits for an event on an idle stream. Kind `driver` where that fails.
   */
  start(capacity: number, devices: readonly NativeDevice[] | null): void;
  stop(): void;
  clear(): void;
  enabled(): boolean;
  now(): number;
  /**
   * The function that is asked, while a trace is on, where in the program this thread submits what it submits: a number from
   * 0 to 2 ** 32 - 1. Gives the number by which records name this environment.
   */
  setContext(context: () => number): number;
  /** Records a range of host time from `begin` until now. */
  noteRange(name: string, begin: number): void;
  /** Never waits: times of work that is not done are NaN. */
  read(): NativeTraceRecords;
  /**
   * What a reader does not know yet who read, in that epoch, all before number `next`, of which the work of those in `open` was not
   * done: those of them that are done by now, then at most `limit` from `next` on. From the first record on where the epoch has passed.
   * Does not look at the device while hazards are looked for.
   */
  readSince(epoch: number, next: number, open: Float64Array, limit: number): NativeTraceRecords;
}

/** Who was made to wait for whom, while somebody reads it. Shared by the process. */
export interface NativeWaits {
  /** From now on waits are kept; `stop` as often as `start`. */
  start(): void;
  stop(): void;
  /** Microseconds, on the clock of the entries. */
  now(): number;
  /** The waits after the one of that number, oldest first, four numbers each: src/recording/exchanges/waits.ts reads them. */
  read(after: number): Float64Array;
}

/** One of the two accesses of a hazard. */
export interface NativeHazardAccess {
  readonly access: Access;
  readonly streamHandle: bigint;
  /** As `NativeStream.id`; 0 for a stream that the library has no object of. */
  readonly streamId: number;
  /** Number of the operation on the stream; 0 for driver calls that have none. */
  readonly sequence: number;
  /** Driver function or kernel. */
  readonly operation: string;
  /** Submitted inside a capture. */
  readonly captured: boolean;
  /** What `listen`'s first function told at the submission; empty where no JavaScript was running. */
  readonly stack: string;
}

/** Two accesses to the same bytes that nothing orders, at least one of them a write. */
export interface NativeHazardReport {
  readonly pointer: bigint;
  readonly bytes: number;
  readonly first: NativeHazardAccess;
  readonly second: NativeHazardAccess;
}

/** Hazard detection, where STRIDELAB_HAZARDS turned it on as a driver was opened; else there is never anything to take. */
export interface NativeHazards {
  /**
   * `stack` is called at each submission; what `deliver` throws is thrown by the native call, already made, that completed the pair.
   */
  listen(stack: () => string, deliver: (reports: NativeHazardReport[]) => void): void;
  /** Reports of the process that were not delivered yet. */
  take(): NativeHazardReport[];
  /** Forgets these, and which pairs were reported: each pair of places in the program is reported once. */
  clear(): void;
}

/** What was asked of an array through DLPack or read of it by Python, and what became of the tensor or buffer that came of it. */
export interface NativeExport {
  /** Counted from 1 in the process. */
  readonly number: number;
  /** As `follow` and `idOf` name the memory. */
  readonly storage: number;
  /**
   * `__dlpack__` of JavaScript or of Python, or an exchange table, for a tensor to own or to borrow; Python's reads by an array interface
   * or the buffer protocol.
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
  /** Where the array is. */
  readonly device: readonly [type: number, id: number];
  /** The Python module that called; empty where none is known. */
  readonly asker: string;
  /** Dtype and shape, `float32 (3, 4)`; empty where they are not known. */
  readonly array: string;
  /** The arguments of Python's `__dlpack__`, those that are not None. */
  readonly request: {
    readonly stream?: bigint;
    readonly maxVersion?: readonly [major: number, minor: number];
    readonly dlDevice?: readonly [type: number, id: number];
    readonly copy?: boolean;
  };
  /** Milliseconds since 1970. */
  readonly madeAt: number;
  /** As times of NativeWaits, and the numbers of the last waits before the question and after the answer. */
  readonly began: number;
  readonly waitsBefore: number;
  readonly waitsAfter: number;
  readonly versioned: boolean;
  /** Over a copy, which holds other memory. */
  readonly copied: boolean;
  /** Of an array interface: its version, and its `stream`, 0 for None. */
  readonly version: number;
  readonly stream: bigint;
  /** Of a buffer: PyBUF_ flags of the request, and whether it must not be written. */
  readonly flags: number;
  readonly readOnly: boolean;
  /** Why there is no answer; empty where there is one. */
  readonly refusal: string;
  /** Whether a consumer took the tensor. */
  readonly taken: boolean;
  /** When its deleter ran or the buffer was released: counted with `number`, and a time like `began`; 0 before that. */
  readonly endNumber: number;
  readonly ended: number;
}

/** Exports by DLPack and reads by Python, while somebody looks. Shared by the process; the latest 32 of each are kept of a storage. */
export interface NativeExports {
  /** From now on exports by DLPack of the storage are kept, until `unfollow` of the id that it gives. Holds no memory. */
  follow(storage: NativeStorage): number;
  unfollow(id: number): void;
  /** From now on all exports and reads are kept; `stop` as often as `start`. */
  start(): void;
  stop(): void;
  /** The id of a storage between `start` and `stop`. */
  idOf(storage: NativeStorage): number;
  /** The number of the latest that was kept, or that ended. */
  last(): number;
  /** Of one storage, or of all for id 0: what came or ended after that number, oldest first. */
  read(id: number, after: number): NativeExport[];
  /** Tensors over a storage whose deleters have not run, from before `follow` too. */
  countOut(id: number): number;
}
