/** Adds the members of DLPack and of the exchange table to arrays. Imported for its effect. */

import { addMembers } from '../../base/add-members.ts';
import { NDArray } from '../../array/array.ts';
import { exchangeObserver } from '../observer.ts';
import type { DLPackCapsule } from '../../protocols/capsule.ts';
import { dlpackDevice, type DLDevice } from '../../protocols/dlpack-device.ts';
import { adoptArray, allocateForExchange } from './exchange-hooks.ts';
import { exchangeTable, recordForExchange } from './exchange.ts';
import { exportDlpack } from './export.ts';
import { importExchanged } from './import.ts';
import {
  DLPACK,
  DLPACK_DEVICE,
  DLPACK_EXCHANGE,
  EXCHANGE_ADOPT,
  EXCHANGE_ADOPT_ARRAY,
  EXCHANGE_ALLOCATE,
  EXCHANGE_RECORD,
  type DlpackOptions
} from '../../protocols/dlpack.ts';

function device(this: NDArray): DLDevice {
  const own = dlpackDevice(this.storage);
  exchangeObserver.current?.deviceAsked(this, own);
  return own;
}

function capsule(this: NDArray, options?: DlpackOptions): DLPackCapsule {
  return exportDlpack(this, options);
}

addMembers(NDArray.prototype, {
  __dlpack_device__: device,
  [DLPACK_DEVICE]: device,
  __dlpack__: capsule,
  [DLPACK]: capsule,
  /** Called by the exchange table before it first reads an array. @throws FreedError */
  [EXCHANGE_RECORD](this: NDArray): void {
    recordForExchange(this);
  }
});

addMembers(NDArray, {
  get __dlpack_c_exchange_api__(): object {
    return exchangeTable();
  },
  get [DLPACK_EXCHANGE](): object {
    return exchangeTable();
  },
  // Called by the table to make an array from a tensor, an array from an array struct, and new memory.
  [EXCHANGE_ADOPT]: importExchanged,
  [EXCHANGE_ADOPT_ARRAY]: adoptArray,
  [EXCHANGE_ALLOCATE]: allocateForExchange
});
