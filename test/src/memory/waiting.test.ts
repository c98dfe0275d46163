/** Freed memory that waits to be released is reported as such in each picture, never as external memory. */

import { describeMemory } from '../../../src/pictures/memory/picture.ts';
import { readDevices } from '../../../kernel/widgets/pictures/arrays/devices.ts';
import type { ArrayEntry } from '../../../src/pictures/arrays/schema.ts';
import { describeDevice } from '../../../src/pictures/device/describe.ts';
import {
  BestFitPoolMemoryManager,
  DefaultCUDAMemoryManager,
  usingMemoryManager
} from '../../../src/memory/index.ts';
import { devices, memoryLog, Stream, zeros, type Device } from '../../../src/index.ts';
import { holdingsOn } from '../../../src/recording/memory/holdings.ts';
import { giveBackKeptMemory } from '../../../src/memory/manager/kept-memory.ts';
import { native } from '../../../src/native/load.ts';
import { DISPLAY_METHOD } from '../../../src/notebook/host.ts';
import { skipUnderPlugin } from '../managers/skip.ts';

const device = devices().find(({ label }) => label === 'sim:0') as Device;
const BYTES = 40_000;

/** Nothing is in use, reserved or waiting, except for memory that other tests of the process left. */
beforeEach(() => {
  // Pictures omit a device without a manager.
  zeros(1, { device }).dispose();
  giveBackKeptMemory(device);
  device.synchronize();
  native().drainReleases(true);
  giveBackKeptMemory(device);
});

/** The memory that each picture attributes to other processes and libraries. */
function others(): Record<string, number> {
  const [described] = describeMemory(memoryLog, {}).devices.filter(({ label }) => label === device.label);
  const { memory } = describeDevice(device);
  const [entry] = readDevices([{ device: device.label } as ArrayEntry]);
  if (described === undefined || memory === null || entry === undefined) throw new Error('no picture');
  return {
    view: described.total - described.free - described.used - (described.waiting ?? 0) - described.kept,
    card: memory.total - memory.free - memory.ours - (memory.waiting ?? 0),
    sidebar: entry.total - entry.free - entry.held
  };
}

test('a free that the manager defers', () => {
  using _ = usingMemoryManager(DefaultCUDAMemoryManager);
  const before = others();
  const { waiting } = holdingsOn(device);
  zeros(BYTES, { device, dtype: 'uint8' }).dispose();
  expect(holdingsOn(device).waiting - waiting).toBe(BYTES);
  expect(others()).toEqual(before);
  expect(memoryLog[DISPLAY_METHOD]()['text/plain']).toContain('pending release');
  expect(device[DISPLAY_METHOD]()['text/plain']).toContain('pending release');
  device.synchronize();
  giveBackKeptMemory(device);
  expect(holdingsOn(device).waiting).toBe(0);
});

test('memory that pending work still uses', () => {
  using _ = usingMemoryManager(DefaultCUDAMemoryManager);
  using stream = new Stream({ device });
  const before = others();
  const array = zeros(BYTES, { stream, dtype: 'uint8' });
  array.fill(1);
  array.dispose();
  const { used, waiting } = holdingsOn(device);
  expect({ used, waiting }).toEqual({ used: 0, waiting: BYTES });
  giveBackKeptMemory(device);
  expect(holdingsOn(device)).toMatchObject({ used: 0, waiting: BYTES });
  expect(others()).toEqual(before);
  stream.synchronize();
  native().drainReleases();
  giveBackKeptMemory(device);
  expect(holdingsOn(device).waiting).toBe(0);
});

skipUnderPlugin('memory that a pool keeps for reuse waits for nothing', () => {
  using _ = usingMemoryManager(BestFitPoolMemoryManager);
  zeros(BYTES, { device, dtype: 'uint8' }).dispose();
  expect(holdingsOn(device)).toMatchObject({ used: 0, waiting: 0 });
});

test('memory with other holders does not wait', () => {
  using _ = usingMemoryManager(DefaultCUDAMemoryManager);
  const array = zeros(BYTES, { device, dtype: 'uint8' });
  const capsule = array.__dlpack__();
  array.dispose();
  expect(holdingsOn(device)).toMatchObject({ used: BYTES, waiting: 0 });
  capsule.dispose();
});
