/** Usage of a device while it was watched: a limited number of the latest samples. */

import type { DeviceMemoryPicture, DeviceUseSample } from '../../../../src/pictures/device/schema.ts';

/** Three minutes of continuous change. */
const MOST_SAMPLES = 180;
/** Milliseconds after which an unchanged sample is kept too, so that the time axis advances. */
const UNCHANGED_PERIOD = 5000;

export class DeviceUse {
  samples: readonly DeviceUseSample[] = [];

  /** Adds a sample; memory is null if the driver does not answer. */
  add(memory: DeviceMemoryPicture | null, busy: number | null, at = Date.now()): void {
    if (memory === null) return;
    const sample = { at, used: memory.total - memory.free, ours: memory.ours, busy };
    const last = this.samples.at(-1);
    const isNew =
      last === undefined ||
      at - last.at >= UNCHANGED_PERIOD ||
      (['used', 'ours', 'busy'] as const).some(name => sample[name] !== last[name]);
    if (isNew) this.samples = [...this.samples.slice(1 - MOST_SAMPLES), sample];
  }
}
