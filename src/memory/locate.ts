/** Which device an address belongs to, as its driver says. */

import { devices } from '../core/device.ts';
import type { DriverKind, MemoryKind } from '../native/binding.ts';
import { native } from '../native/load.ts';

export interface Location {
  readonly driver: DriverKind;
  readonly ordinal: number;
  readonly kind: MemoryKind;
}

/** What `binding.locate` packs into one number. */
const DRIVERS: readonly DriverKind[] = ['cuda', 'simulated', 'recording'];
const KINDS: readonly MemoryKind[] = ['device', 'pinned', 'managed'];

/** Null where no driver knows the address. Opens the drivers if nothing did so before: another library may have memory of a GPU by now. */
export function locate(pointer: bigint): Location | null {
  devices();
  const found = native().locate(pointer);
  if (found < 0) return null;
  return {
    driver: DRIVERS[found >> 16] as DriverKind,
    ordinal: (found & 0xffff) >> 2,
    kind: KINDS[found & 3] as MemoryKind
  };
}
