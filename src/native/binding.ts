/**
 * The face of the native addon (`native/`), as TypeScript sees it. Addresses and handles are bigint, sizes are numbers
 * of bytes. Native code sees pointers, streams and ownership only: shapes, dtypes and descriptors stay in TypeScript.
 */

import type { NativeChannels, NativeSharing } from './sharing-binding.ts';

/** `recording` is a simulated device that notes every driver call, for tests. */
export type DriverKind = 'cuda' | 'simulated' | 'recording';
export type MemoryKind = 'device' | 'pinned' | 'managed';
export type Access = 'read' | 'write';

/** What a failed driver call tells: the factory given to `setErrorFactory` turns it into the error that is thrown. */
export interface NativeErrorInfo {
  /**
   * `driver`: the driver returned a status. `lost`: one after which every later call fails, or a process that was forked. `unavailable`: a library could not be opened. `freed`: the object was released.
   * `bounds`: a byte range leaves its storage. `argument`: a value is of the wrong kind. `interrupted`: a wait was interrupted. `buffer`: memory that cannot be exchanged.
   * `collective`: NCCL returned a result.
   */
  readonly kind: 'driver' | 'lost' | 'unavailable' | 'freed' | 'bounds' | 'argument' | 'interrupted' | 'buffer' | 'collective';
  readonly message: string;
  /** Name of the driver function, for `driver` and `lost`; of NCCL's for `collective`. */
  readonly call?: string;
  /** CUresult number and name, for `driver` and `lost`; ncclResult_t for `collective`. */
  readonly status?: number;
  readonly statusName?: string;
  /** File names that were tried, for `unavailable`. */
  readonly tried?: readonly string[];
}

export interface PointerAttributes {
  /** CU_POINTER_ATTRIBUTE_MEMORY_TYPE in words. */
  readonly memoryType: 'host' | 'device' | 'array' | 'unified';
  readonly managed: boolean;
  readonly deviceOrdinal: number;
  /** Owning context as an address, 0n where the driver has none. */
  readonly context: bigint;
  /** Address under which the host may read it, null where it may not. */
  readonly hostPointer: bigint | null;
  readonly devicePointer: bigint | null;
  /** First byte and length of the allocation that holds the pointer. */
  readonly rangeStart: bigint;
  readonly rangeBytes: number;
  readonly bufferId: bigint;
  readonly legacyIpcCapable: boolean;
}

/** One entry of a storage's short list of streams that used it. */
export interface NativeUse {
  readonly stream: NativeStream;
  readonly access: Access;
  /** Number of the operation on that stream, counted from 1. */
  readonly sequence: number;
  /** True once the stream is known to have passed that operation. */
  readonly complete: boolean;
}

export interface NativeDevice {
  readonly kind: DriverKind;
  readonly ordinal: number;
  readonly name: string;
  /** 32 hexadecimal digits grouped as the driver prints them, with the prefix `GPU-` or `SIM-`. */
  readonly uuid: string;
  readonly computeCapability: readonly [number, number];
  readonly totalMemory: number;
  readonly pciBusId: string;
  /** Driver version as CUDA counts it (13000 is 13.0); the simulated driver reports its own. */
  readonly driverVersion: number;
  /** Whether work of this device could read and write the memory of `peer` directly. False for itself and for devices of other drivers. */
  canAccessPeer(peer: NativeDevice): boolean;
  /** Least and greatest stream priority; greater ones are lower numbers. */
  streamPriorities(): { readonly least: number; readonly greatest: number };
  memoryInfo(): { readonly free: number; readonly total: number };
  /** Host waits until everything submitted to the device is done. */
  synchronize(): void;
  /** The legacy default stream, handle 1n. The same object on every call. */
  legacyStream(): NativeStream;
  /** The per-thread default stream, handle 2n. The same object on every call. */
  perThreadStream(): NativeStream;
  /** Null for an address the driver does not know. */
  pointerAttributes(pointer: bigint): PointerAttributes | null;
}

export interface NativeStream {
  readonly device: NativeDevice;
  /** 1n legacy default, 2n per-thread default, otherwise the CUstream as an address. Readable after destroy, for people. */
  readonly handle: bigint;
  /** Small number, unique in the process, for people to read. */
  readonly id: number;
  /** Number of the last operation submitted through this object; 0 before the first. */
  readonly sequence: number;
  /** Number of the last operation known to be complete. */
  readonly completed: number;
  readonly priority: number;
  /** False for streams wrapped by handle, which are never destroyed by us. */
  readonly owned: boolean;
  readonly destroyed: boolean;
  /** True when idle; also brings `completed` up to date. Never blocks. */
  query(): boolean;
  /** Blocks the calling thread; polls the interrupt flag. */
  synchronize(): void;
  /** The same on a worker thread of libuv. */
  synchronizeAsync(): Promise<void>;
  /** The event must be of the same device. */
  record(event: NativeEvent): void;
  /**
   * Later work of this stream waits for the event, on the device. An event recorded on a capturing stream takes this one into
   * the capture; a capturing stream refuses events from outside with kind `argument`.
   */
  wait(event: NativeEvent): void;
  /** Waits for all that was submitted to another stream so far: an event of its own and `wait`, in one call. */
  waitForStream(other: NativeStream): void;
  readonly capturing: boolean;
  /**
   * Work submitted from here on is kept instead of done. Blocks it uses note nothing: neither uses nor joins reach outside the
   * capture (rule 84). Host waits and reads on a capturing stream are kind `argument`.
   */
  beginCapture(): void;
  /** What was kept. Where the capture was broken it is over too, and the driver's status is thrown. */
  endCapture(): NativeGraph;
  /**
   * Idempotent. Work already submitted still runs, and storages it uses are still ordered after it. A later use of the stream
   * throws kind `freed`. Does nothing to the two default streams.
   */
  destroy(): void;
}

/** Captured work, ready to be launched. It keeps the blocks that the work uses. */
export interface NativeGraph {
  readonly device: NativeDevice;
  /** Submits the work as one operation of `stream`, ordered after other uses of its blocks and noted as a use of them. */
  launch(stream: NativeStream): void;
  destroy(): void;
}

/** Matrix products by cuBLASLt. `open` comes first. */
export interface NativeCublas {
  /** Opens the first of the files that is a cuBLASLt, once. Throws kind `unavailable`. */
  open(files: readonly string[]): { readonly path: string; readonly version: number };
  /**
   * Specification: type, compute type and scale type by cuBLAS's numbers, number of matrices; for each of a, b and d, column-major:
   * rows, columns, elements from column to column, from matrix to matrix, 1 where transposed; then the byte offset of each.
   * False where the library has no way for it; nothing is submitted then.
   */
  matmul(
    stream: NativeStream,
    specification: Float64Array,
    a: NativeStorage,
    b: NativeStorage,
    d: NativeStorage,
    workspace: NativeStorage
  ): boolean;
}

/** PTX, a cubin or a fat binary, loaded on one device. Stays loaded until `unload`, whatever the collector takes. */
export interface NativeModule {
  readonly device: NativeDevice;
  /**
   * A kernel by its lowered name. `sizes` are the bytes of its parameters, for drivers before 12.4, which do not tell them.
   * Throws kind `argument` where there is none.
   */
  kernel(name: string, sizes?: readonly number[]): NativeKernel;
  /** A `__device__` or `__constant__` variable. */
  global(name: string): { readonly pointer: bigint; readonly bytes: number };
  /** Waits for the device first. Idempotent; the kernels then throw kind `freed`. */
  unload(): void;
}

export interface NativeKernel {
  /** Where a launch is written before `launch`: grid x, y, z, block x, y, z, bytes of dynamic shared memory, 1 for cooperative, then for each storage 1 where it is written. */
  readonly config: Uint32Array;
  /** The values of the parameters, at their offsets. */
  readonly values: ArrayBuffer;
  readonly parameters: readonly { readonly offset: number; readonly bytes: number }[];
  attributes(): {
    readonly maxThreadsPerBlock: number;
    readonly sharedBytes: number;
    readonly constantBytes: number;
    readonly localBytes: number;
    readonly registers: number;
    readonly ptxVersion: number;
    readonly binaryVersion: number;
  };
  blocksPerMultiprocessor(block: number, sharedBytes: number): number;
  /** `limit` 0 is none. */
  suggestBlock(sharedBytes: number, limit: number): { readonly block: number; readonly leastGrid: number };
  /** Orders the stream after earlier uses of the storages, launches, notes the uses; the number of the operation. */
  launch(stream: NativeStream, ...storages: NativeStorage[]): number;
}

export interface NvrtcRequest {
  readonly source: string;
  /** File name in messages. */
  readonly name: string;
  readonly options: readonly string[];
  /** C++ names of kernels whose lowered names are wanted. */
  readonly expressions: readonly string[];
  readonly ptx: boolean;
}

export interface NvrtcResult {
  readonly ok: boolean;
  readonly log: string;
  readonly code: Uint8Array;
  readonly lowered: readonly string[];
}

/** The compiler. `open` comes first; where the source is at fault `ok` is false. */
export interface NativeNvrtc {
  /** Opens the first of the files that is an NVRTC, once. Throws kind `unavailable`. */
  open(files: readonly string[]): { readonly path: string; readonly major: number; readonly minor: number };
  compile(request: NvrtcRequest): NvrtcResult;
  compileAsync(request: NvrtcRequest): Promise<NvrtcResult>;
}

export interface NativeEvent {
  readonly device: NativeDevice;
  /** Throws kind `freed` after destroy, as the methods do. */
  readonly handle: bigint;
  readonly timing: boolean;
  /** True when everything before the last record is done, or when nothing was recorded. */
  query(): boolean;
  synchronize(): void;
  synchronizeAsync(): Promise<void>;
  /** Milliseconds from `start` to this event; both need timing and must be complete. */
  elapsedSince(start: NativeEvent): number;
  destroy(): void;
}

/**
 * A reference-counted block of memory. The JavaScript object is one reference; native code (exports, later deleters)
 * may hold others. `release` drops the JavaScript reference, the memory goes when the last one goes, ordered after its uses.
 * Copies and fills prepare and record their own uses: `prepare` and `recordUse` are for work launched by other means. They count
 * as one operation of the stream each, as do `recordUse`, `record` and `wait`; events recorded for a join do not count.
 */
export interface NativeStorage {
  readonly device: NativeDevice;
  readonly kind: MemoryKind;
  readonly bytes: number;
  /** 0n for an empty block. Throws kind `freed` after release. */
  readonly pointer: bigint;
  readonly released: boolean;
  /** True while this object holds the only reference: no export, no read under way, no other environment. False after release. */
  readonly unshared: boolean;
  release(): void;
  /**
   * A token under which one `claim`, in any environment of the process, gets a reference of its own; the block is kept until
   * then. Uses by the per-thread default stream then stand as uses of the legacy one (rule 70).
   */
  share(): bigint;
  /**
   * Orders `stream` after earlier uses, on the device: a writer waits for readers and writers, a reader for writers.
   * Events are recorded lazily at the tails of foreign streams; a storage used on one stream records nothing.
   */
  prepare(stream: NativeStream, access: Access): void;
  /** Notes that work just submitted to `stream` uses the storage. */
  recordUse(stream: NativeStream, access: Access): void;
  /** Notes a write by somebody else on a stream, which may be destroyed by now: what is left of its work is waited for. */
  notePending(stream: NativeStream): void;
  /**
   * Has later work of `producer` wait for every use from now on: the stream on which somebody else works on the same memory
   * (rule 73). Uses inside a capture count when the graph is launched. Null ends that.
   */
  setProducer(producer: NativeStream | null): void;
  /** Incomplete and latest uses, oldest first; brings completion up to date. */
  uses(): NativeUse[];
  /**
   * The stream a consumer must order itself after, joined by events with every other pending use; null when nothing is pending.
   * With `readOnly` only pending writes count.
   */
  join(readOnly: boolean): NativeStream | null;
  /** Copies `source` to `offset`. The source may be changed as soon as the call returns. */
  writeFromHost(offset: number, source: NodeJS.ArrayBufferView, stream: NativeStream): void;
  /** Blocking copy of `target.byteLength` bytes from `offset`; polls the interrupt flag. */
  readToHost(offset: number, target: NodeJS.ArrayBufferView, stream: NativeStream): void;
  /**
   * The same on a worker thread; `target` is held until the promise settles and must not be transferred before. Later writes
   * through this storage come after the read.
   */
  readToHostAsync(offset: number, target: NodeJS.ArrayBufferView, stream: NativeStream): Promise<void>;
  /**
   * `writeFromHost` and `readToHost` for large pageable memory: by several threads through `staging`, pinned memory of a multiple of 4 MiB.
   * What else uses the staging memory is waited for.
   */
  writeStaged(offset: number, source: NodeJS.ArrayBufferView, stream: NativeStream, staging: NativeStorage): void;
  readStaged(offset: number, target: NodeJS.ArrayBufferView, stream: NativeStream, staging: NativeStorage): void;
  /** Between devices of one driver too, on a stream of either. */
  copyFrom(offset: number, source: NativeStorage, sourceOffset: number, bytes: number, stream: NativeStream): void;
  /** Writes `count` values of 1, 2 or 4 bytes (`width`), each `pattern`, from `offset`. */
  fill(offset: number, width: 1 | 2 | 4, pattern: number, count: number, stream: NativeStream): void;
}

/** Pinned host memory from `memHostAlloc`. */
export interface NativeHostBlock {
  readonly host: bigint;
  /** Address for the device; null where the memory is not mapped. */
  readonly device: bigint | null;
}

/**
 * Driver memory calls for memory managers, each in the primary context of its device. All throw kind `driver`. What an
 * environment allocated here and did not free goes when it has ended and nothing of it is referenced elsewhere.
 */
export interface NativeMemory {
  memAlloc(device: NativeDevice, bytes: number): bigint;
  memFree(device: NativeDevice, pointer: bigint): void;
  /** From the device's own stream-ordered pool. */
  memAllocAsync(device: NativeDevice, bytes: number, stream: NativeStream): bigint;
  memFreeAsync(device: NativeDevice, pointer: bigint, stream: NativeStream): void;
  memHostAlloc(
    device: NativeDevice,
    bytes: number,
    options: { readonly mapped: boolean; readonly portable: boolean; readonly writeCombined: boolean }
  ): NativeHostBlock;
  memFreeHost(device: NativeDevice, pointer: bigint): void;
  /** Pins host memory that exists. The address for the device, null unless `mapped`. */
  memHostRegister(device: NativeDevice, pointer: bigint, bytes: number, mapped: boolean): bigint | null;
  memHostUnregister(device: NativeDevice, pointer: bigint): void;
  memAllocManaged(device: NativeDevice, bytes: number, attachGlobal: boolean): bigint;
  /** The 64 bytes of a legacy IPC handle, of the whole allocation around `pointer`. */
  ipcMemHandle(device: NativeDevice, pointer: bigint): Uint8Array;
  /** Start of the allocation. A process cannot open its own handle. */
  ipcOpen(device: NativeDevice, handle: Uint8Array): bigint;
  ipcClose(device: NativeDevice, pointer: bigint): void;
  /** Bytes that the device's pool keeps when it is idle. */
  poolSetReleaseThreshold(device: NativeDevice, bytes: bigint): void;
  /** Gives back what the device's pool holds beyond `keep` bytes. */
  poolTrim(device: NativeDevice, keep: number): void;
  /** A buffer over host memory, which must stay until `keepAlive` is let go with the buffer. Not to be transferred. */
  hostBuffer(pointer: bigint, bytes: number, keepAlive: object): ArrayBuffer;
}

/**
 * DLPack tensors and the capsules they travel in. `fields` describes the tensor of the next `exportTensor` and of the last
 * `take` (src/interchange/dlpack/fields.ts).
 */
export interface NativeDlpack {
  readonly fields: Float64Array;
  /** Makes `capsule`, a fresh object, own a tensor over `storage` as `fields` say; it keeps the storage. */
  exportTensor(capsule: object, storage: NativeStorage): void;
  /** 0 fresh, 1 taken, 2 released, and 4 more for the versioned struct; -1 for a value that is no capsule. */
  capsuleState(value: unknown): number;
  /** Deletes the tensor of a fresh capsule. */
  releaseCapsule(capsule: object): void;
  /**
   * Takes the tensor, writes `fields` and gives the address of its first element, 0n for none. Then `adoptOwn`, `adoptTaken` or
   * `dropTaken` must follow. Throws kind `buffer` for a consumed capsule and for a tensor that is refused, which is deleted.
   */
  take(capsule: object): bigint;
  /** The storage of a tensor that this addon exported (`fields` then tell an offset). */
  adoptOwn(): NativeStorage;
  /** A storage of the bytes between the extents, whose release, ordered after the device's work, is the tensor's deleter. */
  adoptTaken(device: NativeDevice, kind: MemoryKind): NativeStorage;
  /** Deletes what was taken; nothing where `adopt...` had it. */
  dropTaken(): void;
  /** Takes the tensor and deletes it at once. Throws as `take`. */
  consume(capsule: object): void;
  /** Host waits for the pending uses of a storage, for writes alone with `readOnly`. */
  waitForUses(storage: NativeStorage, readOnly: boolean): void;
  /** An External with the exchange table of `native/include/stridelab.h`. */
  exchangeTable(): object;
  /** Attaches to `array` what `fields` say of it, with strides in bytes; the table reads nothing else of it. */
  recordArray(array: object, storage: NativeStorage, itemsize: number, typestr: string | null): void;
  /** Makes the record of an array useless. */
  forgetArray(array: object): void;
}

/** One rank of devices that work together: of NCCL, or of simulated devices of this process. */
export interface NativeCommunicator {
  /** Begins to look for the other ranks, on a worker thread; `progress` tells when they are found. Only for those of `create`. */
  start(): Promise<void>;
  /** False while the start, a call or the end is under way. Kind `collective` for what went wrong meanwhile, `freed` after the end. */
  progress(): boolean;
  /** Begins the end, which `progress` tells of; then `destroy`. */
  finalize(): void;
  /** The end, on a worker thread. */
  destroy(): Promise<void>;
  /** The end at once, whatever is under way. */
  abort(): void;
}

/** One rank's part in an operation. The numbers are those of native/collectives/call.h. */
export interface NativeCollectiveCall {
  /** 0 allReduce, 1 broadcast, 2 reduce, 3 reduceScatter, 4 allGather, 5 send, 6 recv. */
  readonly kind: number;
  readonly communicator: NativeCommunicator;
  readonly stream: NativeStream;
  /** Null where the rank has none: the source of a broadcast and the target of a reduction at any but the root. */
  readonly source: NativeStorage | null;
  /** Bytes. */
  readonly sourceOffset: number;
  readonly target: NativeStorage | null;
  readonly targetOffset: number;
  /** Elements of the whole; of one rank's part for reduceScatter and allGather. */
  readonly count: number;
  /** ncclDataType_t. */
  readonly type: number;
  /** ncclRedOp_t; 0 where there is none. */
  readonly op: number;
  /** The root, or the other side of send and recv; 0 where there is none. */
  readonly peer: number;
}

export interface NativeCollectives {
  /** The first file of the list that is an NCCL of 2.14 or newer; later calls give the same one. Kind `unavailable` where none is. */
  open(files: readonly string[]): { readonly path: string; readonly version: string };
  /** 128 bytes by which the ranks of one communicator find one another. This and `create` and `initAll` of GPUs need `open` before. */
  uniqueId(): Uint8Array;
  /** Nothing of it ever blocks inside NCCL. */
  create(device: NativeDevice, id: Uint8Array, rank: number, size: number): NativeCommunicator;
  /** All ranks of this process, one for each device; blocks until they have found one another. */
  initAll(devices: readonly NativeDevice[]): NativeCommunicator[];
  /**
   * Submits calls together, each ordered as one operation of its stream. With simulated devices the calls of all ranks of a
   * communicator must be among them. Kind `argument` or `bounds` before anything is submitted.
   */
  submit(calls: readonly NativeCollectiveCall[]): void;
}

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

/** The columns of a trace: src/trace/records.ts reads them. */
export interface NativeTraceRecords {
  /** `FIELDS` numbers a record, oldest record first. */
  readonly numbers: Float64Array;
  readonly names: readonly string[];
  /** Three words for each block that a record names: first byte, length, whether it is written. */
  readonly operands: BigUint64Array;
  /** Older records that the ring had no room for. */
  readonly dropped: number;
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
}

/** An immutable elementwise program, for any number of operations. */
export interface NativeProgram {
  readonly [nativeProgram]: true;
}
declare const nativeProgram: unique symbol;

/**
 * Array operations in host code, for simulated devices: on others all throw kind `argument`. Each is one operation of the
 * stream, ordered after the uses of its storages. `layout` holds whole numbers: lengths, byte offsets of first elements and
 * byte strides (negative ones and, but for outputs, 0 are welcome; elements may lie at any address). Elements outside a storage
 * are kind `bounds`, ranks past 32 and wrong types kind `argument`. Types are indices into ELEMENT_TYPES, opcodes
 * into OPCODES (src/ops/opcodes.ts). Nothing is submitted where there is nothing to write.
 */
export interface NativeCompute {
  /**
   * `words`: counts of inputs, outputs, constants and instructions; the type of each input, of each constant; for each
   * instruction its opcode, result type and three registers (-1 where unused); for each output its register and type.
   * Registers are the inputs, then the constants, then the results. `constants` has 16 bytes for each, of which the first hold
   * its element as memory would. Operands of an instruction have one type, which is the result's but for comparisons and tests
   * (bool), `cast`, `where` (bool, then two) and the real parts and sizes of complex numbers.
   */
  makeProgram(words: Int32Array, constants: Uint8Array): NativeProgram;
  /**
   * `storages`: those of the outputs, then of the inputs. `layout`: rank, shape, then for each of them offset and strides.
   * An output may be exactly the elements of an input; what another overlap gives is undefined.
   */
  elementwise(stream: NativeStream, program: NativeProgram, layout: Float64Array, storages: readonly NativeStorage[]): void;
  /**
   * `storages`: of the result and of the input. `layout`: kept rank, kept shape, reduced rank, reduced shape, then the result's
   * offset and strides (kept axes), the input's offset and strides (kept axes, then reduced ones). Elements are cast to
   * the type of the result (any, all: to bool) and combined there, small floats in float32; float sums go in pairs of blocks. NaN is
   * the least and the greatest. `argmin` and `argmax` compare in the input's type and give, as int64, the first place
   * in row-major order of the reduced axes; they need elements, the others give their identity for none (`min`: the largest value).
   */
  reduce(
    stream: NativeStream,
    operation: 'sum' | 'prod' | 'min' | 'max' | 'any' | 'all' | 'argmin' | 'argmax',
    inputType: number,
    outputType: number,
    layout: Float64Array,
    storages: readonly [NativeStorage, NativeStorage]
  ): void;
  /**
   * Running combinations along one axis, in place too. `layout`: rank, shape, axis, the result's offset and strides, the input's.
   * Small floats carry float32 on and are rounded where they are written.
   */
  cumulate(
    stream: NativeStream,
    operation: 'sum' | 'prod' | 'min' | 'max',
    inputType: number,
    outputType: number,
    layout: Float64Array,
    storages: readonly [NativeStorage, NativeStorage]
  ): void;
  /**
   * `layout`: batch rank, batch shape, m, n, k, then of the result (m by n), a (m by k) and b (k by n) each: offset, batch strides,
   * row stride, column stride. The result is neither of the others. Small floats accumulate in float32 and are rounded once,
   * integers wrap, bool is any of all.
   */
  matmul(
    stream: NativeStream,
    type: number,
    layout: Float64Array,
    storages: readonly [NativeStorage, NativeStorage, NativeStorage]
  ): void;
  /**
   * out[..., i, ...] = in[..., index[i], ...] along an axis, of elements of `itemsize` bytes (1, 2, 4, 8, 16). `layout`: rank, the
   * result's shape, axis, the input's length along it, mode, the result's offset and strides, the input's, the index's offset and
   * stride. `indexType` is that of int32 or int64. Negative numbers count from the end. Those outside are taken modulo the length in
   * mode 1; in mode 0 their elements become zeros and `invalidIndices` counts them.
   */
  take(
    stream: NativeStream,
    itemsize: number,
    indexType: number,
    layout: Float64Array,
    storages: readonly [NativeStorage, NativeStorage, NativeStorage]
  ): void;
  /** How many numbers `take` found outside since the last call, on all simulated devices of the process. */
  invalidIndices(): number;
  /**
   * Random numbers, the same on every device for the same seed and offset: native/compute/random.h writes down how. `layout`:
   * count, byte offset; the result has no gaps. One counter from `offset` on makes 4 elements, of 64-bit types 2. `bits` and
   * `integers` make integers, `uniform` and `normal` float16, bfloat16, float32 and float64. `parameters`: low and high (excluded) or mean and
   * deviation; null for `bits`. For uint64 the BigInt64Array holds the bits of its numbers.
   */
  random(
    stream: NativeStream,
    distribution: 'bits' | 'uniform' | 'normal' | 'integers',
    type: number,
    seed: bigint,
    offset: bigint,
    parameters: Float64Array | BigInt64Array | null,
    layout: Float64Array,
    storages: readonly [NativeStorage]
  ): void;
}

/** When simulated devices do their work: as it is submitted, or only when something orders it, so that a missing wait shows. */
export interface NativeSimulated {
  schedule(): 'eager' | 'hazard';
  /** For all of the process. Work that was held until now is done. */
  setSchedule(schedule: 'eager' | 'hazard'): void;
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

export interface NativeBinding {
  /** Version of the addon, equal to package.json's. */
  readonly version: string;
  setErrorFactory(factory: (info: NativeErrorInfo) => Error): void;
  /** A word that native waits poll: a value other than 0 ends the wait with kind `interrupted`. Null removes it. */
  setInterruptFlag(flag: Int32Array | null): void;
  /**
   * Devices of one driver, opened lazily and kept. STRIDELAB_SIM_DEVICES (1 to 16) is how many simulated and recording ones there are. `cuda` throws kind `unavailable` where libcuda.so.1 cannot be opened or has no device.
   * Same objects on every call.
   */
  devices(kind: DriverKind): NativeDevice[];
  /** An owned stream that does not synchronise with the legacy default stream unless `blocking`. */
  createStream(device: NativeDevice, options: { readonly blocking: boolean; readonly priority: number }): NativeStream;
  /** A stream made elsewhere. 1n and 2n give the device's own default stream objects; 0n is kind `argument`. */
  wrapStream(device: NativeDevice, handle: bigint): NativeStream;
  createEvent(device: NativeDevice, timing: boolean): NativeEvent;
  /** An event made elsewhere, never destroyed by us. Kind `argument` for 0n, `driver` for a handle that the driver does not know. */
  wrapEvent(device: NativeDevice, handle: bigint): NativeEvent;
  /**
   * Where an address lies, by every open driver: driver kind (0 cuda, 1 simulated, 2 recording) * 65536 + ordinal * 4 +
   * memory kind (0 device, 1 pinned, 2 managed); -1 for an address that none knows.
   */
  locate(pointer: bigint): number;
  /** `bytes` 0 gives an empty block with pointer 0n, without a driver call. Device out of memory is kind `driver`. */
  allocate(device: NativeDevice, bytes: number, kind: MemoryKind): NativeStorage;
  /**
   * A block whose memory somebody else owns: a memory manager, a foreign array. `pointer` is its first byte.
   *
   * `release` is called once, on this thread, after the last reference is gone and all noted uses are done on the device:
   * inside `release()` where that is so already, else by `drainReleases` or a turn of the event loop; never inside the
   * collector or a driver callback. An environment that ends first does not call it. What it throws is counted
   * (`releaseFailures`), not thrown. `pressure` is how many bytes the collector is told of; by default `bytes` with a
   * `release` and 0 without, and 0 is right for memory that others keep anyway.
   */
  adopt(
    device: NativeDevice,
    pointer: bigint,
    bytes: number,
    kind: MemoryKind,
    release: (() => void) | null,
    pressure?: number
  ): NativeStorage;
  /** Throws kind `driver` with the driver's log for an image it refuses, kind `argument` on a simulated device. */
  loadModule(device: NativeDevice, image: Uint8Array): NativeModule;
  /** The block that `share` gave the token for, once. Kind `argument` for any other number. */
  claim(token: bigint): NativeStorage;
  /**
   * The function that collects JavaScript's garbage at once. `allocate` and `drainReleases` call it where the objects of this
   * environment keep 160 MiB (or half as much again as was kept for good) more than at the last such call, in at least 64
   * new objects or a quarter of a device: V8 would collect too late for a loop that allocates device memory (rule 230).
   * `pendingReleases` counts one more while it is wanted. `drainReleases(true)` always calls it.
   */
  setCollector(collect: () => void): void;
  /** How many finished releases wait for `drainReleases`, at index 0: for a cheap look before an allocation. */
  readonly pendingReleases: Int32Array;
  /** Runs finished releases and returns how many; with `wait`, first collects garbage and waits for the device work that others wait for. */
  drainReleases(wait?: boolean): number;
  /** Releases that threw, so far, and what the last one threw (rule 100). */
  releaseFailures(): { readonly count: number; readonly last: unknown };
  readonly cublas: NativeCublas;
  readonly nvrtc: NativeNvrtc;
  readonly dlpack: NativeDlpack;
  readonly trace: NativeTrace;
  /** Array operations of simulated devices. */
  readonly compute: NativeCompute;
  readonly collectives: NativeCollectives;
  /** Driver memory calls for memory managers. */
  readonly raw: NativeMemory;
  readonly simulated: NativeSimulated;
  readonly hazards: NativeHazards;
  /** Messages and descriptors between processes. */
  readonly channels: NativeChannels;
  /** Memory and events that several processes use. */
  readonly sharing: NativeSharing;
  /** The log of the driver kind `recording`. */
  readonly recording: NativeRecording;
  /** Blocks that something in this process references, for leak tests: one released but still in use by a device no longer counts. */
  liveBlocks(): { readonly count: number; readonly bytes: number };
}
