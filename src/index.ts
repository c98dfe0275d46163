/** Stridelab's array library: device arrays, streams and the interchange protocols, for notebooks and plain programs. */

export { NDArray, type InterfaceOf, type StreamOption } from './array/array.ts';
export type { Nested, NestedValues } from './array/nested.ts';
export { arange, array, empty, full, ones, zeros, type CreationOptions } from './array/creation.ts';
export { describeArray, type DescribeOptions } from './pictures/array/describe.ts';
export { ARRAY_MIME_TYPE } from './pictures/kit/live-messages.ts';
export type { ArrayDescription } from './pictures/array/schema.ts';
export { defaultDevice, Device, devices, type DeviceLike, type MemoryInfo } from './core/device.ts';
export { exchanges, type Exchanges, type ExchangesOptions } from './recording/exchanges/exchanges.ts';
export type {
  ExchangeDescription,
  Fact as ExchangeFact,
  NoWait as NoWaitReason
} from './recording/exchanges/facts.ts';
export { inspect } from './pictures/inspect.ts';
export { explain } from './base/rules.ts';
export { display } from './notebook/display.ts';
export {
  dtypes,
  type Descr,
  type DLDataType,
  type DType,
  type DTypeLike,
  type DTypeName,
  type Field
} from './dtype/dtype.ts';
export type { Complex, HostArray, HostArrayOf, RecordValue, Scalar } from './dtype/host-array.ts';
export { recordDType, toDType } from './dtype/resolve.ts';
export * from './base/errors.ts';
export { Event, type EventOptions } from './core/event.ts';
export type { HazardAccess, HazardReport, OverrunReport, RaceReport } from './base/hazard-report.ts';
export { hazards, type Hazards } from './core/hazards.ts';
export type { Recorded, Recording, RecordingOptions } from './core/recording.ts';
export { exportCudaArrayInterface, type ExportOptions } from './interchange/cai/export.ts';
export {
  asCudaArray,
  fromCudaArrayInterface,
  type DescriptorImportOptions,
  type ImportOptions
} from './interchange/cai/import.ts';
export type { SyncMode } from './interchange/order.ts';
export { CAI_SYMBOL, type CaiVersion, type CudaArrayInterface, type EventEntry } from './protocols/cai.ts';
export type { Validation } from './interchange/settings.ts';
export { caiCrossing, dlpackCrossing, type Crossing, type CrossingReport } from './interchange/convert.ts';
export { DLPackCapsule, isCapsule } from './protocols/capsule.ts';
export { DLDeviceType, type DLDevice } from './protocols/dlpack-device.ts';
export { fromDlpack, type FromDlpackOptions } from './interchange/dlpack/import.ts';
export type { DlpackOptions, DlpackProducer, DLPackVersion } from './protocols/dlpack.ts';
export type { Shape, ShapeLike } from './layout/shape.ts';
export type { SliceArgument } from './layout/slice.ts';
export type { Strides } from './layout/strides.ts';
export {
  memoryLog,
  type MemoryEvent,
  type MemoryLog,
  type MemoryLogOptions,
  type MemoryLogRecords
} from './recording/memory/memory-log.ts';
export type { LoggedAllocation, LoggedFailure, LoggedSegment } from './recording/memory/records.ts';

export {
  attachNotebookHost,
  DISPLAY_METHOD,
  type Displayable,
  type MimeBundle,
  type NotebookHost
} from './notebook/host.ts';
export { Graph } from './core/graph.ts';
export type { LaunchArgument } from './jit/arguments.ts';
export { cuda, type KernelOptions } from './kernels/cuda.ts';
export type { Kernel } from './kernels/launch/kernel.ts';
export type { DeviceArray } from './kernels/language/device-types.ts';
export {
  bf16,
  c128,
  c64,
  f16,
  f32,
  f64,
  i16,
  i32,
  i64,
  i8,
  u16,
  u32,
  u64,
  u8,
  type Cast,
  type ComplexCast
} from './kernels/language/number-types.ts';
export * from './python/index.ts';
export type { Diagnostic } from './base/diagnostic.ts';
export {
  KernelFunction,
  type KernelAttributes,
  type LaunchOptions,
  type Occupancy
} from './jit/kernel-function.ts';
export type { Extent, LaunchShape, ThreadChoice } from './jit/launch-shape.ts';
export { CudaModule, type CompileOptions, type LoadOptions } from './jit/module.ts';
export type { KernelParameter } from './jit/signature.ts';
export { TypedValue } from './jit/typed-value.ts';
export { scope, type Scope, type Scoped } from './base/scope.ts';
export { Stream, type StreamOptions } from './core/stream.ts';
export { astype, type AstypeOptions } from './ops/convert.ts';
export type { OutOption } from './ops/evaluate.ts';
export type { Operand } from './ops/signatures.ts';
export * from './ops/functions.ts';
export { concatenate, stack, take, type JoinOptions, type TakeOptions } from './ops/joining.ts';
export { matmul, type MatmulOptions } from './ops/matmul.ts';
import './ops/methods.ts';
import './interchange/cai/members.ts';
import './interchange/dlpack/members.ts';
import './pictures/attach.ts';
export { RandomGenerator, type DrawOptions } from './ops/random.ts';
export {
  all,
  any,
  argmax,
  argmin,
  cumprod,
  cumsum,
  max,
  mean,
  min,
  prod,
  sum,
  type CumulationOptions,
  type PositionOptions,
  type ReductionOptions,
  type SumOptions
} from './ops/reductions.ts';
export { trace, type Trace, type TraceOptions } from './recording/trace/trace.ts';
export type { TraceNews, TraceReader } from './recording/trace/reader.ts';
export type { ChromeEvent, ChromeTrace } from './recording/trace/chrome.ts';
export type { TraceLabel } from './core/context.ts';
export type {
  TraceArray,
  TraceBlock,
  TraceEvent,
  TraceKind,
  TraceRecords
} from './recording/trace/records.ts';
