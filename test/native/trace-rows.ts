/** Reads records of the core's trace; helpers for its tests. */

import type { NativeDevice, NativeStorage, NativeStream } from '../../src/native/binding.ts';
import { native, settle, simulated } from './support.ts';

const { recording, trace } = native;
export const [recorder] = native.devices('recording') as [NativeDevice];

/** In the order of native/binding/trace_calls.cc. */
export const FIELDS = 19;
export const KINDS = [
  'host-to-device',
  'device-to-host',
  'on-device',
  'fill',
  'kernel',
  'graph',
  'stream-wait',
  'host-wait',
  'allocation',
  'free',
  'range'
];

export interface Row {
  readonly kind: string;
  readonly name: string;
  readonly number: number;
  readonly driver: number;
  readonly stream: number;
  readonly waitsFor: number;
  readonly thread: number;
  readonly source: number;
  readonly tag: number;
  readonly bytes: number;
  readonly live: number;
  readonly hostBegin: number;
  readonly hostEnd: number;
  readonly submitted: number;
  readonly begin: number;
  readonly end: number;
  readonly blocks: readonly bigint[];
}

export function rows(): Row[] {
  const { names, numbers, operands } = trace.read();
  expect(numbers).toHaveLength(names.length * FIELDS);
  let taken = 0;
  return names.map((name, index) => {
    const at = (field: number): number => numbers[index * FIELDS + field] as number;
    const blocks = [...operands.subarray(taken, (taken += 3 * at(15)))];
    return {
      kind: KINDS[at(0)] as string,
      name,
      number: at(16),
      driver: at(1),
      stream: at(3),
      waitsFor: at(4),
      thread: at(5),
      source: at(6),
      tag: at(7),
      bytes: at(8),
      live: at(9),
      hostBegin: at(10),
      hostEnd: at(11),
      submitted: at(12),
      begin: at(13),
      end: at(14),
      blocks
    };
  });
}

export const on = (device = simulated()): NativeStream =>
  native.createStream(device, { blocking: false, priority: 0 });
export const block = (bytes = 64, device = simulated()): NativeStorage =>
  native.allocate(device, bytes, 'device');
/** The names of the driver calls that `action` makes. */
export function callsOf(action: () => void): string[] {
  recording.clear();
  action();
  return recording.log().map(call => call.slice(0, call.indexOf('(')));
}

/** Clears the trace, so that no test sees the records of another. */
export function tracesApart(): void {
  beforeEach(() => {
    settle();
    recorder.synchronize();
  });
  afterEach(() => {
    trace.stop();
    trace.clear();
    recording.reset();
  });
}
