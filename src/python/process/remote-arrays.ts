/** Passes arrays between this process and a Python process: shares the memory if possible, otherwise copies. */

import { NDArray } from '../../array/array.ts';
import { devices, toDevice, type Device } from '../../core/device.ts';
import { ArgumentError, CopyRequiredError, IpcError } from '../../base/errors.ts';
import { settle, type Imported } from '../../interchange/dlpack/settle.ts';
import type { NativePythonHandle } from '../../native/python-binding.ts';
import { exportMemory, type ExportedMemory } from '../../sharing/exported-memory.ts';
import { viewOf } from '../../sharing/grant.ts';
import { GrantedArray } from '../../sharing/granted-array.ts';
import { emptyShared } from '../../sharing/host-array.ts';
import { openGrant } from '../../sharing/open.ts';
import type { ArrayBridge, AsArrayOptions } from '../interpreter/array-bridge.ts';
import type { RemotePython } from './remote-python.ts';

/** The JSON result of `makeGrant`. */
interface Granted {
  readonly grant: Readonly<Record<string, unknown>>;
  /** Whether this is a copy, because the memory could not be shared. */
  readonly copied: boolean;
  /** The package of the object's class; empty for Python's own. */
  readonly package: string;
}

export class RemoteArrays implements ArrayBridge {
  readonly #python: RemotePython;

  constructor(python: RemotePython) {
    this.#python = python;
  }

  /**
   * Shares device memory if the driver supports it, host memory of `emptyShared` and memory of the simulated
   * device; copies any other, and sets `copied` of the Python object. @throws IpcError
   */
  toPython(array: NDArray): NativePythonHandle {
    if (array.mask !== null)
      throw new IpcError(
        'an array with a mask cannot be shared: pass `withMask(null)` and the mask separately'
      );
    try {
      return this.#lend(array, exported(array), false);
    } catch (error) {
      if (!(error instanceof IpcError)) throw error;
      const copy = shareableCopy(array);
      try {
        return this.#lend(copy, exported(copy), true);
      } finally {
        copy.dispose();
      }
    }
  }

  /** Imports an array. @throws CopyRequiredError with `copy` false, for host memory not from `stridelab.shared_empty` */
  fromPython(object: NativePythonHandle, options: AsArrayOptions): NDArray {
    const { device, copy, stream, via } = options;
    if (via !== undefined)
      throw new ArgumentError(
        `via is '${via}', but Python in another process has no protocols to choose from: leave out via`
      );
    const wanted = device === null || device === undefined ? undefined : toDevice(device);
    const found = this.#open(object, copy);
    const array = settle(found, wanted, stream, copy);
    return array === found.array && stream !== undefined ? array.onStream(stream) : array;
  }

  #lend(array: NDArray, memory: ExportedMemory, copied: boolean): NativePythonHandle {
    const { connection } = this.#python;
    const granted = new GrantedArray(array, memory, viewOf(array, array.exportedReadOnly));
    const number = connection.arrays.lend(granted, array);
    try {
      const { grant, after } = granted.grant();
      after?.synchronize();
      return this.#python.openGrant(number, JSON.stringify(grant), memory.descriptors, copied);
    } catch (error) {
      connection.arrays.takeBack(number);
      throw error;
    }
  }

  #open(object: NativePythonHandle, copy: boolean | null | undefined): Imported {
    const { number, link } = this.#python.connection.arrays.open();
    let taken = false;
    try {
      return this.#python.makeGrant(number, object, (answer, descriptors) => {
        const own: unknown = answer;
        if (own instanceof NDArray) return { array: own as NDArray, copied: false };
        const { grant, copied, package: made } = JSON.parse(answer as string) as Granted;
        if (copied && copy === false)
          throw new CopyRequiredError(
            'copy: false, but host memory of the Python process requires a copy, unless `stridelab.shared_empty` made it (rule 144: requests)'
          );
        const origin = made === '' ? 'a Python process' : `${made} (Python process)`;
        const array = openGrant(link, { fields: grant, descriptors }, { device: hostDevice(), origin });
        taken = true;
        return { array, copied };
      });
    } finally {
      if (!taken) link.close();
    }
  }
}

/** Returns the simulated device, whose memory is host memory. */
function hostDevice(): Device {
  return devices().find(device => device.simulated) as Device;
}

function exported(array: NDArray): ExportedMemory {
  return exportMemory(array, viewOf(array, array.exportedReadOnly), 'auto');
}

function shareableCopy(array: NDArray): NDArray {
  const { storage, shape, dtype, stream } = array;
  if (storage.kind === 'device' && !storage.device.simulated) return array.copy();
  const copy = emptyShared(shape, { dtype, stream });
  copy.copyFrom(array, { stream });
  return copy;
}
