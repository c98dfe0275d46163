/** A separate program of `doctor` that prints the available devices, since a broken driver may crash its process. */

import { openNccl } from '../../../src/collectives/library.ts';
import { formatBytes } from '../../../src/base/bytes-text.ts';
import { devices } from '../../../src/core/device.ts';
import { nvrtc } from '../../../src/compiler/nvrtc.ts';

export interface DeviceAnswer {
  readonly devices: readonly {
    readonly text: string;
    readonly simulated: boolean;
    /** Version as CUDA encodes it: 13000 is 13.0. */
    readonly driverVersion: number;
  }[];
  /** Path of the library, or why it is missing. */
  readonly nvrtc: string | { readonly absence: string };
  readonly nccl: string | { readonly absence: string };
}

function opened(open: () => { readonly path: string }): DeviceAnswer['nvrtc'] {
  try {
    return open().path;
  } catch (error) {
    return { absence: (error as Error).message.split('\n')[0] ?? '' };
  }
}

const answer: DeviceAnswer = {
  devices: devices().map(device => ({
    text: `${String(device)} ${device.name}, ${formatBytes(device.totalMemory)}`,
    simulated: device.simulated,
    driverVersion: device.native.driverVersion
  })),
  nvrtc: opened(nvrtc),
  nccl: opened(openNccl)
};
process.stdout.write(JSON.stringify(answer));
