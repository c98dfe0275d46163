/**
 * Communicators: collective operations over several devices, through NCCL on GPUs and in host code on simulated devices. Names
 * follow NCCL and MPI. A call is ordered like any other work of a stream, on the device.
 */

import { setTimeout as delay } from 'node:timers/promises';

import { NDArray, type StreamOption } from '../array/array.ts';
import { devices as allDevices, toDevice, type Device, type DeviceLike } from '../core/device.ts';
import type { DTypeName } from '../dtype/dtype.ts';
import { ArgumentError, CollectiveError, DeviceError, FreedError, ShapeError } from '../base/errors.ts';
import { formatShape, type Shape } from '../layout/shape.ts';
import type { NativeCommunicator } from '../native/collectives-binding.ts';
import { native } from '../native/load.ts';
import type { Stream } from '../core/stream.ts';
import { textOf } from '../base/value-text.ts';
import type { Clique, Operation } from './clique.ts';
import { readEnvironment, type RankEnvironment } from './environment.ts';
import { movedElements, numbers, reductionCode, type Elements, type ReductionName } from './elements.ts';
import { group, submit, type Part } from './group.ts';
import { nccl, openNccl, type CollectiveLibrary } from './library.ts';
import { partOf, requireTarget } from './operands.ts';
import { retire, settled } from './progress.ts';
import { shareId } from './rendezvous.ts';

/** Bytes of an id from `Communicator.uniqueId`. */
const UNIQUE_ID_BYTES = 128;
/** The default timeout of `init`. */
const USUAL_TIMEOUT_MS = 60_000;
/** Options of `Communicator.init`. */
export interface CommunicatorOptions {
  /** The id that `Communicator.uniqueId()` returned on one rank; all ranks pass this id. */
  readonly id: Uint8Array;
  /** This rank's number, from 0 to `size - 1`; each rank has a different one. */
  readonly rank: number;
  /** The number of ranks. */
  readonly size: number;
  /** The device of this rank; the default device if left out. */
  readonly device?: DeviceLike | undefined;
  /** Milliseconds to wait for the other ranks; default 60,000. */
  readonly timeout?: number | undefined;
}

/** Options of `Communicator.shrink`. */
export interface ShrinkOptions {
  /** The numbers of the ranks that the new communicator leaves out. */
  readonly lost: readonly number[];
  /** Milliseconds to wait for the other remaining ranks; default 60,000. */
  readonly timeout?: number | undefined;
}

/** Options of `Communicator.fromEnvironment`. */
export interface EnvironmentOptions {
  /** The device of this rank. Default: the GPU with the number of the rank on its machine. */
  readonly device?: DeviceLike | undefined;
  /** Milliseconds to wait for the other ranks; default 60,000. */
  readonly timeout?: number | undefined;
}

/** Where the result of a collective operation goes. */
export interface TargetOption<D extends DTypeName = DTypeName> extends StreamOption {
  /** The array that receives the result, which may be the input for an operation in place; new memory if left out. */
  readonly out?: NDArray<D> | undefined;
}

/** Options of `allReduce`, `reduce` and `reduceScatter`. */
export interface ReduceOptions<D extends DTypeName = DTypeName> extends TargetOption<D> {
  /** How elements are combined; default `sum`. */
  readonly op?: ReductionName | undefined;
}

/** The option of operations with a root rank. */
export interface RootOptions {
  /** The number of the root rank; default 0. */
  readonly root?: number | undefined;
}

/** Options of `send` and `recv`. */
export interface PeerOptions extends StreamOption {
  /** The number of the other rank. */
  readonly peer: number;
}

interface CallOptions extends StreamOption {
  readonly op?: ReductionName | undefined;
  readonly root?: number | undefined;
  readonly peer?: number | undefined;
}

/** A checked call without its operands. */
interface Call extends Elements {
  readonly operation: Operation;
  readonly stream: Stream;
  readonly op: number;
  readonly peer: number;
}

const REDUCING: ReadonlySet<Operation> = new Set(['allReduce', 'reduce', 'reduceScatter']);

/** The option that names another rank, for the operations that have one. */
const ROLES: Readonly<Partial<Record<Operation, 'root' | 'peer'>>> = {
  broadcast: 'root',
  reduce: 'root',
  send: 'peer',
  recv: 'peer'
};

/** Returns the GPU of a rank: the only one that its process sees, or the one with its number on the machine. */
function deviceOfRank({ localRank, launcher }: RankEnvironment): Device {
  const gpus = allDevices().filter(({ kind }) => kind === 'cuda');
  const device = gpus.length === 1 ? gpus[0] : gpus[localRank];
  if (device !== undefined) return device;
  throw new DeviceError(
    `rank ${localRank} of this machine (${launcher}) has no GPU of its own: ${gpus.length === 0 ? 'there is none' : `there are ${gpus.length}`}; ` +
      'start as many ranks as the machine has GPUs, or pass device'
  );
}

/** Destroys native communicators whose object was collected without `destroy`. */
const dropped = new FinalizationRegistry<NativeCommunicator>(communicator => {
  retire(communicator).catch(() => undefined); // The object that could report an error no longer exists.
});

/**
 * One rank of an NCCL communicator: collective operations on arrays of several devices, in one process or many. On simulated devices the
 * operations run in host code.
 */
export class Communicator {
  /** The device of this rank. */
  readonly device: Device;
  /** This rank's number, from 0 to `size - 1`. */
  readonly rank: number;
  /** The number of ranks. */
  readonly size: number;
  readonly #native: NativeCommunicator;
  /** Null for a rank whose peers are in other processes. */
  readonly #clique: Clique | null;
  #freed = false;
  #aborted = false;

  private constructor(
    nativeCommunicator: NativeCommunicator,
    device: Device,
    rank: number,
    size: number,
    clique: Clique | null
  ) {
    this.#native = nativeCommunicator;
    this.device = device;
    this.rank = rank;
    this.size = size;
    this.#clique = clique;
    dropped.register(this, nativeCommunicator, this);
  }

  /**
   * Creates one rank for each device, all in this process; by default for all GPUs, or for all simulated devices if there is no GPU. Blocks
   * until the ranks are connected, about a second. Put their collective calls into one `group`.
   * @throws DeviceError, DriverUnavailableError without NCCL, CollectiveError
   */
  static initAll(devices?: readonly DeviceLike[]): Communicator[] {
    const chosen = devices?.map(toDevice) ?? allDevices().filter(({ kind }) => kind === toDevice().kind);
    const [first] = chosen;
    if (first === undefined)
      throw new ArgumentError('initAll: the list of devices is empty: pass at least one device');
    if (new Set(chosen).size < chosen.length)
      throw new DeviceError('initAll: a device is listed twice, expected different devices');
    if (chosen.some(({ kind }) => kind !== first.kind))
      throw new DeviceError('initAll: expected only simulated devices or only GPUs');
    const calls = first.kind === 'simulated' ? native().collectives : nccl();
    const clique: Clique = { size: chosen.length, shrunk: new Map() };
    return calls
      .initAll(chosen.map(device => device.native))
      .map((made, rank) => new Communicator(made, chosen[rank] as Device, rank, clique.size, clique));
  }

  /**
   * Creates the 128-byte id with which the ranks of one communicator find each other. The process that creates it must run until all ranks
   * are connected. NCCL picks the network interface here; set NCCL_SOCKET_IFNAME to choose one.
   * @throws DriverUnavailableError without NCCL, CollectiveError
   */
  static uniqueId(): Uint8Array {
    return nccl().uniqueId();
  }

  /**
   * Creates one rank, whose peers call this in other processes. Resolves when all ranks are connected, without blocking JavaScript.
   * @throws CollectiveError if a rank does not connect in time, ArgumentError, DriverUnavailableError without NCCL
   */
  static async init(options: CommunicatorOptions): Promise<Communicator> {
    const { id, rank, size, timeout = USUAL_TIMEOUT_MS } = options;
    const device = toDevice(options.device);
    if (!(id instanceof Uint8Array) || id.byteLength !== UNIQUE_ID_BYTES)
      throw new ArgumentError(`init: expected id as the ${UNIQUE_ID_BYTES} bytes of Communicator.uniqueId()`);
    if (!Number.isSafeInteger(size) || size < 1)
      throw new ArgumentError(`init: size is ${textOf(size)}, expected the number of ranks`);
    if (!Number.isSafeInteger(rank) || rank < 0 || rank >= size)
      throw new ArgumentError(`init: rank is ${textOf(rank)}, expected 0 to ${size - 1}`);
    if (typeof timeout !== 'number' || !(timeout > 0))
      throw new ArgumentError(
        `init: timeout is ${textOf(timeout)}, expected a number of milliseconds above 0`
      );
    if (device.kind === 'simulated')
      throw new DeviceError(
        `init: other processes cannot reach ${device.toString()}: use Communicator.initAll`
      );
    const made = nccl().create(device.native, id, rank, size);
    const who = `rank ${rank} of ${size}`;
    let complete: boolean;
    try {
      await made.start();
      complete = await settled(made, timeout);
    } catch (error) {
      made.abort();
      throw error;
    }
    if (!complete) {
      made.abort();
      throw new CollectiveError(
        `${who}: the other ranks did not connect within ${timeout / 1000} s: check that all ${size} were started with the same id, ` +
          'different ranks and different GPUs, and that the process that created the id still runs; with NCCL_DEBUG=INFO, NCCL prints details'
      );
    }
    return new Communicator(made, device, rank, size, null);
  }

  /**
   * Creates the rank that the environment names: the variables of torchrun, mpirun (Open MPI, MPICH, Intel MPI) and srun, or RANK and
   * WORLD_SIZE of a plain loop, with MASTER_ADDR as the host of rank 0. The device is the GPU with the number of the rank on its machine.
   * @throws ArgumentError if the variables are missing or malformed, CollectiveError that names the ranks that do not connect in time,
   * DeviceError if the machine has fewer GPUs than ranks, DriverUnavailableError without NCCL
   */
  static async fromEnvironment({
    device,
    timeout = USUAL_TIMEOUT_MS
  }: EnvironmentOptions = {}): Promise<Communicator> {
    const found = readEnvironment(process.env);
    const { rank, size } = found;
    const chosen = device === undefined ? deviceOfRank(found) : toDevice(device);
    const start = performance.now();
    const id = await shareId({ ...found, timeout }, () => Communicator.uniqueId());
    const left = Math.max(1, timeout - (performance.now() - start));
    return Communicator.init({ id, rank, size, device: chosen, timeout: left });
  }

  /** Returns the path and version of the NCCL library in use. @throws DriverUnavailableError that lists the files tried */
  static library(): CollectiveLibrary {
    return openNccl();
  }

  /**
   * Runs `make` and submits all collective calls inside it together. Required when one thread drives several ranks.
   * @throws ArgumentError for an asynchronous function, CollectiveError if calls of a rank are missing or differ
   */
  static group<Result>(make: () => Result): Result {
    return group(make);
  }

  /** True after `destroy` or `abort`; every later operation throws. */
  get freed(): boolean {
    return this.#freed;
  }

  /**
   * Combines the elements of all ranks with `op`, and returns the result on every rank.
   * @throws DTypeError, ShapeError, DeviceError, CollectiveError
   */
  allReduce<D extends DTypeName>(array: NDArray<D>, options: ReduceOptions<D> = {}): NDArray<D> {
    return this.#run(this.#call('allReduce', array, options), array, options);
  }

  /**
   * Combines the elements of all ranks with `op`, and returns the result on the root, null on the other ranks.
   * @throws DTypeError, ShapeError, DeviceError, CollectiveError
   */
  reduce<D extends DTypeName>(
    array: NDArray<D>,
    options: ReduceOptions<D> & RootOptions = {}
  ): NDArray<D> | null {
    const call = this.#call('reduce', array, options);
    if (call.peer === this.rank) return this.#run(call, array, options);
    this.#submit(call, partOf('reduce', array), null);
    return null;
  }

  /**
   * Copies the root's elements to every rank, into `array` itself or into `out`. With `out`, the other ranks' `array` supplies only shape
   * and dtype.
   * @throws ShapeError, DeviceError, CollectiveError
   */
  broadcast<D extends DTypeName>(array: NDArray<D>, options: TargetOption<D> & RootOptions = {}): NDArray<D> {
    const call = this.#call('broadcast', array, options);
    return this.#run(call, array, { out: options.out ?? array, reads: call.peer === this.rank });
  }

  /**
   * Combines the elements of all ranks with `op`; each rank receives its part along the first axis: `[size * n, ...]` becomes `[n, ...]`.
   * @throws DTypeError, ShapeError, DeviceError, CollectiveError
   */
  reduceScatter<D extends DTypeName>(array: NDArray<D>, options: ReduceOptions<D> = {}): NDArray<D> {
    const call = this.#call('reduceScatter', array, options);
    const [rows] = array.shape;
    if (rows === undefined || rows % this.size !== 0)
      throw new ShapeError(
        `reduceScatter: the first axis of ${formatShape(array.shape)} does not divide into ${this.size} equal parts`
      );
    const shape = [rows / this.size, ...array.shape.slice(1)];
    return this.#run(call, array, { out: options.out, shape });
  }

  /**
   * Concatenates the elements of all ranks along the first axis on every rank: `[n, ...]` becomes `[size * n, ...]`, and a 0-d array
   * `[size]`.
   * @throws ShapeError, DeviceError, CollectiveError
   */
  allGather<D extends DTypeName>(array: NDArray<D>, options: TargetOption<D> = {}): NDArray<D> {
    const call = this.#call('allGather', array, options);
    const shape = [(array.shape[0] ?? 1) * this.size, ...array.shape.slice(1)];
    return this.#run(call, array, { out: options.out, shape });
  }

  /** Sends the elements to rank `peer`, which must call `recv`. @throws ShapeError, DeviceError, CollectiveError */
  send(array: NDArray, options: PeerOptions): void {
    this.#submit(this.#call('send', array, options), partOf('send', array), null);
  }

  /**
   * Receives elements from rank `peer`, which must call `send`, into `array`.
   * @throws ReadOnlyError, ShapeError, DeviceError, CollectiveError
   */
  recv<D extends DTypeName>(array: NDArray<D>, options: PeerOptions): NDArray<D> {
    return this.#run(this.#call('recv', array, options), array, { out: array, reads: false });
  }

  /**
   * Resolves when NCCL has no operation of this communicator in progress.
   * @throws CollectiveError for an error on any rank since the last call, FreedError
   */
  async ready(): Promise<void> {
    this.#requireAlive();
    await settled(this.#native, Infinity);
  }

  /**
   * Makes this rank of a new communicator without the `lost` ranks, for example after their processes have exited. All remaining ranks call
   * it with the same ranks; the others get lower numbers. Operations in progress end without results, and this communicator is aborted.
   * Needs NCCL 2.27.
   * @throws ArgumentError, CollectiveError if a remaining rank does not call it in time, FreedError
   */
  async shrink({ lost, timeout = USUAL_TIMEOUT_MS }: ShrinkOptions): Promise<Communicator> {
    this.#requireAlive();
    const ranks = [...new Set(lost)].sort((a, b) => a - b);
    const isOther = (rank: unknown): boolean =>
      Number.isInteger(rank) && (rank as number) >= 0 && (rank as number) < this.size && rank !== this.rank;
    if (ranks.length === 0 || !ranks.every(isOther))
      throw new ArgumentError(
        `shrink: lost is ${textOf(lost)}, expected numbers of other ranks: 0 to ${this.size - 1} without ${this.rank}`
      );
    const making = this.#native.shrink(ranks);
    // After the timeout, nobody waits for its failure.
    making.catch(() => undefined);
    let made: NativeCommunicator | undefined;
    let complete = false;
    try {
      made = await Promise.race([making, delay(timeout, undefined, { ref: false })]);
      complete = made !== undefined && (await settled(made, timeout));
    } finally {
      this.abort();
    }
    if (made === undefined || !complete)
      throw new CollectiveError(
        `rank ${this.rank} of ${this.size}: the remaining ranks did not shrink the communicator within ${timeout / 1000} s`
      );
    const rank = this.rank - ranks.filter(each => each < this.rank).length;
    const size = this.size - ranks.length;
    return new Communicator(made, this.device, rank, size, this.#shrunkClique(ranks, size));
  }

  #shrunkClique(ranks: readonly number[], size: number): Clique | null {
    if (this.#clique === null) return null;
    const key = ranks.join(',');
    const known = this.#clique.shrunk.get(key) ?? { size, shrunk: new Map() };
    this.#clique.shrunk.set(key, known);
    return known;
  }

  /** Destroys the communicator after the submitted work. All ranks must call it. A second call does nothing. @throws CollectiveError */
  async destroy(): Promise<void> {
    if (this.#freed) return;
    this.#freed = true;
    dropped.unregister(this);
    try {
      await retire(this.#native);
    } catch (error) {
      if (!this.#aborted) throw error;
    }
  }

  /**
   * Destroys the communicator immediately. Operations in progress, which may be waiting for a rank that exited, end too; do not use their
   * results. Also ends a pending `destroy`. A second call does nothing.
   * @throws CollectiveError
   */
  abort(): void {
    this.#freed = true;
    this.#aborted = true;
    dropped.unregister(this);
    this.#native.abort();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.destroy();
  }

  /** Returns a short description: rank, size and device. */
  toString(): string {
    const state = this.#freed ? ', freed' : '';
    return `Communicator rank ${this.rank} of ${this.size} on ${this.device.toString()}${state}`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }

  #requireAlive(): void {
    if (this.#freed)
      throw new FreedError(`rank ${this.rank} of ${this.size}: the communicator was destroyed or aborted`);
  }

  #rankOf(what: string, rank: number | undefined): number {
    if (rank !== undefined && Number.isSafeInteger(rank) && rank >= 0 && rank < this.size) return rank;
    throw new ArgumentError(`${what} is ${textOf(rank)}, expected a rank from 0 to ${this.size - 1}`);
  }

  #streamFor(array: NDArray, options: StreamOption): Stream {
    this.#requireAlive();
    if (!(array instanceof NDArray)) throw new ArgumentError(`${textOf(array)} is not an array`);
    const stream = options.stream ?? array.stream;
    for (const [what, device] of [
      ['the array', array.device],
      ['the stream', stream.device]
    ] as const) {
      if (device !== this.device)
        throw new DeviceError(
          `${what} is on ${device.toString()}, but rank ${this.rank} on ${this.device.toString()}; copy arrays there with toDevice()`
        );
    }
    return stream;
  }

  /** Checks the options of an operation on `array`. */
  #call(operation: Operation, array: NDArray, options: CallOptions): Call {
    const stream = this.#streamFor(array, options);
    const count = operation === 'reduceScatter' ? array.size / this.size : array.size;
    const reduces = REDUCING.has(operation);
    const elements = reduces ? numbers(array.dtype, count) : movedElements(array.dtype, count);
    const op = reduces ? reductionCode(options.op ?? 'sum') : 0;
    const role = ROLES[operation];
    const peer =
      role === undefined ? 0 : this.#rankOf(role, options[role] ?? (role === 'root' ? 0 : undefined));
    return { operation, stream, ...elements, op, peer };
  }

  /** Submits a call that writes `out`, or a new array of `shape`, and returns it; the call reads `array` unless `reads` is false. */
  #run<D extends DTypeName>(
    call: Call,
    array: NDArray<D>,
    options: Pick<TargetOption<D>, 'out'> & { readonly shape?: Shape; readonly reads?: boolean }
  ): NDArray<D> {
    const { shape = array.shape, reads = true } = options;
    const source = reads ? partOf(call.operation, array) : null;
    const { out = NDArray.allocate(shape, array.dtype, call.stream) } = options;
    try {
      if (out === options.out) requireTarget(out, array.dtype, shape, this.device);
      this.#submit(call, source, partOf(call.operation, out));
      return out;
    } catch (error) {
      if (out !== options.out) out.dispose();
      throw error;
    }
  }

  #submit(call: Call, source: Part | null, target: Part | null): void {
    const { rank } = this;
    submit({ ...call, source, target, communicator: this.#native, clique: this.#clique, rank });
  }
}
