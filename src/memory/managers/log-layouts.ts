/** The two layouts of allocation logs. */

import { threadId } from 'node:worker_threads';

import { isLibrary } from '../../core/call-stack.ts';
import type { Device } from '../../core/device.ts';
import type { Request } from './adaptor.ts';

export interface LogEvent {
  readonly action: 'allocate' | 'allocate failure' | 'free';
  readonly request: Request;
  /** 0n for a failure. */
  readonly pointer: bigint;
  /** Milliseconds since the program's start. */
  readonly start: number;
  readonly end: number;
  readonly context: Device;
  readonly currentAllocations: number;
}

/** The columns of an allocation log: RAPIDS Memory Manager's (`rmm`), or those of NBEP 7 (`nbep7`). */
export type LogLayout = 'rmm' | 'nbep7';

interface Layout {
  readonly header: string;
  row(event: LogEvent): string;
}

const address = (value: bigint): string => `0x${value.toString(16)}`;
const streamOf = ({ stream }: Request): string => (stream === null ? '0x0' : address(stream.handle));

/** Formats the time of day, hours to microseconds, in RMM's form. */
function timeOfDay(milliseconds: number): string {
  const instant = performance.timeOrigin + milliseconds;
  const micros = Math.floor((instant % 1000) * 1000);
  return `${new Date(instant).toTimeString().slice(0, 8)}:${String(micros).padStart(6, '0')}`;
}

/** Returns where the library was called: the innermost line of the stack outside its files. */
function location(): string {
  const lines = (new Error().stack ?? '').split('\n').slice(1);
  const line = lines.find(candidate => !isLibrary(candidate));
  return (line ?? '').replace(/^\s*at (?:.*\()?(.*?)\)?$/, '$1').replaceAll(',', ';');
}

const nbep7Actions = { allocate: 'Alloc', 'allocate failure': 'Alloc Failure', free: 'Free' } as const;

/** Formats a row of RMM's current layout; `time` in milliseconds since the program's start. */
export function rmmRow(
  action: LogEvent['action'],
  time: number,
  pointer: bigint,
  bytes: number,
  stream: bigint
): string {
  return [threadId, timeOfDay(time), action, address(pointer), bytes, address(stream)].join(',');
}

export const layouts: Readonly<Record<LogLayout, Layout>> = {
  rmm: {
    header: 'Thread,Time,Action,Pointer,Size,Stream',
    row: ({ action, request, pointer, start }) =>
      rmmRow(action, start, pointer, request.size, request.stream?.handle ?? 0n)
  },
  nbep7: {
    header:
      'Event Type,Device ID,Address,Stream,Size (bytes),Free Memory,Total Memory,Current Allocs,Start,End,Elapsed,Location',
    row: ({ action, request, pointer, start, end, context, currentAllocations }) => {
      const { free, total } = context.memoryInfo();
      const seconds = [start, end, end - start].map(value => (value / 1000).toFixed(9));
      const { ordinal } = context;
      const columns = [nbep7Actions[action], ordinal, address(pointer), streamOf(request), request.size];
      return [...columns, free, total, currentAllocations, ...seconds, location()].join(',');
    }
  }
};
