/** Stridelab's array library: device arrays, streams and the interchange protocols, for notebooks and plain programs. */

export { NDArray, type InterfaceOf, type Nested, type NestedValues, type StreamOption } from './array.ts';
export { arange, array, empty, full, ones, zeros, type CreationOptions } from './creation.ts';
export { describeArray, type DescribeOptions } from './description/describe.ts';
export { ARRAY_MIME_TYPE, type ArrayDescription } from './description/schema.ts';
export { defaultDevice, Device, devices, type DeviceLike, type MemoryInfo } from './device.ts';
export { display, inspect } from './display.ts';
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
} from './notebook.ts';
export { Graph } from './graph.ts';
export { scope, type Scope, type Scoped } from './scope.ts';
export * from './sharing/index.ts';
export { Stream, type StreamOptions } from './stream.ts';
