/** Reports of hazard detection and the guarding memory manager: see docs/hazards.md. */

/** One of the two accesses of a hazard. */
export interface HazardAccess {
  /** Whether the memory was read or written. */
  readonly access: 'read' | 'write';
  /** The stream: `id` as in `Stream.id`, or 0 if the library has no object for the stream. */
  readonly stream: { readonly id: number; readonly handle: bigint };
  /** The number of the operation on its stream, from 1; 0 for driver calls without one. */
  readonly sequence: number;
  /** The name of the driver function or kernel. */
  readonly operation: string;
  /** Whether the operation was submitted inside a capture. */
  readonly captured: boolean;
  /** The user's stack frames at the submission, innermost first; empty if no JavaScript was running. */
  readonly stack: readonly string[];
}

/** Two accesses to the same bytes that nothing orders, in the order of submission. */
export interface RaceReport {
  /** The kind of hazard; it names the accesses in the order of submission. */
  readonly kind: 'read after write' | 'write after read' | 'write after write';
  /** The address of the first byte that both accesses use. */
  readonly pointer: bigint;
  /** The number of bytes that both accesses use. */
  readonly bytes: number;
  /** The access that was submitted first. */
  readonly first: HazardAccess;
  /** The access that was submitted second, without waiting for the first. */
  readonly second: HazardAccess;
  /** The whole report as text. */
  readonly text: string;
}

/** A write outside its block, found in the margins that the guarding memory manager adds. */
export interface OverrunReport {
  /** Distinguishes this report from those of races. */
  readonly kind: 'write out of bounds';
  /** The address of the first byte that changed. */
  readonly pointer: bigint;
  /** The number of bytes from the first to the last that changed. */
  readonly bytes: number;
  /** The block whose margin was written, and where it was allocated. */
  readonly block: { readonly pointer: bigint; readonly bytes: number; readonly stack: readonly string[] };
  /** The whole report as text. */
  readonly text: string;
}

/** A finding of hazard detection (a race) or of the guarding memory manager (a write out of bounds). See docs/hazards.md. */
export type HazardReport = RaceReport | OverrunReport;
