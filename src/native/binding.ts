/**
 * The face of the native addon (`native/`), as TypeScript sees it. Addresses and handles are bigint, sizes are numbers
 * of bytes. Native code sees pointers, streams and ownership only: shapes, dtypes and descriptors stay in TypeScript.
 */

import type { NativeErrorInfo } from '../base/native-error.ts';
import type { ACCESSES, DRIVER_KINDS, MEMORY_KINDS } from './words.ts';
import type { NativeCublas, NativeModule, NativeNvrtc } from './compiler-binding.ts';
import type { NativeCompute } from './compute-binding.ts';
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

/** `recording` is a simulated device that notes every driver call, for tests. */
export type DriverKind = (typeof DRIVER_KINDS)[number];
export type MemoryKind = (typeof MEMORY_KINDS)[number];
export type Access = (typeof ACCESSES)[number];

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
  /** Bytes of this device's blocks that something in the process references. */
  readonly liveBytes: number;
  /** An attribute by its number in CUdevice_attribute; null where the driver does not know it, as simulated devices know few. */
  attribute(attribute: number): number | null;
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
  /** Whether it synchronises with the legacy default stream. */
  readonly blocking: boolean;
  /** How many waits for other streams were submitted here. */
  readonly waits: number;
  /** The last operation of each other stream that later work here waits for on the device, as far as it is remembered. */
  orderedAfter(): { readonly streamId: number; readonly sequence: number }[];
  /** False for streams wrapped by handle, which are never destroyed by us. */
  readonly owned: boolean;
  readonly destroyed: boolean;
  /** True when idle; also brings `completed` up to date. Never blocks. */
  query(): boolean;
  /** Blocks the calling thread; polls the interrupt flag. */
  synchronize(): void;
  /** Waits for all submitted work on a worker thread of libuv. */
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
   * Reads bytes to the host on a worker thread; `target` is held until the promise settles and must not be transferred before. Later writes
   * through this storage come after the read.
   */
  readToHostAsync(offset: number, target: NodeJS.ArrayBufferView, stream: NativeStream): Promise<void>;
  /**
   * `writeFromHost` and `readToHost` for large pageable memory: by several threads through `staging`, pinned memory of a multiple of 4 MiB.
   * What else uses the staging memory is waited for.
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
  /** Between devices of one driver too, on a stream of either. */
  copyFrom(
    offset: number,
    source: NativeStorage,
    sourceOffset: number,
    bytes: number,
    stream: NativeStream
  ): void;
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
  /** Bytes that the device's pool holds now, in use or not, whoever in this process uses it. */
  poolReserved(device: NativeDevice): number;
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
  /**
   * Makes `capsule`, a fresh object, own a tensor over `storage` as `fields` say; it keeps the storage. `source` is what was asked
   * for where that is a copy.
   */
  exportTensor(capsule: object, storage: NativeStorage, source?: NativeStorage): void;
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

/** When simulated devices do their work: as it is submitted, or only when something orders it, so that a missing wait shows. */
export interface NativeSimulated {
  schedule(): 'eager' | 'hazard';
  /** For all of the process. Work that was held until now is done. */
  setSchedule(schedule: 'eager' | 'hazard'): void;
}

export interface NativeBinding {
  /** Version of the addon, equal to package.json's. */
  readonly version: string;
  setErrorFactory(factory: (info: NativeErrorInfo) => Error): void;
  /**
   * A word that native waits poll: a value other than 0 ends the wait with kind `interrupted`. Null removes it. A call that would
   * throw that error calls `awaitStop` first, for whoever raised the flag to stop JavaScript there: then nothing is thrown.
   */
  setInterruptFlag(flag: Int32Array | null, awaitStop?: () => void): void;
  /** Whether what this thread submits from now on is a look, which nothing may notice: src/core/look.ts. */
  setLooking(looking: boolean): void;
  /**
   * Devices of one driver, opened lazily and kept. STRIDELAB_SIM_DEVICES (1 to 16) is how many simulated and recording ones there are. `cuda` throws kind `unavailable` where libcuda.so.1 cannot be opened or has no device.
   * Returns identical objects on every call.
   */
  devices(kind: DriverKind): NativeDevice[];
  /** An owned stream that does not synchronise with the legacy default stream unless `blocking`. */
  createStream(
    device: NativeDevice,
    options: { readonly blocking: boolean; readonly priority: number }
  ): NativeStream;
  /** A stream made elsewhere. 1n and 2n give the device's own default stream objects; 0n is kind `argument`. */
  wrapStream(device: NativeDevice, handle: bigint): NativeStream;
  createEvent(device: NativeDevice, timing: boolean): NativeEvent;
  /** An event made elsewhere, never destroyed by us. Kind `argument` for 0n, `driver` for a handle that the driver does not know. */
  wrapEvent(device: NativeDevice, handle: bigint): NativeEvent;
  /**
   * Where an address lies, by every open driver: the kind of driver, the ordinal and the memory kind, packed as LOCATION_SHIFT
   * (words.ts) says; -1 for an address that none knows.
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
  readonly waits: NativeWaits;
  readonly exports: NativeExports;
  /** Array operations of simulated devices. */
  readonly compute: NativeCompute;
  readonly collectives: NativeCollectives;
  /** Driver memory calls for memory managers. */
  readonly raw: NativeMemory;
  readonly simulated: NativeSimulated;
  readonly hazards: NativeHazards;
  /** Messages and descriptors between processes. */
  readonly channels: NativeChannels;
  readonly links: NativeLinks;
  /** Memory and events that several processes use. */
  readonly sharing: NativeSharing;
  /** CPython in this process. */
  readonly python: NativePython;
  /** Our arrays in its hands. */
  readonly pythonArrays: NativePythonArrays;
  readonly pythonInterrupts: NativePythonInterrupts;
  /** Memory for libraries of Python. */
  readonly libraryMemory: NativeLibraryMemory;
  /** Its arrays, on the way in. */
  readonly pythonImport: NativePythonImport;
  /** The log of the driver kind `recording`. */
  readonly recording: NativeRecording;
  /** Blocks that something in this process references, for leak tests: one released but still in use by a device no longer counts. */
  liveBlocks(): { readonly count: number; readonly bytes: number };
}
