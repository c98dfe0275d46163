/** The kernel half of the live card of a device: samples the driver's memory once a second while it is watched. */

import { describeDevice } from '../../../../src/pictures/device/describe.ts';
import { renderDevice } from '../../../../src/pictures/device/render.ts';
import type { DevicePicture } from '../../../../src/pictures/device/schema.ts';
import type { Device } from '../../../../src/core/device.ts';
import { DeviceUse } from './device-use.ts';
import { LiveWidget } from '../kit/live-widget.ts';
import { Utilization } from './utilization.ts';

const PERIOD_MS = 1000;

export class DeviceCard extends LiveWidget<DevicePicture> {
  readonly #device: Device;
  readonly #use = new DeviceUse();
  /** Set for a GPU. */
  readonly #utilization: Utilization | undefined;

  constructor(device: Device) {
    super({ name: 'DeviceCard', label: ({ label }) => label, render: renderDevice }, describeDevice(device));
    this.#device = device;
    this.#utilization = device.simulated ? undefined : new Utilization(this.picture.uuid);
  }

  protected override describe(): DevicePicture {
    this.schedule(PERIOD_MS);
    const picture = describeDevice(this.#device);
    this.#use.add(picture.memory, this.#utilization?.percent ?? null);
    return { ...picture, use: this.#use.samples };
  }

  protected override watching(watched: boolean): void {
    if (!watched) return this.#utilization?.stop();
    this.#utilization?.start();
    this.refresh();
  }
}
