/** Stridelab's array library: device arrays, streams and the interchange protocols, for notebooks and plain programs. */

export { NDArray, type InterfaceOf, type Nested, type NestedValues, type StreamOption } from './array.ts';
export {
  Communicator,
  type CommunicatorOptions,
  type PeerOptions,
  type ReduceOptions,
  type RootOptions,
  type TargetOption
} from './collectives/communicator.ts';
export type { ReductionName } from './collectives/elements.ts';
export type { CollectiveLibrary } from './collectives/library.ts';
export { arange, array, empty, full, ones, zeros, type CreationOptions } from './creation.ts';
export { describeArray, type DescribeOptions } from './description/describe.ts';
export { ARRAY_MIME_TYPE, type ArrayDescription } from './description/schema.ts';
export { defaultDevice, Device, devices, type DeviceLike, type MemoryInfo } from './device.ts';
export { exchanges, type Exchanges, type ExchangesOptions } from './exchanges.ts';
export type {
  ExchangeDescription,
  Fact as ExchangeFact,
  NoWait as NoWaitReason
} from './description/handshake/schema.ts';
export { inspect } from './inspect.ts';
export { explain } from './rules.ts';
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
export * from './errors.ts';
export { Event, type EventOptions } from './event.ts';
export {
  hazards,
  type HazardAccess,
  type HazardReport,
  type OverrunReport,
  type RaceReport
} from './hazards.ts';
export { exportCudaArrayInterface, type ExportOptions } from './interchange/cai/export.ts';
export {
  asCudaArray,
  fromCudaArrayInterface,
  type DescriptorImportOptions,
  type ImportOptions
} from './interchange/cai/import.ts';
export type { SyncMode } from './interchange/cai/order.ts';
export {
  CAI_SYMBOL,
  type CaiVersion,
  type CudaArrayInterface,
  type EventEntry
} from './interchange/cai/protocol.ts';
export type { Validation } from './interchange/cai/settings.ts';
export { caiCrossing, dlpackCrossing, type Crossing, type CrossingReport } from './interchange/convert.ts';
export { DLPackCapsule, isCapsule } from './interchange/dlpack/capsule.ts';
export { DLDeviceType, type DLDevice } from './interchange/dlpack/device.ts';
export { fromDlpack, type FromDlpackOptions } from './interchange/dlpack/import.ts';
export type { DlpackOptions, DlpackProducer, DLPackVersion } from './interchange/dlpack/protocol.ts';
export type { Shape, ShapeLike } from './layout/shape.ts';
export type { SliceArgument } from './layout/slice.ts';
export type { Strides } from './layout/strides.ts';
export * from './memory/index.ts';
export {
  attachNotebookHost,
  DISPLAY_METHOD,
  type Displayable,
  type MimeBundle,
  type NotebookHost
} from './notebook/host.ts';
export { Graph } from './graph.ts';
export type { LaunchArgument } from './jit/arguments.ts';
export { cuda } from './jit/cuda.ts';
export * from './python/index.ts';
export type { Diagnostic } from './jit/diagnostics.ts';
export {
  KernelFunction,
  type Extent,
  type KernelAttributes,
  type LaunchOptions,
  type Occupancy
} from './jit/kernel-function.ts';
export { CudaModule, type CompileOptions, type LoadOptions } from './jit/module.ts';
export type { KernelParameter } from './jit/signature.ts';
export { TypedValue } from './jit/typed-value.ts';
export { scope, type Scope, type Scoped } from './scope.ts';
export * from './sharing/index.ts';
export { Stream, type StreamOptions } from './stream.ts';
export { astype, type AstypeOptions } from './ops/convert.ts';
export type { OutOption } from './ops/evaluate.ts';
export { Expression } from './ops/expression.ts';
export {
  abs,
  acos,
  acosh,
  add,
  asin,
  asinh,
  atan,
  atan2,
  atanh,
  bitwiseAnd,
  bitwiseInvert,
  bitwiseLeftShift,
  bitwiseOr,
  bitwiseRightShift,
  bitwiseXor,
  cbrt,
  ceil,
  conj,
  copysign,
  cos,
  cosh,
  divide,
  equal,
  erf,
  exp,
  exp2,
  expm1,
  floor,
  floorDivide,
  greater,
  greaterEqual,
  hypot,
  imag,
  isfinite,
  isinf,
  isnan,
  less,
  lessEqual,
  log,
  log10,
  log1p,
  log2,
  logaddexp,
  logicalAnd,
  logicalNot,
  logicalOr,
  logicalXor,
  maximum,
  minimum,
  multiply,
  negative,
  notEqual,
  pow,
  real,
  reciprocal,
  remainder,
  round,
  rsqrt,
  sign,
  signbit,
  sin,
  sinh,
  sqrt,
  square,
  subtract,
  tan,
  tanh,
  trunc,
  where,
  type Operand
} from './ops/functions.ts';
export { fuse } from './ops/fuse.ts';
export { concatenate, stack, take, type JoinOptions, type TakeOptions } from './ops/joining.ts';
export { matmul, type MatmulOptions } from './ops/matmul.ts';
import './ops/methods.ts';
import './interchange/dlpack/members.ts';
import './description/attach.ts';
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
export { trace, type Trace, type TraceOptions } from './trace.ts';
export type { TraceNews, TraceReader } from './trace/reader.ts';
export type { ChromeEvent, ChromeTrace } from './trace/chrome.ts';
export type { TraceLabel } from './trace/context.ts';
export type { TraceArray, TraceBlock, TraceEvent, TraceKind, TraceRecords } from './trace/records.ts';
