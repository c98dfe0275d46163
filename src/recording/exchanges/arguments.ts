/** What is asked for, as the protocols write it. */

import type { DlpackOptions } from '../../protocols/dlpack.ts';
import type { Device } from '../../core/device.ts';
import { Stream } from '../../core/stream.ts';

/** `None`, `1`, `2` or an address. */
export function writtenHandle(handle: bigint | number | null | undefined): string {
  if (handle === null || handle === undefined) return 'None';
  return handle > 2 ? `0x${handle.toString(16)}` : String(handle);
}

/** The stream argument of `__dlpack__` as written, and the stream that it means on a GPU; null for none. */
export function askedStream(
  asked: DlpackOptions['stream'],
  device: Device,
  isHostMemory: boolean
): { readonly written: string; readonly stream: Stream | null } {
  if (asked instanceof Stream) return { written: writtenHandle(asked.handle), stream: asked };
  const written = writtenHandle(asked);
  if (isHostMemory || written === '-1' || written === '0') return { written, stream: null };
  if (written === 'None' || written === '1') return { written, stream: Stream.legacyDefault(device) };
  if (written === '2') return { written, stream: Stream.perThreadDefault(device) };
  return { written, stream: null };
}

/** The other arguments, as Python writes them. */
export function askedOptions({ maxVersion, dlDevice, copy }: DlpackOptions): string {
  return [
    `max_version=${maxVersion === null || maxVersion === undefined ? 'None' : `(${maxVersion.join(', ')})`}`,
    dlDevice === null || dlDevice === undefined ? '' : `dl_device=(${dlDevice.join(', ')})`,
    copy === null || copy === undefined ? '' : `copy=${copy ? 'True' : 'False'}`
  ]
    .filter(text => text !== '')
    .join(', ');
}
