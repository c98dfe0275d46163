/** Kinds of recorded operations, and the progress of a trace. Pure: pages load it. */

/** In the order of TraceKind in native/core/trace.h. */
export const TRACE_KINDS = [
  'copy-host-to-device',
  'copy-device-to-host',
  'copy-on-device',
  'fill',
  'kernel',
  'graph',
  'stream-wait',
  'host-wait',
  'allocation',
  'free',
  'label'
] as const;

/** Progress of a trace at one moment. */
export interface TraceProgress {
  /** Changes with each start and clear: records of another epoch do not belong to this trace. */
  readonly epoch: number;
  readonly recording: boolean;
  /** Records since the start, including those that were dropped. */
  readonly added: number;
  /** Older records that the kernel's ring buffer dropped. */
  readonly dropped: number;
}
