/**
 * Exports the page's records in Chrome's trace event format when no kernel can do it: the same processes,
 * rows and arrows as the kernel's export, without memory blocks.
 */

import { TRACE_KINDS } from '../../../../src/recording/trace/kinds.ts';
import { ALLOCATION, FREE, LABEL } from './kinds.ts';
import type { Records } from './records.ts';

/** Rows of submissions in virtual time sort after a device's streams. */
const SUBMISSIONS = 1_000_000;

export function chromeJson(records: Records): string {
  const events: object[] = [];
  const named = new Set<string>();
  const devices = [...new Set(records.lanes.map(({ device }) => device))]
    .filter(device => device !== null)
    .sort();
  const name = (kind: 'process' | 'thread', pid: number, tid: number, text: string): void => {
    if (named.has(`${kind} ${pid} ${tid}`)) return;
    named.add(`${kind} ${pid} ${tid}`);
    events.push({ name: `${kind}_name`, ph: 'M', pid, tid, args: { name: text } });
  };
  name('process', 1, 0, 'host');
  for (const slot of records.kinds.keys()) {
    const entry = records.entryAt(slot);
    const { kind, number: id, lane, host, start, duration, submitted: ts, bytes, cell, array } = entry;
    const pid = 2 + devices.indexOf(lane?.device ?? '');
    const args = { number: id, bytes, cell, array, labels: entry.labels.join(' > ') };
    const common = { name: entry.name, cat: TRACE_KINDS[kind], args };
    const isTimed = lane !== undefined && kind !== LABEL && !Number.isNaN(start);
    if (isTimed) {
      const { device, deviceName, virtual } = lane;
      name('process', pid, 0, virtual ? `${device}, virtual time` : `${device} ${deviceName}`);
      name('thread', pid, lane.id, lane.name);
      events.push({ ...common, ph: 'X', pid, tid: lane.id, ts: start, dur: duration });
    }
    if (Number.isNaN(ts) || host === undefined) continue;
    const virtual = isTimed && lane.virtual;
    const at = { pid: virtual ? pid : 1, tid: virtual ? SUBMISSIONS + host.id : host.id };
    name('thread', at.pid, at.tid, virtual ? `submissions of ${host.name}` : host.name);
    if (kind === ALLOCATION || kind === FREE) events.push({ ...common, ...at, ph: 'i', s: 't', ts });
    else events.push({ ...common, ...at, ph: 'X', ts, dur: entry.submitDuration });
    if (!isTimed || ts > start + duration) continue;
    const flow = { name: 'submission', cat: 'flow', id };
    events.push({ ...flow, ...at, ph: 's', ts });
    events.push({ ...flow, ph: 'f', bp: 'e', pid, tid: lane.id, ts: Math.max(ts, start) });
  }
  return JSON.stringify({ traceEvents: events, displayTimeUnit: 'ns', otherData: { producer: 'stridelab' } });
}
