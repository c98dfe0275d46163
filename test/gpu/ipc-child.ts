/** The other process: opens the handle that it reads, tells three values, and writes. */

import { text } from 'node:stream/consumers';
import { IpcHandle, openIpcArray, type IpcHandleFields } from 'stridelab';

import { samples } from './device.ts';

const handle = IpcHandle.from(JSON.parse(await text(process.stdin)) as IpcHandleFields);
using array = openIpcArray(handle, { shape: handle.size, dtype: 'uint8' });
console.log(samples(array).join());
array.fill(9);
array.device.synchronize();
