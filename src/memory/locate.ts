/** Finds the device of an address, as its driver reports it. */

import { devices } from '../core/device.ts';
import type { DriverKind, MemoryKind } from '../native/binding.ts';
import { native } from '../native/load.ts';
import { DRIVER_KINDS, LOCATION_SHIFT, MEMORY_KINDS } from '../native/words.ts';

export interface Location {
  readonly driver: DriverKind;
  readonly ordinal: number;
  readonly kind: MemoryKind;
}

/** Returns the location of an address, or null for an unknown address. Opens the drivers, because another library may have GPU memory. */
export function locate(pointer: bigint): Location | null {
  devices();
  const found = native().locate(pointer);
  if (found < 0) return null;
  const { driver, ordinal } = LOCATION_SHIFT;
  return {
    driver: DRIVER_KINDS[found >> driver] as DriverKind,
    ordinal: (found & ((1 << driver) - 1)) >> ordinal,
    kind: MEMORY_KINDS[found & ((1 << ordinal) - 1)] as MemoryKind
  };
}
