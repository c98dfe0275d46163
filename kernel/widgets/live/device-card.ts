/** The kernel half of the live card of a device: asks the driver for its memory once a second while somebody looks. */

import { describeDevice } from '../../../src/description/device/describe.ts';
import { renderDevice } from '../../../src/description/device/render.ts';
import type { DevicePicture } from '../../../src/description/device/schema.ts';
import type { Device } from '../../../src/device.ts';
import { LiveWidget, type Reply } from './live-widget.ts';
import { unlessChanged } from './unchanged.ts';

const PERIOD_MS = 1000;

export class DeviceCard extends LiveWidget<DevicePicture> {
  /** Devices live as long as the process. */
  readonly #device: Device;

  constructor(device: Device) {
    super('DeviceCard', describeDevice(device), renderDevice);
    this.#device = device;
  }

  protected override describe(): DevicePicture {
    // After the refresh that is under way.
    queueMicrotask(() => this.schedule(PERIOD_MS));
    return unlessChanged(this.picture, describeDevice(this.#device));
  }

  protected override watching(watched: boolean): void {
    if (watched) this.refresh();
  }

  protected override answer(method: string): Reply | undefined {
    if (method !== 'refresh') return undefined;
    this.refresh();
    return {};
  }
}
