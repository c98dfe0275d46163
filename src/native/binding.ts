/**
 * TypeScript declarations of the native addon (`native/`). Addresses and handles are bigint; sizes are in bytes.
 * Native code sees only pointers, streams and ownership: shapes, dtypes and descriptors stay in TypeScript.
 */

import type { NativeErrorInfo } from '../base/native-error.ts';
import type { ACCESSES, DRIVER_KINDS, MEMORY_KINDS } from './words.ts';
import type { NativeCublas, NativeModule, NativeNvrtc } from './compiler-binding.ts';
import type { NativeCompute } from './compute-binding.ts';
import type { NativeKernels } from './kernels-binding.ts';
import type { NativeKey, NativeKeyed } from './keyed-binding.ts';
import type { NativeCollectives } from './collectives-binding.ts';
import type {
  NativeExports,
  NativeHazards,
  NativeRecording,
  NativeTrace,
  NativeWaits
} from './observation-binding.ts';
import type { NativePythonArrays } from './python-arrays-binding.ts';
import type { NativeLibraryMemory } from './library-memory-binding.ts';
import type { NativeLinks } from './link-binding.ts';
import type { NativePython } from './python-binding.ts';
import type { NativePythonInterrupts } from './python-interrupts-binding.ts';
import type { NativePythonImport } from './python-import-binding.ts';
import type { NativeChannels, NativeSharing } from './sharing-binding.ts';

/** A kind of driver; `recording` is a simulated device that logs every driver call, for tests. */
export type DriverKind = (typeof DRIVER_KINDS)[number];
export type MemoryKind = (typeof MEMORY_KINDS)[number];
export type Access = (typeof ACCESSES)[number];

export interface PointerAttributes {
  /** CU_POINTER_ATTRIBUTE_MEMORY_TYPE by name. */
  readonly memoryType: 'host' | 'device' | 'array' | 'unified';
  readonly managed: boolean;
  readonly deviceOrdinal: number;
  /** The owning context as an address; 0n if there is none. */
  readonly context: bigint;
  /** The address at which the host can read the memory; null if it cannot. */
  readonly hostPointer: bigint | null;
  readonly devicePointer: bigint | null;
  /** First byte and length of the allocation that contains the pointer. */
  readonly rangeStart: bigint;
  readonly rangeBytes: number;
  readonly bufferId: bigint;
  readonly legacyIpcCapable: boolean;
}

/** One entry of a storage's short list of streams that used it. */
export interface NativeUse {
  readonly stream: NativeStream;
  readonly access: Access;
  /** The number of the operation on that stream, from 1. */
  readonly sequence: number;
  /** True once the stream is known to have completed that operation. */
  readonly complete: boolean;
}

/** Members that `Device` also has are documented there; those of streams and events, in their classes. */
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
  canAccessPeer(peer: NativeDevice): boolean;
  streamPriorities(): { readonly least: number; readonly greatest: number };
  memoryInfo(): { readonly free: number; readonly total: number };
  /** Bytes of this device's blocks that are still referenced in the process. */
  readonly liveBytes: number;
  /** An attribute by its number in CUdevice_attribute; null if the driver does not support it; simulated devices support few. */
  attribute(attribute: number): number | null;
  /** Blocks the host until all work submitted to the device is done. */
  synchronize(): void;
  /** The legacy default stream, handle 1n. The same object on every call. */
  legacyStream(): NativeStream;
  /** The per-thread default stream, handle 2n. The same object on every call. */
  perThreadStream(): NativeStream;
  /** Returns null if the address is in no known allocation. */
  pointerAttributes(pointer: bigint): PointerAttributes | null;
}

export interface NativeStream {
  readonly key: NativeKey<NativeStream>;
  readonly device: NativeDevice;
  /** 1n legacy default, 2n per-thread default, otherwise the CUstream as an address. Readable after destroy, for messages. */
  readonly handle: bigint;
  readonly id: number;
  /** Number of the last operation submitted through this object; 0 before the first. */
  readonly sequence: number;
  /** Number of the last operation known to be complete. */
  readonly completed: number;
  readonly priority: number;
  /** Whether the stream synchronizes with the legacy default stream. */
  readonly blocking: boolean;
  /** The number of waits for other streams that were submitted to this stream. */
  readonly waits: number;
  /** The last known operation of each other stream that later work here waits for on the device. */
  orderedAfter(): { readonly streamId: number; readonly sequence: number }[];
  /** False for wrapped streams, which the library never destroys. */
  readonly owned: boolean;
  readonly destroyed: boolean;
  /** Returns true when idle, and updates `completed`. Never blocks. */
  query(): boolean;
  /** Blocks the calling thread; polls the interrupt flag. */
  synchronize(): void;
  /** Waits for all submitted work on a libuv worker thread. */
  synchronizeAsync(): Promise<void>;
  /** Makes later work wait for all work submitted to another stream so far: records an event and waits for it, in one call. */
  waitForStream(other: NativeStream): void;
  readonly capturing: boolean;
  /**
   * Captures work submitted from here on instead of running it. Uses of blocks in the capture are
   * not noted, and cause no waits outside it (rule 84: exports during capture). Host waits and reads on a capturing stream throw kind `argument`.
   */
  beginCapture(): void;
  /** Ends the capture and returns its graph. A broken capture also ends, with the driver's status as error. */
  endCapture(): NativeGraph;
  /**
   * Destroys the stream; idempotent. Work already submitted still runs, and storages that it uses are still
   * ordered after it. A later use of the stream throws kind `freed`. Does nothing to the two default streams.
   */
  destroy(): void;
}

/** Captured work that can be launched. It keeps the blocks that the work uses. */
export interface NativeGraph {
  readonly device: NativeDevice;
  /** Submits the work as one operation of `stream`, ordered after other uses of its blocks and noted as a use of them. */
  launch(stream: NativeStream): void;
  destroy(): void;
}

export interface NativeEvent {
  readonly key: NativeKey<NativeEvent>;
  readonly device: NativeDevice;
  /** The CUevent as an address. Throws kind `freed` after destroy; so do the methods. */
  readonly handle: bigint;
  readonly timing: boolean;
  query(): boolean;
  synchronize(): void;
  synchronizeAsync(): Promise<void>;
  elapsedSince(start: NativeEvent): number;
  destroy(): void;
}

/**
 * A reference-counted block of memory. The JavaScript object is one reference; native code (exports, deferred deleters) may hold
 * others. `release` drops the JavaScript reference; the last release frees the memory, ordered after its uses. Copies and fills
 * order and note their own uses; `prepare` and `recordUse` are for other work. Each copy, fill, `recordUse`, `record` and `wait`
 * counts as one operation of the stream; events recorded for a join do not count.
 */
export interface NativeStorage {
  readonly key: NativeKey<NativeStorage>;
  readonly device: NativeDevice;
  readonly kind: MemoryKind;
  readonly bytes: number;
  /** 0n for an empty block. Throws kind `freed` after release. */
  readonly pointer: bigint;
  readonly released: boolean;
  /** Drops the reference. Returns whether it was the only one. */
  release(): boolean;
  /**
   * Returns a token that one `claim`, in any environment of the process, exchanges for a reference; the block is kept until
   * then. Uses by the per-thread default stream then count as uses of the legacy default stream (rule 70).
   */
  share(): bigint;
  /**
   * Orders `stream` after earlier uses, on the device: a writer waits for readers and writers, a reader for writers.
   * Events are recorded lazily at the tails of other streams; a storage used on one stream records nothing.
   */
  prepare(stream: NativeStream, access: Access): void;
  /** Notes that work just submitted to `stream` uses the storage. */
  recordUse(stream: NativeStream, access: Access): void;
  /** Notes a write by external code on a stream. The stream may be destroyed by now; later uses wait for its remaining work. */
  notePending(stream: NativeStream): void;
  /**
   * Makes later work of `producer`, the stream on which external code uses the memory, wait for every use from
   * now on (rule 73: waits of producers). Uses inside a capture count when the graph is launched. Null removes the producer.
   */
  setProducer(producer: NativeStream | null): void;
  /** Returns incomplete and latest uses, oldest first, after updating completion. */
  uses(): NativeUse[];
  /**
   * Returns the stream that a consumer must wait for, joined by events with every other pending use; null if
   * nothing is pending. With `readOnly` only pending writes count.
   */
  join(readOnly: boolean): NativeStream | null;
  /** Copies `source` to `offset`. The source may be changed after the call returns. */
  writeFromHost(offset: number, source: NodeJS.ArrayBufferView, stream: NativeStream): void;
  /** Copies `target.byteLength` bytes from `offset` and blocks; polls the interrupt flag. */
  readToHost(offset: number, target: NodeJS.ArrayBufferView, stream: NativeStream): void;
  /**
   * Reads bytes to the host on a worker thread; `target` is held until the promise settles and must not be
   * transferred before. Later writes through this storage wait for the read.
   */
  readToHostAsync(offset: number, target: NodeJS.ArrayBufferView, stream: NativeStream): Promise<void>;
  /**
   * Like `writeFromHost` and `readToHost`, for large pageable memory: several threads copy through `staging`,
   * pinned memory of a multiple of 4 MiB. Waits for other uses of the staging memory.
   */
  writeStaged(
    offset: number,
    source: NodeJS.ArrayBufferView,
    stream: NativeStream,
    staging: NativeStorage
  ): void;
  readStaged(
    offset: number,
    target: NodeJS.ArrayBufferView,
    stream: NativeStream,
    staging: NativeStorage
  ): void;
  /** Copies between storages, also of two devices of one driver, on a stream of either. Returns the number of the operation. */
  copyFrom(
    offset: number,
    source: NativeStorage,
    sourceOffset: number,
    bytes: number,
    stream: NativeStream
  ): number;
  /** Writes `count` values of 1, 2 or 4 bytes (`width`), each `pattern`, from `offset`. */
  fill(offset: number, width: 1 | 2 | 4, pattern: number, count: number, stream: NativeStream): void;
}

/** Pinned host memory from `memHostAlloc`. */
export interface NativeHostBlock {
  readonly host: bigint;
  /** The device address; null if the memory is not mapped. */
  readonly device: bigint | null;
}

/**
 * Driver memory calls for memory managers, each in the primary context of its device. All throw kind `driver`. Memory that
 * an environment allocated here and did not free is freed after the environment ends and no other references remain.
 */
export interface NativeMemory {
  memAlloc(device: NativeDevice, bytes: number): bigint;
  memFree(device: NativeDevice, pointer: bigint): void;
  /** Allocates from the device's default stream-ordered pool. */
  memAllocAsync(device: NativeDevice, bytes: number, stream: NativeStream): bigint;
  memFreeAsync(device: NativeDevice, pointer: bigint, stream: NativeStream): void;
  memHostAlloc(
    device: NativeDevice,
    bytes: number,
    options: { readonly mapped: boolean; readonly portable: boolean; readonly writeCombined: boolean }
  ): NativeHostBlock;
  memFreeHost(device: NativeDevice, pointer: bigint): void;
  /** Pins existing host memory. Returns the device address, or null unless `mapped`. */
  memHostRegister(device: NativeDevice, pointer: bigint, bytes: number, mapped: boolean): bigint | null;
  memHostUnregister(device: NativeDevice, pointer: bigint): void;
  memAllocManaged(device: NativeDevice, bytes: number, attachGlobal: boolean): bigint;
  /** Returns the 64 bytes of a legacy IPC handle, for the entire allocation around `pointer`. */
  ipcMemHandle(device: NativeDevice, pointer: bigint): Uint8Array;
  /** Returns the start of the allocation. A process cannot open a handle that it exported. */
  ipcOpen(device: NativeDevice, handle: Uint8Array): bigint;
  ipcClose(device: NativeDevice, pointer: bigint): void;
  /** Sets the number of bytes that the device's pool keeps while idle. */
  poolSetReleaseThreshold(device: NativeDevice, bytes: bigint): void;
  /** Returns the bytes that the device's pool holds, in use or not, by any code in this process. */
  poolReserved(device: NativeDevice): number;
  /** Releases the bytes that the device's pool holds beyond `keep`. */
  poolTrim(device: NativeDevice, keep: number): void;
  /** A buffer over host memory, which must stay valid as long as `keepAlive`, held by the buffer. Not transferable. */
  hostBuffer(pointer: bigint, bytes: number, keepAlive: object): ArrayBuffer;
}

/** The key of a capsule that this addon made, or a capsule of any addon. */
export type NativeCapsule = NativeKey<object> | object;

/**
 * DLPack tensors and their capsules. `fields` describes the tensor of the next `exportTensor` and of the last
 * `take` (src/interchange/dlpack/fields.ts).
 */
export interface NativeDlpack {
  readonly fields: Float64Array;
  /**
   * Makes `capsule`, a new object, own a tensor over `storage` as described by `fields`; it keeps the
   * storage. `source` is the requested storage if the tensor is over a copy. Returns the key by which the other functions
   * find the tensor; native code of other addons finds it only after `attachCapsule`.
   */
  exportTensor(
    capsule: object,
    storage: NativeKey<NativeStorage>,
    source?: NativeKey<NativeStorage>
  ): NativeKey<object>;
  /** Attaches the type tag and the tensor with that key to its capsule. */
  attachCapsule(capsule: object, key: NativeKey<object>): void;
  /** Returns 0 for a fresh capsule, 1 for a consumed, 2 for a released one, plus 4 if versioned; -1 for any other object. */
  capsuleState(capsule: NativeCapsule): number;
  /** Deletes the tensor of a fresh capsule. */
  releaseCapsule(capsule: NativeCapsule): void;
  /**
   * Takes the tensor, writes `fields` and returns the address of its first element, 0n for none. The caller must then call `adoptOwn`,
   * `adoptTaken` or `dropTaken`. Throws kind `buffer` for a consumed capsule, and for an unsupported tensor, which is deleted.
   */
  take(capsule: NativeCapsule): bigint;
  /** Returns the storage of a tensor that this addon exported; `fields` then contains an offset. */
  adoptOwn(): NativeStorage;
  /** Makes a storage over the bytes of the tensor's extent; its release, ordered after the device's work, calls the deleter. */
  adoptTaken(device: NativeDevice, kind: MemoryKind): NativeStorage;
  /** Deletes the taken tensor; does nothing if `adopt...` took it. */
  dropTaken(): void;
  /** Takes the tensor and deletes it immediately. Throws as `take` does. */
  consume(capsule: NativeCapsule): void;
  /** Blocks the host until the pending uses of a storage are done; with `readOnly`, only its writes. */
  waitForUses(storage: NativeStorage, readOnly: boolean): void;
  /** Returns an External with the exchange table of `native/include/stridelab.h`. */
  exchangeTable(): object;
  /** Attaches the description in `fields`, with strides in bytes, to `array`; the table reads nothing else of the array. */
  recordArray(array: object, storage: NativeStorage, itemsize: number, typestr: string | null): void;
  forgetArray(array: object): void;
}

/** When simulated devices run their work: on submission (`eager`), or only when ordered (`hazard`), which exposes missing waits. */
export interface NativeSimulated {
  schedule(): 'eager' | 'hazard';
  /** Sets the schedule of the process. Delayed work runs first. */
  setSchedule(schedule: 'eager' | 'hazard'): void;
}

export interface NativeBinding {
  /** Version of the addon, equal to package.json's. */
  readonly version: string;
  setErrorFactory(factory: (info: NativeErrorInfo) => Error): void;
  /**
   * Sets a word that native waits poll: its lowest bit, when set, ends the wait with kind `interrupted`. Null removes it. Before
   * throwing, the call runs `awaitStop`, in which the interrupter can terminate the JavaScript; then nothing is thrown.
   */
  setInterruptFlag(flag: Int32Array | null, awaitStop?: () => void): void;
  /** Sets whether work submitted by this thread is part of a display read, which recorders ignore: src/core/look.ts. */
  setLooking(looking: boolean): void;
  /**
   * Devices of one driver, opened lazily and kept. STRIDELAB_SIM_DEVICES (1 to 16) is the number of simulated and of recording devices. `cuda` throws kind `unavailable` if libcuda.so.1 cannot be opened or lists no device.
   * Returns identical objects on every call.
   */
  devices(kind: DriverKind): NativeDevice[];
  /** Creates an owned stream that does not synchronize with the legacy default stream unless `blocking`. */
  createStream(
    device: NativeDevice,
    options: { readonly blocking: boolean; readonly priority: number }
  ): NativeStream;
  /** Wraps an external stream. 1n and 2n give the device's default stream objects; 0n throws kind `argument`. */
  wrapStream(device: NativeDevice, handle: bigint): NativeStream;
  createEvent(device: NativeDevice, timing: boolean): NativeEvent;
  /** Wraps an external event, which the library never destroys. Throws kind `argument` for 0n, `driver` for an unknown handle. */
  wrapEvent(device: NativeDevice, handle: bigint): NativeEvent;
  /**
   * Locates an address in every open driver: the kind of driver, the ordinal and the memory kind, packed as
   * described at LOCATION_SHIFT (words.ts); -1 for an unknown address.
   */
  locate(pointer: bigint): number;
  /** Allocates a block; `bytes` 0 gives pointer 0n without a driver call. Out of memory throws kind `driver`. */
  allocate(device: NativeDevice, bytes: number, kind: MemoryKind): NativeStorage;
  /**
   * Makes a block over memory with another owner: a memory manager, an external array. `pointer` is its first byte.
   *
   * `release` is called once, on this thread, after the last reference is released and all noted uses are done on the
   * device: inside `release()` if that is already so, otherwise in `drainReleases` or a turn of the event loop; never
   * inside the collector or a driver callback. It is not called if the environment ends first. Its errors are counted
   * (`releaseFailures`), not thrown. `pressure` is the number of bytes reported to the collector; by default `bytes` with
   * a `release` and 0 without; pass 0 for memory that something else keeps anyway.
   */
  adopt(
    device: NativeDevice,
    pointer: bigint,
    bytes: number,
    kind: MemoryKind,
    release: (() => void) | null,
    pressure?: number
  ): NativeStorage;
  /** Loads device code. Throws kind `driver` with the driver's log if it is rejected, kind `argument` on a simulated device. */
  loadModule(device: NativeDevice, image: Uint8Array): NativeModule;
  /** Returns the block that `share` issued the token for, once. Any other number throws kind `argument`. */
  claim(token: bigint): NativeStorage;
  /**
   * Sets the function that collects JavaScript garbage immediately. `allocate` and `drainReleases` call it if the objects of
   * this environment hold 160 MiB more than after the last such call (or half more, if they held over 320 MiB then), in at least 64
   * new objects or a quarter of a device. V8 would collect too late for a loop that allocates device memory (rule 230:
   * synchronous loops). With `young`, which collects only young objects, they call it for each 16 MiB of a simulated device that may be
   * garbage. `pendingReleases` counts one more while a collection is due. `drainReleases(true)` always calls it.
   */
  setCollector(collect: (young: boolean) => void): void;
  /** The number of finished releases that `drainReleases` will run, at index 0: a cheap check before an allocation. */
  readonly pendingReleases: Int32Array;
  /** Runs finished releases and returns their number; with `wait`, first collects garbage and waits for pending releases on the device. */
  drainReleases(wait?: boolean): number;
  /** Returns how many releases threw so far, and the last error (rule 100). */
  releaseFailures(): { readonly count: number; readonly last: unknown };
  readonly keyed: NativeKeyed;
  readonly cublas: NativeCublas;
  readonly nvrtc: NativeNvrtc;
  readonly dlpack: NativeDlpack;
  readonly trace: NativeTrace;
  readonly waits: NativeWaits;
  readonly exports: NativeExports;
  readonly compute: NativeCompute;
  readonly kernels: NativeKernels;
  readonly collectives: NativeCollectives;
  readonly raw: NativeMemory;
  readonly simulated: NativeSimulated;
  readonly hazards: NativeHazards;
  readonly channels: NativeChannels;
  readonly links: NativeLinks;
  readonly sharing: NativeSharing;
  readonly python: NativePython;
  readonly pythonArrays: NativePythonArrays;
  readonly pythonInterrupts: NativePythonInterrupts;
  readonly libraryMemory: NativeLibraryMemory;
  readonly pythonImport: NativePythonImport;
  readonly recording: NativeRecording;
  /** Counts the blocks that are referenced in this process, for leak tests: a released block that a device still uses does not count. */
  liveBlocks(): { readonly count: number; readonly bytes: number };
}
