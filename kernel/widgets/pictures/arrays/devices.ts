/** Memory usage of the devices that hold arrays. Others are not queried: that would create a context on a GPU. */

import { devices } from '../../../../src/core/device.ts';
import { holdingsOn } from '../../../../src/recording/memory/holdings.ts';
import type { ArrayEntry, DeviceEntry } from '../../../../src/pictures/arrays/schema.ts';

export function readDevices(entries: readonly ArrayEntry[]): DeviceEntry[] {
  const labels = new Set(entries.map(({ device }) => device));
  if (labels.size === 0) return [];
  return devices()
    .filter(({ label }) => labels.has(label))
    .map(device => {
      const { label, name, simulated } = device;
      const base = { label, name, simulated, total: 0, free: 0, waiting: 0, held: 0, problem: null };
      try {
        const { waiting, held } = holdingsOn(device);
        return { ...base, ...device.memoryInfo(), waiting, held };
      } catch (error) {
        // The device was lost; its arrays are still listed.
        return { ...base, problem: (error as Error).message };
      }
    });
}
