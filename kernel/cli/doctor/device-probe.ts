/** A program of its own for `doctor`, since a broken driver may take its process along: prints what devices there are. */

import { openNccl } from '../../../src/collectives/library.ts';
import { formatBytes } from '../../../src/base/bytes-text.ts';
import { devices } from '../../../src/core/device.ts';
import { nvrtc } from '../../../src/compiler/nvrtc.ts';

export interface DeviceAnswer {
  readonly devices: readonly {
    readonly text: string;
    readonly simulated: boolean;
    /** As CUDA counts it: 13000 is 13.0. */
    readonly driverVersion: number;
  }[];
  /** Path of the library, or why there is none. */
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
