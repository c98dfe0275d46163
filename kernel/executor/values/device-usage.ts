/** Memory of the devices that the cells use, for `usage_request`. Others are not queried: that would initialize them. */

import type { Device } from '../../../src/core/device.ts';
import type { DeviceUsage } from '../../protocol/executor-messages.ts';
import { sendToFront } from '../front/front-link.ts';

const used = new Set<Device>();

export function deviceUsed(device: Device): void {
  used.add(device);
  sendToFront({ kind: 'device-used' });
}

export function reportDeviceUsage(): void {
  sendToFront({ kind: 'device-usage', devices: [...used].flatMap(usageOf) });
}

/** Returns the usage of a device; empty if the device was lost. */
function usageOf(device: Device): DeviceUsage[] {
  try {
    const { free, total } = device.memoryInfo();
    const { label, name, simulated } = device;
    return [{ device: label, name, simulated, total, used: total - free }];
  } catch {
    return [];
  }
}
