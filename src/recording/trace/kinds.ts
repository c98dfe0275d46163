/** What is recorded of work, and how far a trace is. Pure: pages load it. */

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

/** How far a trace is, at one moment. */
export interface TraceProgress {
  /** Another number after each start and clear: records of another epoch are not of this trace. */
  readonly epoch: number;
  readonly recording: boolean;
  /** Records since the start, including those that were dropped. */
  readonly added: number;
  /** Older ones that the ring of the kernel had no room for. */
  readonly dropped: number;
}
