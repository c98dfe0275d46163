/** Kernels on simulated devices: the program as code of the machine in the native core. */

import type { NativeKernelProgram } from '../../native/kernels-binding.ts';
import { native } from '../../native/load.ts';
import { encodeProgram } from '../machine/encode.ts';
import { argumentSlots } from '../program/parameters.ts';
import type { Program } from '../program/program.ts';
import { deliverMail } from './faults.ts';
import type { Prepared } from './prepared.ts';
import { onHostWait } from '../../core/host-wait.ts';

export interface PreparedSimulated extends Prepared {
  readonly kind: 'simulated';
  readonly program: NativeKernelProgram;
  /** The words of a launch and the bytes of its arguments, as the machine reads them. */
  readonly words: Int32Array;
  readonly bytes: Uint8Array;
}

/** The words that the machine reads: grid, block, dynamic shared memory. */
const MACHINE_WORDS = 7;
const WORDS = 64;

export function prepareSimulated(program: Program): PreparedSimulated {
  onHostWait(deliverMail);
  const { words: code, constants } = encodeProgram(program);
  const made = native().kernels.makeProgram(code, constants);
  const offsets: number[] = [];
  let size = 0;
  for (const { bytes } of argumentSlots(program.parameters)) {
    size = Math.ceil(size / bytes) * bytes;
    offsets.push(size);
    size += bytes;
  }
  const values = new ArrayBuffer(size);
  const config = new Uint32Array(WORDS);
  const words = new Int32Array(config.buffer, 0, MACHINE_WORDS);
  const bytes = new Uint8Array(values);
  return {
    kind: 'simulated',
    config,
    values: new DataView(values),
    addresses: new BigUint64Array(values, 0, size >> 3),
    offsets,
    passesEmpty: true,
    program: made,
    words,
    bytes,
    launch: (stream, storages) => {
      const used = storages.map(storage => storage.native);
      return native().kernels.launch(stream.native, made, words, bytes, used);
    }
  };
}
