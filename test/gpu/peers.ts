/** The devices of tests that need several: those of the tested kind, or the reason why there are too few. */

import { devices, type Device } from 'stridelab';

import { device } from './device.ts';

export const all: readonly Device[] = devices().filter(({ kind }) => kind === device.kind);
export const [first = device, second = device] = all;
/** For `skip`: false if there are two devices. */
export const tooFew: string | false =
  all.length > 1
    ? false
    : `this needs two devices, and ${device.toString()} is alone` +
      (device.simulated ? ' (STRIDELAB_SIM_DEVICES=2 makes another)' : '');
