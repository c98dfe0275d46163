/** Facts of a device from its driver's attributes. Source: CUdevice_attribute in the CUDA driver reference. */

import type { Device } from '../../core/device.ts';
import { formatBytes } from '../../base/bytes-text.ts';
import type { DeviceFact } from './schema.ts';

/** Numbers of CUdevice_attribute. */
const ATTRIBUTE = {
  clockKilohertz: 13,
  multiprocessors: 16,
  ecc: 32,
  memoryClockKilohertz: 36,
  memoryBusBits: 37,
  l2Bytes: 38,
  threadsPerMultiprocessor: 39,
  copyEngines: 40,
  sharedPerBlock: 97,
  memoryPools: 115
} as const;

type Name = keyof typeof ATTRIBUTE;

/** Memory transfers per clock: one at each edge. */
const PER_CLOCK = 2;

const gigahertz = (kilohertz: number): string => `${(kilohertz / 1e6).toFixed(2)} GHz`;

/** Returns the facts of a GPU, or those that a simulated device has. */
export function factsOf(device: Device): DeviceFact[] {
  const facts: DeviceFact[] = [];
  const add = (name: string, value: string, meaning = ''): void => void facts.push({ name, value, meaning });
  const of = (name: Name): number => device.native.attribute(ATTRIBUTE[name]) ?? 0;
  const [major, minor] = device.computeCapability;
  if (device.simulated) add('Compute capability', 'none', 'kernels in CUDA C++ do not run here');
  else add('Compute capability', `${major}.${minor}`, `code for sm_${major}${minor} runs here`);
  if (of('multiprocessors') > 0)
    add('Multiprocessors', String(of('multiprocessors')), `${of('threadsPerMultiprocessor')} threads each`);
  if (of('clockKilohertz') > 0) add('Clock', gigahertz(of('clockKilohertz')), 'maximum');
  const bandwidth = (PER_CLOCK * of('memoryClockKilohertz') * 1000 * of('memoryBusBits')) / 8;
  if (bandwidth > 0)
    add(
      'Memory bandwidth',
      `${(bandwidth / 1e9).toFixed(0)} GB/s`,
      `theoretical: ${gigahertz(of('memoryClockKilohertz'))}, ${of('memoryBusBits')} bits`
    );
  if (of('l2Bytes') > 0) add('L2 cache', formatBytes(of('l2Bytes')));
  if (of('sharedPerBlock') > 0) add('Shared memory', formatBytes(of('sharedPerBlock')), 'maximum per block');
  if (of('copyEngines') > 0)
    add('Copy engines', String(of('copyEngines')), 'copies that run in parallel with kernels');
  if (!device.simulated) {
    add('ECC', of('ecc') > 0 ? 'on' : 'off', 'corrects memory errors');
    add('Memory pools', of('memoryPools') > 0 ? 'yes' : 'no', 'needed by AsyncPoolMemoryManager');
    add('PCI bus', device.native.pciBusId);
  }
  add(
    'Driver',
    driverVersion(device),
    device.simulated ? 'version of the simulator' : 'latest CUDA it supports'
  );
  return facts;
}

/** Formats a driver version: `13.0` for CUDA's 13000. */
function driverVersion({ native }: Device): string {
  return `${Math.floor(native.driverVersion / 1000)}.${(native.driverVersion % 1000) / 10}`;
}
