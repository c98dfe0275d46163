/** How full the devices are that arrays lie on. Others are not touched: asking a GPU makes a context on it. */

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
      try {
        const { waiting, held } = holdingsOn(device);
        return { label, name, simulated, ...device.memoryInfo(), waiting, held, problem: null };
      } catch (error) {
        // A device that was lost: its arrays are still listed.
        return {
          label,
          name,
          simulated,
          total: 0,
          free: 0,
          waiting: 0,
          held: 0,
          problem: (error as Error).message
        };
      }
    });
}
