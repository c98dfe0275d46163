/** Exports a memory log for other tools: RMM's CSV, and JSON. */

import { layouts, rmmRow } from '../../memory/managers/log-layouts.ts';
import { formatShape } from '../../layout/shape.ts';
import { Allocation, type LogEvent, type LoggedFailure } from './records.ts';

/** Formats one device's allocations, frees and failures. `began`: the start on the program's clock, in milliseconds. */
export function rmmCsv(events: readonly LogEvent[], began: number): string {
  const rows = events.flatMap(({ kind, time, subject }) => {
    const at = began + time / 1000;
    if (kind === 'failure') return rmmRow('allocate failure', at, 0n, (subject as LoggedFailure).bytes, 0n);
    if (!(subject instanceof Allocation) || subject.kind === 'borrowed') return [];
    const { pointer, requested, stream } = subject;
    return rmmRow(kind === 'free' ? 'free' : 'allocate', at, pointer, requested, stream?.handle ?? 0n);
  });
  return [layouts.rmm.header, ...rows, ''].join('\n');
}

/** Converts every event to a plain object; addresses are hexadecimal text. */
export function logJson(events: readonly LogEvent[]): Record<string, unknown>[] {
  return events.map(({ kind, number, time, subject }) => {
    const event = { number, time, kind, device: subject.device.label, bytes: subject.bytes };
    if (kind === 'failure') {
      const { free, pooled, largest, reason, message, cell, stack } = subject as LoggedFailure;
      return { ...event, free, pooled, largest, reason, message, cell, stack };
    }
    const { id, pointer } = subject as Extract<LogEvent['subject'], { readonly pointer: bigint }>;
    const block = { ...event, id, pointer: `0x${pointer.toString(16)}` };
    if (!(subject instanceof Allocation) || kind === 'free' || kind === 'return') return block;
    const { requested, manager, cell, stack, array, stream } = subject;
    return {
      ...block,
      requested,
      manager,
      stream: stream?.label ?? null,
      array: array === null ? null : `${array.dtype} ${formatShape(array.shape)}`,
      cell,
      stack
    };
  });
}
