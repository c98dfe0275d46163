/** Memory managers and memory without arrays. */

export {
  deferCleanup,
  getMemoryInfo,
  memalloc,
  memallocmanaged,
  memhostalloc,
  mempin,
  type DeviceOption
} from './context.ts';
export {
  BaseCUDAMemoryManager,
  type HostAllocOptions,
  type HostMemory,
  type MemoryManagerClass
} from './manager/base.ts';
export { DefaultCUDAMemoryManager } from './managers/default.ts';
export { MappedMemory, PinnedMemory } from './manager/host-memory.ts';
export { HostOnlyCUDAMemoryManager } from './manager/host-only.ts';
export { ipcHandleOf } from './manager/ipc-export.ts';
import './ipc-staging.ts';
export { IpcHandle, type IpcHandleFields, type IpcSource } from './manager/ipc-handle.ts';
export { ManagedMemory, MemoryPointer, type Finalizer } from './manager/pointer.ts';
export { currentManager, resetMemory, setMemoryManager, usingMemoryManager } from './registry.ts';
export { MemoryManagerAdaptor, type Request } from './managers/adaptor.ts';
export { AsyncPoolMemoryManager } from './managers/async-pool.ts';
export { BestFitPoolMemoryManager, type PoolStatistics } from './managers/best-fit-pool.ts';
export { FailureCallbackAdaptor, type FailureCallback } from './managers/failure-callback.ts';
export { GuardingAdaptor, type GuardingOptions } from './managers/guarding.ts';
export { IpcPoolMemoryManager } from './managers/ipc-pool.ts';
export { LimitingAdaptor, type LimitingOptions } from './managers/limiting.ts';
export type { BlockState, MemoryBlock, MemorySegment, SegmentKind } from './manager/segments.ts';
export type { LogLayout } from './managers/log-layouts.ts';
export { LoggingAdaptor, type LoggingOptions } from './managers/logging.ts';
export { StatisticsAdaptor, type AllocationStatistics } from './managers/statistics.ts';
export { TrackingAdaptor, type TrackedAllocation, type TrackingOptions } from './managers/tracking.ts';
export { VirtualMemoryManager } from './managers/virtual.ts';
