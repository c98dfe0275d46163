/** JavaScript's half of the exchange table (rules 173 to 177); the native half is native/binding/dlpack_exchange.cc. */

import { disposal, type NDArray } from '../../array/array.ts';
import { native } from '../../native/load.ts';
import { needsPaddedFlag } from '../convert.ts';
import { dlpackDevice } from '../../protocols/dlpack-device.ts';
import { FLAG, writeFields } from './fields.ts';
import { DLPACK_VERSION } from '../../protocols/dlpack.ts';

/** Arrays that native code has a record of; most programs have none. */
const recorded = new WeakSet<NDArray>();

let table: object | undefined;

/** The External that holds the table, one for each copy of the library in an environment. */
export function exchangeTable(): object {
  table ??= native().dlpack.exchangeTable();
  return table;
}

/** Writes down for native code what it may hand out of an array. @throws FreedError */
export function recordForExchange(array: NDArray): void {
  const { dlpack } = native();
  const { storage, dtype, shape, strides, offset } = array; // throws for a freed array
  if (recorded.has(array)) return;
  const flags =
    (array.exportedReadOnly ? FLAG.READ_ONLY : 0) | (needsPaddedFlag(dtype) ? FLAG.SUBBYTE_PADDED : 0);
  const triple = dtype.dlpack ?? { code: 0, bits: 0, lanes: 0 };
  // Byte strides: the table's array struct counts them, and turns them into elements where DLPack is asked for.
  writeFields(dlpack.fields, DLPACK_VERSION, flags, dlpackDevice(storage), triple, offset, shape, strides, 1);
  dlpack.recordArray(array, storage.native, dtype.itemsize, dtype.typestr);
  storage.leaveOrderToNative();
  recorded.add(array);
  disposal.told ??= forget;
}

/** The array was disposed of: native code must not hand it out any more. */
function forget(array: NDArray): void {
  if (recorded.has(array)) native().dlpack.forgetArray(array);
}
