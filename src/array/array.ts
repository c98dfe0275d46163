/** NDArray: a typed, strided view of device memory. The storage owns the memory; `transfer` and `copying` move the bytes. */

import { toDevice, type Device, type DeviceLike } from '../core/device.ts';
import type { DType, DTypeName, UntypedDTypeName } from '../dtype/dtype.ts';
import { readScalar, writeScalar } from '../dtype/elements.ts';
import { hostArray, hostArrayOver, type HostArrayOf, type Scalar } from '../dtype/host-array.ts';
import { sameDType } from '../dtype/parametric.ts';
import { ArgumentError, DeviceError, FreedError, ReadOnlyError, ShapeError } from '../base/errors.ts';
import { CAI_SYMBOL, type CudaArrayInterface } from '../protocols/cai.ts';
import type { DLPackCapsule } from '../protocols/capsule.ts';
import type { DLDevice } from '../protocols/dlpack-device.ts';
import { DLPACK, DLPACK_DEVICE, DLPACK_EXCHANGE, type DlpackOptions } from '../protocols/dlpack.ts';
import { formatShape, sizeOf, toShape, type Shape, type ShapeLike } from '../layout/shape.ts';
import { broadcastView, sliceView, transposeView, type SliceArgument, type View } from '../layout/slice.ts';
import {
  isColumnMajor,
  isRowMajor,
  mayOverlap,
  reshapedLengths,
  reshapedStrides,
  rowMajorStrides,
  type Strides
} from '../layout/strides.ts';
import { equalShapes } from '../compute/program/space.ts';
import { copyMask, maskFor, reshapeMask } from './mask.ts';
import { readNested, type Nested } from './nested.ts';
import { memoryObserver } from '../memory/manager/observer.ts';
import { Storage } from '../memory/storage.ts';
import { DISPLAY_METHOD, type MimeBundle } from '../notebook/host.ts';
import { noteInScope, takeOutOfScopes } from '../base/scope.ts';
import { Stream } from '../core/stream.ts';
import { noteSubject, subjects } from '../core/context.ts';
import { copyBetween, fillRegion } from './copying.ts';
import { readRegion, readRegionAsync } from './transfer.ts';
import { textOf } from '../base/value-text.ts';

/** The stream that an operation runs on. */
export interface StreamOption {
  /** The stream to run on; by default the array's stream. */
  readonly stream?: Stream | undefined;
}

/** The type of `__cuda_array_interface__` of a dtype: undefined without a typestr (rule 14), perhaps undefined if it is not known statically. */
export type InterfaceOf<D extends DTypeName> = D extends UntypedDTypeName ? undefined : CudaArrayInterface;

/** Listener called before `dispose` releases an array's memory; null if there is none. */
export const disposal: { told: ((array: NDArray) => void) | null } = { told: null };

/** Methods that higher layers add to arrays by module augmentation, as `ops/method-types.ts` does. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type, @typescript-eslint/no-unused-vars
export interface ArrayMethods<D extends DTypeName> {}

// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface NDArray<D extends DTypeName = DTypeName> extends ArrayMethods<D> {}

/** A typed, strided view of device memory. `members.ts` of the protocols, `ops/methods.ts` and `pictures/attach.ts` add members. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging
export class NDArray<D extends DTypeName = DTypeName> {
  /** The element type. */
  readonly dtype: DType<D>;
  /** The lengths of the axes, outermost first; empty for a 0-d array. */
  readonly shape: Shape;
  /** Byte strides: bytes from one element to the next along each axis. Never null, even for contiguous arrays. */
  readonly strides: Strides;
  /** True if the elements must not be written through this array. */
  readonly readOnly: boolean;
  /** The stream that operations on this array use unless they name another. */
  readonly stream: Stream;
  /** The number of elements. */
  readonly size: number;
  /**
   * The validity mask: an array of the same shape whose non-zero elements mark valid elements; null if all are valid (rule 49: the `mask`
   * entry). Views and copies keep the mask, and disposing this array disposes it. Arithmetic ignores it.
   */
  readonly mask: NDArray | null;
  /** Formats the values as NumPy does, with long axes abbreviated, followed by dtype, shape and device. Waits for pending work. */
  declare readonly toString: () => string;
  /** Returns the display of the array in a notebook: Stridelab's MIME type, HTML and text. */
  declare readonly [DISPLAY_METHOD]: () => MimeBundle;
  /**
   * The CUDA Array Interface, version 3 unless STRIDELAB_CAI_EXPORT_VERSION sets another; `exportCudaArrayInterface` has options.
   * Undefined for dtypes that it cannot name (rule 14). Each read is a new snapshot; reading may record events when several streams
   * have pending work (rule 80), which is why the property is not enumerable (rule 13). @throws FreedError
   */
  declare readonly __cuda_array_interface__: InterfaceOf<D>;
  declare readonly [CAI_SYMBOL]: InterfaceOf<D>;
  /** The DLPack device type and id. Reading it touches neither data nor streams (rule 141: no synchronization). @throws FreedError */
  declare readonly __dlpack_device__: () => DLDevice;
  declare readonly [DLPACK_DEVICE]: () => DLDevice;
  /** Exports the memory, or a copy of it, as a DLPack capsule (rules 142 to 158). @throws BufferError, ArgumentError, FreedError */
  declare readonly __dlpack__: (options?: DlpackOptions) => DLPackCapsule;
  declare readonly [DLPACK]: (options?: DlpackOptions) => DLPackCapsule;
  /** The C function table by which native code exchanges arrays (rule 173): an External, described in native/include/stridelab.h. */
  declare static readonly __dlpack_c_exchange_api__: object;
  declare static readonly [DLPACK_EXCHANGE]: object;
  readonly #storage: Storage;
  readonly #offset: number;
  #pointer: bigint | undefined;
  #exportedStrides: Strides | null | undefined;
  #exportedData: readonly [pointer: bigint, readOnly: boolean] | undefined;
  #overlaps: boolean | undefined;
  #freed = false;

  /** Internal: takes ownership of one reference to `storage`, and of `mask`. Use `zeros`, `array` and similar functions. */
  constructor(
    storage: Storage,
    dtype: DType<D>,
    view: View,
    stream: Stream,
    readOnly = false,
    mask: NDArray | null = null
  ) {
    this.#storage = storage;
    this.dtype = dtype;
    this.shape = view.shape;
    this.strides = view.strides;
    this.#offset = view.offset;
    this.stream = stream;
    this.readOnly = readOnly;
    this.mask = mask;
    this.size = sizeOf(view.shape);
    if (mask !== null) takeOutOfScopes(mask);
    noteInScope(this);
  }

  /** Allocates an array whose contents are not initialized. @throws DriverError when out of memory */
  static allocate<D extends DTypeName>(
    shape: Shape,
    dtype: DType<D>,
    stream: Stream,
    mask: NDArray | null = null
  ): NDArray<D> {
    const storage = Storage.allocate(stream.device, sizeOf(shape) * dtype.itemsize, 'device', stream);
    const view = { shape, strides: rowMajorStrides(shape, dtype.itemsize), offset: 0 };
    if (subjects.wanted) noteSubject(storage.pointer, dtype.name, shape);
    if (memoryObserver.current !== null) memoryObserver.current.named(storage, dtype.name, shape);
    return new NDArray(storage, dtype, view, stream, false, mask);
  }

  /** The memory under this array, which views share. @throws FreedError */
  get storage(): Storage {
    if (this.#freed || this.#storage.freed)
      throw new FreedError(
        `this ${this.dtype.name} array of shape ${formatShape(this.shape)} was freed: ` +
          'use it before its dispose(), or before the scope that holds it ends'
      );
    return this.#storage;
  }

  /** True after `dispose`. A freed array throws FreedError when it is used. */
  get freed(): boolean {
    return this.#freed || this.#storage.freed;
  }

  /** The device that holds the memory. */
  get device(): Device {
    return this.#storage.device;
  }

  /** The number of axes. */
  get ndim(): number {
    return this.shape.length;
  }

  /** The number of elements times the size of one, in bytes; a strided view spans more memory. */
  get nbytes(): number {
    return this.size * this.dtype.itemsize;
  }

  /** Bytes from the start of the storage to the first logical element. */
  get offset(): number {
    return this.#offset;
  }

  /** The address of the first logical element; 0n for an array without elements (rule 55). @throws FreedError */
  get pointer(): bigint {
    const { storage } = this; // throws for a freed array, even an empty one
    if (this.size === 0) return 0n;
    this.#pointer ??= storage.pointer + BigInt(this.#offset);
    return this.#pointer;
  }

  /** True if the elements are contiguous in row-major (C) order. */
  get isRowMajor(): boolean {
    return isRowMajor(this.shape, this.strides, this.dtype.itemsize);
  }

  /** True if the elements are contiguous in column-major (Fortran) order. */
  get isColumnMajor(): boolean {
    return isColumnMajor(this.shape, this.strides, this.dtype.itemsize);
  }

  /** True if every element's address is a multiple of its natural alignment, which typed loads on the device require (rule 64). */
  get isAligned(): boolean {
    const { alignment } = this.dtype;
    if (alignment === 1 || this.size === 0) return true;
    if (this.pointer % BigInt(alignment) !== 0n) return false;
    return this.strides.every((stride, axis) => stride % alignment === 0 || this.shape[axis]! <= 1);
  }

  /** The `data` entry of the CUDA Array Interface descriptor: pointer and read-only flag. @throws FreedError */
  get exportedData(): readonly [pointer: bigint, readOnly: boolean] {
    const { pointer } = this;
    this.#exportedData ??= Object.freeze([pointer, this.exportedReadOnly] as const);
    return this.#exportedData;
  }

  /** The `strides` entry of the interface's descriptor: null for C-contiguous (rule 19) and for empty arrays, otherwise byte strides. */
  get exportedStrides(): Strides | null {
    if (this.#exportedStrides === undefined) {
      this.#exportedStrides = this.isRowMajor ? null : this.strides;
    }
    return this.#exportedStrides;
  }

  /** The read-only flag of the descriptor. Also true if elements overlap, which consumers must not write in parallel (rule 30). */
  get exportedReadOnly(): boolean {
    this.#overlaps ??= mayOverlap(this.shape, this.strides, this.dtype.itemsize);
    return this.readOnly || this.#overlaps;
  }

  /**
   * Returns a view of part of the array, without a copy. Takes one `SliceArgument` for each axis.
   * @throws IndexError, FreedError
   * @example a.slice(null, '::-2')
   */
  slice(...arguments_: SliceArgument[]): NDArray<D> {
    const view = sliceView(this.shape, this.strides, arguments_);
    return this.#view(view, this.mask?.slice(...arguments_));
  }

  /** Returns a view with its axes permuted; reverses them if no order is given. @throws IndexError, FreedError */
  transpose(...axes: number[]): NDArray<D> {
    return this.#view(transposeView(this.shape, this.strides, axes), this.mask?.transpose(...axes));
  }

  /** A view with its axes in reverse order. */
  get T(): NDArray<D> {
    return this.transpose();
  }

  /** Returns a view of another shape; one dimension may be -1 and is computed. @throws ShapeError for another size, or if it needs a copy */
  reshape(...shape: number[]): NDArray<D> {
    const target = toShape(reshapedLengths(this.shape, shape));
    const strides = reshapedStrides(this.shape, this.strides, target, this.dtype.itemsize);
    const mask = this.mask === null ? null : reshapeMask(this.mask, target);
    return this.#view({ shape: target, strides, offset: 0 }, mask);
  }

  /** Returns a view broadcast to `shape`: repeated axes have stride 0, and make the view read-only. @throws ShapeError */
  broadcastTo(shape: ShapeLike): NDArray<D> {
    const target = toShape(shape);
    const view = broadcastView(this.shape, this.strides, target);
    return this.#view(view, this.mask?.broadcastTo(target), this.readOnly || sizeOf(target) > this.size);
  }

  /** Returns a view that uses another stream of the same device; its work starts after earlier work on the memory. @throws DeviceError */
  onStream(stream: Stream): NDArray<D> {
    const { storage, dtype, shape, strides, readOnly } = this;
    const target = this.#streamFor({ stream });
    const mask = this.mask?.onStream(stream) ?? null;
    const view = { shape, strides, offset: this.#offset };
    return new NDArray(storage.retain(), dtype, view, target, readOnly, mask);
  }

  /** Returns a view that rejects writes and is exported with the read-only flag (rule 59: the read-only flag). */
  asReadOnly(): NDArray<D> {
    return this.#view({ shape: this.shape, strides: this.strides, offset: 0 }, this.mask?.asReadOnly(), true);
  }

  /**
   * Returns a view whose valid elements are those at which `mask` is non-zero; null means that all are valid. The mask's shape must
   * broadcast to the array's.
   * @throws ValueError, ShapeError, DeviceError for a mask of unsuitable dtype, shape or device
   */
  withMask(mask: NDArray | null): NDArray<D> {
    if (mask !== null && mask.device !== this.storage.device)
      throw new DeviceError(`a mask on ${mask.device.toString()} for an array on ${this.device.toString()}`);
    const view = { shape: this.shape, strides: this.strides, offset: 0 };
    return this.#view(view, mask === null ? null : maskFor(mask, this.shape));
  }

  /** Copies the elements to the host in row-major order. Blocks until that is done. @throws FreedError, InterruptedError, DriverError */
  toTypedArray(options: StreamOption = {}): HostArrayOf<D> {
    return hostArrayOver(this.dtype, readRegion(this.#subject(), options.stream ?? this.stream));
  }

  /** Copies the elements to the host in row-major order without blocking JavaScript. */
  async toTypedArrayAsync(options: StreamOption = {}): Promise<HostArrayOf<D>> {
    return hostArrayOver(this.dtype, await readRegionAsync(this.#subject(), options.stream ?? this.stream));
  }

  /** Copies the elements to nested JavaScript arrays, with null for masked elements. Blocks JavaScript until the copy is done. */
  toNested(options: StreamOption = {}): Nested {
    return readNested(this, options);
  }

  /** Reads one element, masked or not. Blocks JavaScript until pending work is done. @throws IndexError */
  item(...index: number[]): Scalar {
    using element = this.slice(...index);
    if (element.size !== 1)
      throw new ShapeError(`item() needs one element, this selects ${formatShape(element.shape)}`);
    return readScalar(element.toTypedArray(), this.dtype, 0);
  }

  /** Sets every element to one value, on the device. @throws ValueError when the dtype cannot hold the value, ReadOnlyError */
  fill(value: Scalar, options: StreamOption = {}): this {
    const region = this.#writable();
    const stream = this.#streamFor(options);
    const one = hostArray(this.dtype, 1);
    writeScalar(one, this.dtype, 0, value);
    if (this.size > 0) fillRegion(region, one.buffer, this.isAligned, stream);
    return this;
  }

  /**
   * Copies the elements, and the mask, of `source`, which must have the same shape and dtype. The copy runs on the device, or between two
   * devices of one driver; strided sources on another device are first made contiguous there. Between drivers, and on a GPU without NVRTC
   * for strided data, the copy goes through host memory.
   * @throws ArgumentError, ShapeError, DeviceError, ReadOnlyError, and ValueError if only the source has a mask
   */
  copyFrom(source: NDArray, options: StreamOption = {}): this {
    const target = this.#writable();
    const stream = this.#streamFor(options);
    if (!(source instanceof NDArray))
      throw new ArgumentError(
        `copyFrom: expected an array of this library, not ${textOf(source)}: make one with array() or asCudaArray() first`
      );
    if (!sameDType(source.dtype, this.dtype) || !equalShapes(source.shape, this.shape))
      throw new ShapeError(
        `cannot copy ${source.dtype.name} ${formatShape(source.shape)} to ${this.dtype.name} ${formatShape(this.shape)}`
      );
    const from = source.#subject(); // throws for a freed source before anything is written
    copyMask(source.mask, this.mask, stream);
    if (this.size > 0) copyBetween(target, from, stream, source.stream);
    return this;
  }

  /** Returns a contiguous copy with its own memory. */
  copy(options: StreamOption = {}): NDArray<D> {
    return this.#copyTo(this.#streamFor(options));
  }

  /**
   * Returns the array on another device: this array if it is on that device already, otherwise a contiguous copy with its mask. Given a
   * stream, the result uses that stream; on the array's current device that is a view. The copy is submitted without waiting for it.
   * @throws DeviceError, FreedError, OutOfMemoryError
   */
  toDevice(target: DeviceLike | Stream, options: StreamOption = {}): NDArray<D> {
    const named = target instanceof Stream ? target : undefined;
    const device = named?.device ?? toDevice(target as DeviceLike);
    const stream = options.stream ?? named ?? Stream.legacyDefault(device);
    if (stream.device !== device)
      throw new DeviceError(`stream on ${stream.device.toString()} for a copy to ${device.toString()}`);
    const { storage } = this; // throws for a freed array, even if nothing is copied
    if (device === storage.device)
      return named === undefined || named === this.stream ? this : this.onStream(named);
    return this.#copyTo(named ?? stream, stream);
  }

  /** Records that code outside the library submitted work that reads the memory on `stream`. Later writes wait for that work. */
  recordUse(stream: Stream): void {
    this.storage.recordUse(this.#streamFor({ stream }), 'read');
  }

  /** Records that code outside the library submitted work to `stream` that writes the memory; later uses wait for it. @throws ReadOnlyError */
  recordWrite(stream: Stream): void {
    this.#writable().storage.recordUse(this.#streamFor({ stream }), 'write');
  }

  /** Blocks JavaScript until all pending work on the memory is done, on every stream that used it. @throws InterruptedError, DriverError */
  synchronize(): void {
    for (const stream of this.#streamsToWaitFor()) stream.synchronize();
  }

  /** Resolves when all pending work on the memory is done, on every stream that used it. */
  async synchronizeAsync(): Promise<void> {
    await Promise.all([...this.#streamsToWaitFor()].map(stream => stream.synchronizeAsync()));
  }

  /** Calls `listener` after each use of the memory through any view. Returns a function that removes the listener. */
  onUse(listener: () => void): () => void {
    return this.#storage.onUse(listener);
  }

  /** Releases this array. The memory is freed after its last view, and after all work that uses it (rule 101). A second call does nothing. */
  dispose(): void {
    if (this.#freed) return;
    this.#freed = true;
    disposal.told?.(this);
    try {
      this.mask?.dispose();
    } finally {
      this.#storage.release();
    }
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** Converts the array to text by `toString()`, and an array without axes to its value. @throws ArgumentError that names the method to call */
  [Symbol.toPrimitive](hint: 'string' | 'number' | 'default'): string | number | bigint | boolean {
    return hint === 'string' ? this.toString() : numberOf(this);
  }

  #view(view: View, mask: NDArray | null = null, readOnly = this.readOnly): NDArray<D> {
    const offset = view.shape.includes(0) ? this.#offset : this.#offset + view.offset;
    return new NDArray(this.storage.retain(), this.dtype, { ...view, offset }, this.stream, readOnly, mask);
  }

  /** Makes a contiguous copy with its mask, whose stream is `own`; the copy runs on `stream`. */
  #copyTo(own: Stream, stream = own): NDArray<D> {
    const mask = this.mask === null ? null : NDArray.allocate(this.mask.shape, this.mask.dtype, own);
    return NDArray.allocate(this.shape, this.dtype, own, mask).copyFrom(this, { stream });
  }

  /** Notes what the next operation works on for the trace. @throws FreedError */
  #subject(): this {
    const { storage } = this;
    if (subjects.wanted) noteSubject(storage.pointer, this.dtype.name, this.shape);
    return this;
  }

  #writable(): this {
    const subject = this.#subject();
    if (this.readOnly) throw new ReadOnlyError(`this ${this.dtype.name} array is read-only (rule 59)`);
    return subject;
  }

  /** The streams that used the memory; pending work of destroyed streams is joined into an existing one. */
  #streamsToWaitFor(): Set<Stream> {
    const pending = this.storage.uses();
    const streams = new Set([...pending, ...this.storage.recentUses()].map(use => use.stream));
    for (const stream of streams) if (stream.destroyed) streams.delete(stream);
    const left = pending.some(use => !use.complete && use.stream.destroyed) ? this.storage.join(false) : null;
    return left === null ? streams : streams.add(left);
  }

  #streamFor(options: StreamOption): Stream {
    const stream = options.stream ?? this.stream;
    if (stream.device !== this.device)
      throw new DeviceError(
        `stream on ${stream.device.toString()} for an array on ${this.device.toString()}`
      );
    return stream;
  }
}

/** Returns the value of an array without axes. @throws ArgumentError */
function numberOf(array: NDArray): number | bigint | boolean {
  if (array.ndim === 0 && array.mask === null) {
    const value = array.item();
    if (typeof value !== 'object' && typeof value !== 'string') return value;
  }
  throw new ArgumentError(
    `a ${array.dtype.name} array of shape ${formatShape(array.shape)} is not a number, and JavaScript's operators (+, -, *, <) do not work ` +
      'on arrays: call a function or a method, as in add(a, 1) or a.add(1). Text comes from `${a}` or String(a)'
  );
}
