/** A process that runs one exchange with and without the wait, and prints the values read as JSON (see docs/hazards.md). */

import type { LessonChoice, LessonStream } from '../../../../../src/pictures/handshake/schema.ts';
import { toDevice, type Device } from '../../../../../src/core/device.ts';
import {
  arange,
  fromCudaArrayInterface,
  hazards,
  Stream,
  zeros,
  type NDArray
} from '../../../../../src/index.ts';
import type { Measured, Read } from './outcome.ts';

type Values = ArrayLike<number>;

const SHOWN = 6;
const SIMULATED_ELEMENTS = 4096;
/** Work on a GPU must take longer than the following calls: float32 elements, and the number of copies. */
const GPU_ELEMENTS = 2 ** 25;
const GPU_COPIES = 8;

function streamFor(choice: LessonStream, device: Device): Stream {
  if (choice === 'own') return new Stream({ device });
  return choice === 'per-thread' ? Stream.perThreadDefault(device) : Stream.legacyDefault(device);
}

function byInterface(target: NDArray, stream: Stream, sync: boolean): Values {
  const descriptor = target.__cuda_array_interface__ as object;
  using view = fromCudaArrayInterface(descriptor, { owner: target, stream, sync });
  return view.toTypedArray() as unknown as Values;
}

/** Exchanges with DLPack. Simulated memory is host memory there, without handles and -1 (rule 153): another stream skips the wait. */
function byTensor(target: NDArray, stream: Stream, sync: boolean): Values {
  const { device, shape, pointer } = target;
  const skipping = device.simulated ? new Stream({ device }) : -1;
  using _capsule = target.__dlpack__({ stream: sync ? stream : skipping, maxVersion: [1, 3] });
  // Imports the address alone, without the streams that used the memory.
  const descriptor = { shape, typestr: '<f4', data: [pointer, false], version: 3, stream: null };
  using view = fromCudaArrayInterface(descriptor, { owner: target, stream });
  return view.toTypedArray() as unknown as Values;
}

function exchange({ protocol, producerStream, consumerStream }: LessonChoice, device: Device, sync: boolean) {
  const elements = device.simulated ? SIMULATED_ELEMENTS : GPU_ELEMENTS;
  const [from, to] = [streamFor(producerStream, device), streamFor(consumerStream, device)];
  // Freed here: a later collection would query them during the run without the wait, and a query starts held work.
  using source = arange(1, elements + 1, 1, { dtype: 'float32', stream: from });
  using target = zeros(elements, { dtype: 'float32', stream: from });
  device.synchronize();
  hazards.clear();
  for (let copy = device.simulated ? 1 : GPU_COPIES; copy > 0; copy--)
    target.copyFrom(source, { stream: from });
  if (producerStream === 'null') from.synchronize();
  const read = protocol === 'cai' ? byInterface(target, to, sync) : byTensor(target, to, sync);
  device.synchronize();
  return sideOf(read);
}

function sideOf(read: Values): Read {
  let wrong = 0;
  for (let index = 0; index < read.length; index++) if (read[index] !== index + 1) wrong++;
  // Places in this file are not useful to users.
  const texts = hazards.read().events.map(({ text }) => text.replace(/\n\s+at .*/g, ''));
  return {
    values: Array.from({ length: SHOWN }, (_, index) => read[index] as number),
    wrong,
    hazards: texts
  };
}

function run(choice: LessonChoice, label: string): Measured {
  const device = toDevice(label);
  const skippedBy =
    choice.protocol === 'cai'
      ? 'sync: false'
      : device.simulated
        ? '__dlpack__(stream=another stream)'
        : '__dlpack__(stream=-1)';
  return {
    device: device.toString(),
    elements: device.simulated ? SIMULATED_ELEMENTS : GPU_ELEMENTS,
    ordered: exchange(choice, device, true),
    skipped: exchange(choice, device, false),
    skippedBy
  };
}

const { choice, device } = JSON.parse(process.argv[2] ?? '') as { choice: LessonChoice; device: string };
process.stdout.write(JSON.stringify(run(choice, device)));
