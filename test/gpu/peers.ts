/** The devices that tests of several work on: those of the tested kind, and why there are too few where that is so. */

import { devices, type Device } from 'stridelab';

import { device } from './device.ts';

export const all: readonly Device[] = devices().filter(({ kind }) => kind === device.kind);
export const [first = device, second = device] = all;
/** For `skip`: false where there are two devices. */
export const tooFew: string | false =
  all.length > 1
    ? false
    : `this needs two devices, and ${device.toString()} is alone` +
      (device.simulated ? ' (STRIDELAB_SIM_DEVICES=2 makes another)' : '');
