/** Opens NCCL when the first communicator between GPUs is created. */

import { DriverUnavailableError } from '../base/errors.ts';
import { candidates, NCCL } from '../core/search.ts';
import type { NativeCollectives } from '../native/collectives-binding.ts';
import { native } from '../native/load.ts';

/** The NCCL library in use. */
export interface CollectiveLibrary {
  /** The file that was loaded. */
  readonly path: string;
  /** The version that NCCL reports, for example `2.21.5`. */
  readonly version: string;
}

/** Opens NCCL, once per process. @throws DriverUnavailableError that lists the files tried */
export function openNccl(): CollectiveLibrary {
  try {
    return native().collectives.open(candidates(NCCL));
  } catch (error) {
    if (!(error instanceof DriverUnavailableError)) throw error;
    throw new DriverUnavailableError(
      `${error.message}\nInstall it with \`pip install nvidia-nccl-cu12\` (cu13 for CUDA 13), or name the file in ${NCCL.variable}.`,
      error.tried
    );
  }
}

/** Returns the functions of NCCL. @throws DriverUnavailableError that lists the files tried */
export function nccl(): NativeCollectives {
  openNccl();
  return native().collectives;
}
