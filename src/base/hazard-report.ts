/** What hazard detection and the guarding memory manager report: see docs/hazards.md. */

export interface HazardAccess {
  readonly access: 'read' | 'write';
  /** `id` as `Stream.id`, 0 for a stream of which the library has no object. */
  readonly stream: { readonly id: number; readonly handle: bigint };
  /** Number of the operation on the stream, from 1; 0 for driver calls that have none. */
  readonly sequence: number;
  /** Driver function or kernel. */
  readonly operation: string;
  /** Whether it was submitted inside a capture. */
  readonly captured: boolean;
  /** Where it was submitted, innermost frame first, frames of the library left out; empty where no JavaScript was running. */
  readonly stack: readonly string[];
}

/** An unordered pair of accesses, in the order of their submission. */
export interface RaceReport {
  readonly kind: 'read after write' | 'write after read' | 'write after write';
  /** First address and number of the bytes that both use. */
  readonly pointer: bigint;
  readonly bytes: number;
  readonly first: HazardAccess;
  readonly second: HazardAccess;
  /** All of it, for people. */
  readonly text: string;
}

/** A write outside its block, found in the margins that the guarding memory manager keeps. */
export interface OverrunReport {
  readonly kind: 'write out of bounds';
  /** First address and number of the bytes from the first to the last that changed. */
  readonly pointer: bigint;
  readonly bytes: number;
  /** The block whose margin it was, and where it was allocated. */
  readonly block: { readonly pointer: bigint; readonly bytes: number; readonly stack: readonly string[] };
  /** All of it, for people. */
  readonly text: string;
}

export type HazardReport = RaceReport | OverrunReport;
