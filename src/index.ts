/** Stridelab's array library: device arrays, streams and the interchange protocols, for notebooks and plain programs. */

export { NDArray, type Nested, type StreamOption } from './array.ts';
export { arange, array, empty, full, ones, zeros, type CreationOptions } from './creation.ts';
export { describeArray, type DescribeOptions } from './description/describe.ts';
export { ARRAY_MIME_TYPE, type ArrayDescription } from './description/schema.ts';
export { defaultDevice, Device, devices, type DeviceLike, type MemoryInfo } from './device.ts';
export { display, inspect } from './display.ts';
export { dtypes, type DLDataType, type DType, type DTypeLike, type DTypeName } from './dtype/dtype.ts';
export type { Complex, HostArray, HostArrayOf, Scalar } from './dtype/elements.ts';
export * from './errors.ts';
export { Event, type EventOptions } from './event.ts';
export type { CudaArrayInterface } from './interchange/cai.ts';
export { DLDeviceType, type DLDevice } from './interchange/dlpack.ts';
export type { Shape, ShapeLike } from './layout/shape.ts';
export type { SliceArgument } from './layout/slice.ts';
export type { Strides } from './layout/strides.ts';
export {
  attachNotebookHost,
  DISPLAY_METHOD,
  type Displayable,
  type MimeBundle,
  type NotebookHost
} from './notebook.ts';
export { Stream, type StreamOptions } from './stream.ts';
