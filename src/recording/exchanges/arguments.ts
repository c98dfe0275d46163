/** Formats the protocols' streams, devices and options, and names their meaning. */

import { dlpackTypeName, type DLDevice } from '../../protocols/dlpack-device.ts';
import type { DlpackOptions } from '../../protocols/dlpack.ts';
import type { Device } from '../../core/device.ts';
import { Stream } from '../../core/stream.ts';
import type { Storage } from '../../memory/storage.ts';
import type { FactContent } from './facts.ts';

/** Describes a DLPack device: the pair, and the name of its type such as `kDLCUDA`. */
export function deviceFact([type, id]: DLDevice): Extract<FactContent, { readonly kind: 'device' }> {
  return { kind: 'device', pair: `(${type}, ${id})`, name: dlpackTypeName(type) };
}

/** Formats a stream handle: `None`, `1`, `2` or an address. */
export function writtenHandle(handle: bigint | number | null | undefined): string {
  if (handle === null || handle === undefined) return 'None';
  return handle > 2 ? `0x${handle.toString(16)}` : String(handle);
}

/** Names the stream that a stream argument means on a GPU. */
export function nameOfHandle(handle: bigint | number | null | undefined): string {
  const written = writtenHandle(handle);
  if (written === 'None' || written === '1') return 'legacy default stream';
  return written === '2' ? 'per-thread default stream' : `stream ${written}`;
}

/** Finds the stream object of an exported handle. */
export function streamNamed(handle: bigint | number | null, storage: Storage): Stream | null {
  if (handle === null) return null;
  if (handle === 1) return Stream.legacyDefault(storage.device);
  const known = [storage.soleStream, ...storage.recentUses().map(use => use.stream)];
  return known.find(stream => stream?.handle === handle) ?? null;
}

/** Returns the stream argument of `__dlpack__` as written, and the stream that it means on a GPU; null for none. */
export function askedStream(
  asked: DlpackOptions['stream'],
  device: Device,
  isHostMemory: boolean
): { readonly written: string; readonly stream: Stream | null } {
  if (asked instanceof Stream) return { written: writtenHandle(asked.handle), stream: asked };
  const written = writtenHandle(asked);
  if (isHostMemory) return { written, stream: null };
  if (written === 'None' || written === '1') return { written, stream: Stream.legacyDefault(device) };
  if (written === '2') return { written, stream: Stream.perThreadDefault(device) };
  return { written, stream: null };
}

/** Formats the other arguments in Python's notation. */
export function askedOptions({ maxVersion, dlDevice, copy }: DlpackOptions): string {
  return [
    `max_version=${maxVersion === null || maxVersion === undefined ? 'None' : `(${maxVersion.join(', ')})`}`,
    dlDevice === null || dlDevice === undefined ? '' : `dl_device=(${dlDevice.join(', ')})`,
    copy === null || copy === undefined ? '' : `copy=${copy ? 'True' : 'False'}`
  ]
    .filter(text => text !== '')
    .join(', ');
}
