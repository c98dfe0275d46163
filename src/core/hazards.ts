/**
 * Hazard detection: two accesses to the same bytes, at least one a write, that nothing orders on the device. `STRIDELAB_HAZARDS`
 * turns it on when the process starts: `1` collects reports, `warn` writes each as a process warning too, and `throw` throws it
 * from the submission that completes the pair. Without it there is no overhead. See docs/hazards.md.
 */

import { ArgumentError, HazardError } from '../base/errors.ts';
import type { HazardAccess, HazardReport, RaceReport } from '../base/hazard-report.ts';
import type { NativeBinding } from '../native/binding.ts';
import { whenLoaded } from '../native/load.ts';
import type { NativeHazardAccess, NativeHazardReport } from '../native/observation-binding.ts';
import { currentStack, userFrames } from './call-stack.ts';
import { Recording, requireCapacity, type Recorded, type RecordingOptions } from './recording.ts';

export const HAZARDS_VARIABLE = 'STRIDELAB_HAZARDS';

export type HazardMode = '1' | 'warn' | 'throw';

let binding: NativeBinding | undefined;

/** Reads the mode from the environment; null if detection is off. @throws ArgumentError for an unknown mode */
export function hazardMode(): HazardMode | null {
  const value = process.env[HAZARDS_VARIABLE] ?? '';
  if (value === '' || value === '0') return null;
  if (value === '1' || value === 'warn' || value === 'throw') return value;
  throw new ArgumentError(`${HAZARDS_VARIABLE} must be 1, warn, throw or 0, not '${value}'`);
}

const DEFAULT_CAPACITY = 1000;

/** Hazard detection of the process, with one instance: `hazards`. STRIDELAB_HAZARDS turns it on when the process starts. */
export class Hazards extends Recording<RecordingOptions, Recorded<HazardReport>> {
  #kept: HazardReport[] = [];
  #dropped = 0;
  #capacity = DEFAULT_CAPACITY;
  #stopped = false;
  readonly #listeners = new Set<(report: HazardReport) => void>();

  /** Whether accesses are checked: STRIDELAB_HAZARDS turned detection on, and `stop` was not called. */
  override get enabled(): boolean {
    return hazardMode() !== null && !this.#stopped;
  }

  /**
   * Resumes detection after `stop` and drops earlier reports. `capacity` is 1,000 reports by default.
   * @throws ArgumentError if STRIDELAB_HAZARDS did not turn detection on
   */
  override start({ capacity = DEFAULT_CAPACITY }: RecordingOptions = {}): this {
    if (hazardMode() === null)
      throw new ArgumentError(
        `hazards.start: detection begins with the process; set ${HAZARDS_VARIABLE} to 1, warn or throw before it starts`
      );
    this.#capacity = requireCapacity('hazards.start', capacity);
    this.#stopped = false;
    this.clear();
    return this;
  }

  /** Stops detection: later hazards are neither kept nor thrown. */
  override stop(): void {
    this.#stopped = true;
    this.changed();
  }

  /** Drops the reports; a pair that was reported may be reported again. */
  override clear(): void {
    this.#kept = [];
    this.#dropped = 0;
    binding?.hazards.clear();
    this.changed();
  }

  /** Returns the reports so far. Each pair of places in the program is reported once. */
  override read(): Recorded<HazardReport> {
    if (binding !== undefined)
      for (const report of binding.hazards.take()) this.tell(raceReport(report), false);
    return { events: [...this.#kept], dropped: this.#dropped };
  }

  /** Calls `listener` with each report as it is made, before mode `throw` throws it; returns a function that removes the listener. */
  onReport(listener: (report: HazardReport) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Internal: keeps a report and passes it to listeners; in mode `throw` returns the error to throw. */
  tell(report: HazardReport, throwable: boolean): HazardError | null {
    if (this.#stopped) return null;
    this.#kept.push(report);
    if (this.#kept.length > this.#capacity) {
      this.#kept.shift();
      this.#dropped++;
    }
    for (const listener of this.#listeners) listener(report);
    this.changed();
    const mode = hazardMode();
    if (mode === 'throw' && throwable) return new HazardError(report);
    if (mode === 'warn' || mode === 'throw')
      process.emitWarning(report.text, { type: 'HazardWarning', code: 'STRIDELAB_HAZARD' });
    return null;
  }
}

/** The hazard detection of this process. */
export const hazards: Hazards = new Hazards();

whenLoaded(loaded => {
  if (hazardMode() === null) return;
  binding = loaded;
  loaded.hazards.listen(currentStack, reports => {
    const made = reports.map(raceReport);
    // Every report is passed on before one is thrown.
    const errors = made.map(report => hazards.tell(report, true)).filter(error => error !== null);
    if (errors[0] !== undefined) throw errors[0];
  });
});

function hazardAccess(access: NativeHazardAccess): HazardAccess {
  const { streamId, streamHandle, stack, ...rest } = access;
  return { ...rest, stream: { id: streamId, handle: streamHandle }, stack: userFrames(stack) };
}

function raceReport({ pointer, bytes, ...accesses }: NativeHazardReport): RaceReport {
  const first = hazardAccess(accesses.first);
  const second = hazardAccess(accesses.second);
  const kind = `${second.access} after ${first.access}` as RaceReport['kind'];
  const where = second.captured ? 'inside the capture' : 'before the second';
  const text = [
    `${kind}, not ordered: ${bytes} bytes at ${hex(pointer)}`,
    ...accessLines('first', first),
    ...accessLines('then', second),
    `  fix: ${where}, have ${streamName(second)} wait for ${streamName(first)} (stream.wait); or leave the order to the library:`,
    `    import without sync: false, export without stream: -1, and wait before you report external work with recordUse or recordWrite`
  ].join('\n');
  return { kind, pointer, bytes, first, second, text };
}

function accessLines(label: string, access: HazardAccess): string[] {
  const number = access.sequence === 0 ? '' : `operation ${access.sequence}, `;
  const captured = access.captured ? ', captured' : '';
  const head = `  ${label}: ${access.access} by ${access.operation} (${number}${streamName(access)}${captured})`;
  return [head, ...access.stack.map(frame => `    ${frame}`)];
}

function streamName({ stream }: HazardAccess): string {
  const { id, handle } = stream;
  const name =
    handle === 1n ? 'the legacy stream' : handle === 2n ? 'the per-thread stream' : `stream ${hex(handle)}`;
  return id === 0 ? name : `stream #${id}${handle > 2n ? '' : `, ${name}`}`;
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`;
}
