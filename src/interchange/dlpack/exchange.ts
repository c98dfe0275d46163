/** JavaScript's half of the exchange table (rules 173 to 177); the native half is native/binding/exchange.cc. */

import { disposal, type NDArray } from '../../array/array.ts';
import { native } from '../../native/load.ts';
import { needsPaddedFlag } from '../convert.ts';
import { dlpackDevice } from '../../protocols/dlpack-device.ts';
import { FLAG, writeFields } from './fields.ts';
import { DLPACK_VERSION } from '../../protocols/dlpack.ts';

/** Arrays with a record in native code; most programs have none. */
const recorded = new WeakSet<NDArray>();

let table: object | undefined;

/** Returns the External that holds the table, one per copy of the library in an environment. */
export function exchangeTable(): object {
  table ??= native().dlpack.exchangeTable();
  return table;
}

/** Records an array's description for native code, which exports it from that. @throws FreedError */
export function recordForExchange(array: NDArray): void {
  const { dlpack } = native();
  const { storage, dtype, shape, strides, offset } = array; // throws for a freed array
  if (recorded.has(array)) return;
  const flags =
    (array.exportedReadOnly ? FLAG.READ_ONLY : 0) | (needsPaddedFlag(dtype) ? FLAG.SUBBYTE_PADDED : 0);
  const triple = dtype.dlpack ?? { code: 0, bits: 0, lanes: 0 };
  // Byte strides, as in the table's array struct; it converts them to elements for DLPack.
  writeFields(dlpack.fields, DLPACK_VERSION, flags, dlpackDevice(storage), triple, offset, shape, strides, 1);
  dlpack.recordArray(array, storage.native, dtype.itemsize, dtype.typestr);
  storage.leaveOrderToNative();
  recorded.add(array);
  // Native code no longer exports a disposed array.
  disposal.told ??= disposed => {
    if (recorded.has(disposed)) native().dlpack.forgetArray(disposed);
  };
}
