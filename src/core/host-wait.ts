/** What happens when JavaScript has waited for a device: faults of kernels on simulated devices are thrown then. */

import { isLooking } from './look.ts';

let listener: (() => void) | null = null;

/** Sets the function that is called after each wait of the host. */
export function onHostWait(listen: () => void): void {
  listener = listen;
}

/** Called after the host has waited for a device. May throw, but not while a picture reads. */
export function hostWaited(): void {
  if (!isLooking()) listener?.();
}
