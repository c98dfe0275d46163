/** Builds the memory picture: figures of each device, and rows from the log. */

import { managedDevices } from '../../memory/manager/kept-memory.ts';
import type { Device } from '../../core/device.ts';
import {
  MEMORY_PICTURE_VERSION,
  type MemoryDevice,
  type MemoryPicture,
  type MemoryRows,
  type MemoryRowsAnswer
} from './schema.ts';
import { DeviceLostError } from '../../base/errors.ts';
import { drainReleases } from '../../memory/manager/out-of-memory.ts';
import { thinnedHistory } from './history.ts';
import { holdingsOn } from '../../recording/memory/holdings.ts';
import { nameOwners, type Variables } from './owners.ts';
import {
  Allocation,
  type LogEvent,
  type LoggedFailure,
  type Segment
} from '../../recording/memory/records.ts';
import type { LogStatus, MemoryLog } from '../../recording/memory/memory-log.ts';
import { packRows, type Contents } from './rows.ts';

/** Maximum characters of the rows in a saved notebook, and the maximum number of allocations tried. */
const ROOM = 36_000;
const MOST_ROWS = 240;
const FRAMES = { saved: 4, live: 24 };
const PARTS = 80;

/** Describes the current state; owners are named after `variables`. */
export function describeMemory(log: MemoryLog, variables: Variables): MemoryPicture {
  const status = log.status();
  const { state, start, recorder } = status;
  // Returns disposed blocks whose work is complete to their manager first.
  drainReleases();
  for (const device of managedDevices()) status.indexOf(device);
  const alive = recorder.alive();
  const named = nameOwners(alive, variables, recorder);
  const events = recorder.events();
  const all = contentsOf(events, alive, recorder.segments());
  const { rows, complete, omitted } = boundedRows(status, all, alive, named);
  return {
    version: MEMORY_PICTURE_VERSION,
    state,
    start,
    now: recorder.now / 1000,
    ...recorder.span,
    devices: status.devices().map(device => describeDevice(device, status, events, alive)),
    rows,
    complete,
    omitted
  };
}

/** Describes changes at event `after` and later, or everything if the page knows too little or an older recording. */
export function describeChanges(
  log: MemoryLog,
  variables: Variables,
  known: { readonly start: number; readonly after: number }
): { readonly answer: MemoryRowsAnswer; readonly buffers: Float64Array[] } {
  const status = log.status();
  const { recorder, start } = status;
  const { first, next } = recorder.span;
  const alive = recorder.alive();
  const named = nameOwners(alive, variables, recorder);
  const whole = known.start !== start || known.after < first;
  const contents = whole
    ? contentsOf(recorder.events(), alive, recorder.segments())
    : contentsOf(recorder.events(known.after), [], []);
  const { indexOf } = status;
  const { rows, names } = packRows(contents, { indexOf, named, frames: FRAMES.live, alive });
  const { texts, allocations, segments, failures } = rows;
  return {
    answer: { start, whole, first, next, texts, names },
    buffers: [allocations, segments, failures].map(numbers => Float64Array.from(numbers))
  };
}

function contentsOf(
  events: readonly LogEvent[],
  alive: readonly Allocation[],
  open: readonly Segment[]
): Contents {
  const allocations = new Set(alive);
  const segments = new Set(open);
  const failures: LoggedFailure[] = [];
  for (const { kind, subject } of events) {
    if (subject instanceof Allocation) allocations.add(subject);
    else if (kind === 'failure') failures.push(subject as LoggedFailure);
    else segments.add(subject as Segment);
  }
  return { allocations: [...allocations], segments: [...segments], failures };
}

/** Returns all rows if they fit, otherwise the live ones, largest first. */
function boundedRows(
  status: LogStatus,
  all: Contents,
  alive: readonly Allocation[],
  named: ReadonlySet<Allocation>
): { readonly rows: MemoryRows; readonly complete: boolean; readonly omitted: number } {
  const options = { indexOf: status.indexOf, named, frames: FRAMES.saved };
  const rowsOf = (contents: Contents): MemoryRows => packRows(contents, options).rows;
  const fits = (rows: MemoryRows): boolean => JSON.stringify(rows).length <= ROOM;
  if (all.allocations.length <= MOST_ROWS && all.segments.length + all.failures.length <= MOST_ROWS) {
    const rows = rowsOf(all);
    if (fits(rows)) return { rows, complete: true, omitted: 0 };
  }
  const largest = [...alive].sort((a, b) => b.bytes - a.bytes);
  const segments = status.recorder.segments();
  for (let most = MOST_ROWS; ; most = Math.floor(most / 2)) {
    const shown = largest.slice(0, most);
    const rows = rowsOf({
      allocations: shown,
      segments: segments.slice(0, most),
      failures: all.failures.slice(-Math.ceil(most / 8))
    });
    if (most === 0 || fits(rows)) return { rows, complete: false, omitted: alive.length - shown.length };
  }
}

function describeDevice(
  device: Device,
  { state, recorder }: LogStatus,
  events: readonly LogEvent[],
  alive: readonly Allocation[]
): MemoryDevice {
  const { label, name, simulated } = device;
  const peak = state === 'off' ? null : recorder.peakOf(device);
  return {
    label,
    name,
    simulated,
    ...figuresOf(device, alive),
    peak: peak === null ? null : peak.bytes,
    peakAfter: peak === null ? null : peak.after,
    history: peak === null ? [] : thinnedHistory(events, device, peak.live, PARTS)
  };
}

type Figures = Omit<MemoryDevice, 'label' | 'name' | 'simulated' | 'peak' | 'peakAfter' | 'history'>;

function figuresOf(device: Device, alive: readonly Allocation[]): Figures {
  try {
    return currentFigures(device, alive);
  } catch (error) {
    if (!(error instanceof DeviceLostError)) throw error;
    const nothing = { free: 0, used: 0, waiting: 0, kept: 0, largest: null, holes: null, managers: [] };
    return { ...nothing, total: device.totalMemory, problem: error.message };
  }
}

function currentFigures(device: Device, alive: readonly Allocation[]): Figures {
  const { free, total } = device.memoryInfo();
  const { managers, segments, held, used, waiting, largest, holes } = holdingsOn(device);
  // User-defined managers may report nothing: what the log recorded for them counts as used.
  const told = new Set(segments.flatMap(({ blocks }) => blocks.map(({ pointer }) => pointer)));
  const slabs = segments.flatMap(({ kind, pointer, bytes }) =>
    kind === 'slab' && pointer !== null ? { pointer, end: pointer + BigInt(bytes) } : []
  );
  const other = alive.filter(
    ({ device: of, kind, pointer }) =>
      of === device &&
      kind === 'device' &&
      !told.has(pointer) &&
      !slabs.some(slab => pointer >= slab.pointer && pointer < slab.end)
  );
  const untold = other.reduce((sum, { bytes }) => sum + bytes, 0);
  const kept = held - used - waiting;
  return { total, free, used: used + untold, waiting, kept, largest, holes, managers };
}
