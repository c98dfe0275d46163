/** Arrays of other processes. */

import { NDArray } from '../array/array.ts';
import type { Device } from '../core/device.ts';
import type { DType, DTypeName } from '../dtype/dtype.ts';
import { DeviceError, IpcError, PeerLostError } from '../base/errors.ts';
import { Storage } from '../memory/storage.ts';
import type { NativeStorage } from '../native/binding.ts';
import { native } from '../native/load.ts';
import { Stream } from '../core/stream.ts';
import { Channel, messageOf, requireTimeout, type Message } from './channel.ts';
import { dtypeOf, readGrant, type Grant } from './grant.ts';
import { ownSocket, type Lease } from './lease.ts';
import { openedStorages } from './exported-memory.ts';
import { openMemory, type OpenedMemory } from './opened-memory.ts';
import { waitForShared } from './order.ts';
import { Session, type SharingLink } from './session.ts';
import { parseToken, type ShareToken } from './token.ts';

/** Options of `openShared`. */
export interface OpenSharedOptions {
  /** The stream that work runs on, after the owner's pending work; the legacy default stream of the memory's device if left out. */
  readonly stream?: Stream | undefined;
  /** Milliseconds to wait for the owner, whose event loop may be busy. Default 30,000. */
  readonly timeout?: number | undefined;
}

const PATIENCE = 30_000;

/**
 * Opens an array that another process shares, without a copy: same memory, same device. Work on it starts after all work that the owner had
 * submitted; the owner's later work starts after the array is disposed and its work is done. If the owner exits first, the next use throws
 * PeerLostError once, and the memory stays until the array is disposed. The program must order two openings of one share itself.
 * @throws PeerLostError if the owner has exited or does not answer, IpcError with the reason if the memory cannot be opened
 */
export async function openShared<D extends DTypeName = DTypeName>(
  token: ShareToken | Lease | string,
  options: OpenSharedOptions = {}
): Promise<NDArray<D>> {
  const { timeout = PATIENCE, stream } = options;
  requireTimeout(timeout);
  const { socket, key } = parseToken(token);
  if (socket === ownSocket())
    throw new IpcError(
      'this process shares the array itself and cannot open it: use the array (rule 190: other processes)'
    );
  const channel = Channel.connect(socket);
  if (channel === null)
    throw new PeerLostError(
      'no process listens under this token: the process that shared the array has exited'
    );
  try {
    requireForeign(channel);
    channel.send({ open: key });
    return (await answerOf(channel, timeout, stream)) as NDArray<D>;
  } catch (error) {
    channel.close();
    throw error;
  }
}

/** Checks the owner. @throws IpcError for another user, and for another thread of this process, which the driver would refuse later */
function requireForeign({ peer }: Channel): void {
  if (!peer.sameUser)
    throw new IpcError(
      `the process that listens under this token belongs to user ${peer.user}: arrays are shared between processes of one user`
    );
  if (peer.process === process.pid)
    throw new IpcError(
      'another thread of this process shares the array: threads share memory by `storage.native.share()` and `claim` (rule 190: other processes)'
    );
}

/** Waits for the answer, and opens what it grants while its file descriptors are open. */
function answerOf(channel: Channel, timeout: number, stream: Stream | undefined): Promise<NDArray> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(
        new PeerLostError(
          `no answer from the process that shares the array in ${timeout} ms: its event loop is blocked, or it is stopped`
        )
      );
    }, timeout);
    channel.onMessage(message => {
      clearTimeout(timer);
      try {
        if (message === null)
          throw new PeerLostError('the process that shares the array has exited or closed the connection');
        const { refused } = message.fields;
        if (typeof refused === 'string') throw new IpcError(`the owner of the array refused: ${refused}`);
        resolve(openGrant(channel, message, { stream }));
      } catch (error) {
        reject(error instanceof Error ? error : new IpcError(messageOf(error)));
      }
    });
  });
}

export interface OpenGrantOptions {
  readonly stream?: Stream | undefined;
  /** The device for host memory, which any device can use. */
  readonly device?: Device | undefined;
  /** Describes the owner in texts, as part of a sentence. */
  readonly origin?: string | undefined;
}

/**
 * Opens what the other end of `link` granted, and notifies it when the array is freed. The caller closes the descriptors.
 * @throws IpcError, DeviceError
 */
export function openGrant(
  link: SharingLink,
  { fields, descriptors }: Message,
  { stream: wanted, device, origin = 'another process' }: OpenGrantOptions
): NDArray {
  const grant = readGrant(fields);
  const dtype = dtypeOf(grant.view);
  if (grant.way === 'none') {
    link.close();
    return NDArray.allocate(grant.view.shape, dtype, wanted ?? Stream.legacyDefault());
  }
  const memory = openMemory(grant, descriptors, wanted?.device ?? device);
  try {
    const stream = wanted ?? Stream.legacyDefault(memory.device);
    if (stream.device !== memory.device)
      throw new DeviceError(
        `the array is on ${memory.device.toString()}, but the stream is on ${stream.device.toString()}`
      );
    if (grant.event !== null) waitForShared(stream, grant.event);
    return arrayOver(link, grant, dtype, memory, stream, origin);
  } catch (error) {
    memory.close();
    throw error;
  }
}

function arrayOver(
  link: SharingLink,
  { view, event }: Grant,
  dtype: DType,
  memory: OpenedMemory,
  stream: Stream,
  origin: string
): NDArray {
  const { device, pointer, kind } = memory;
  const { shape, strides, first, readOnly, bytes } = view;
  const session = new Session(link);
  const adopted = native().adopt(device.native, pointer, bytes, kind, closing(memory, session));
  // Other streams wait for the stream that waited for the owner's work.
  if (event !== null) adopted.recordUse(stream.native, 'write');
  const storage = Storage.adopt(adopted, origin, {
    guard: () => session.guard(),
    releasing: () => session.releasing(adopted, device)
  });
  openedStorages.add(storage);
  if (kind === 'device') link.onHandover?.(handingOver(session, new WeakRef(adopted), device));
  return new NDArray(storage, dtype, { shape, strides, offset: first }, stream, readOnly);
}

/** A separate function, because native code keeps the closure: inside `arrayOver` it would keep the storage from being collected. */
function closing(memory: OpenedMemory, session: Session): () => void {
  return () => {
    memory.close();
    session.unmapped();
  };
}

/** Orders the owner's work after ours while the array is open, without keeping it open. */
function handingOver(session: Session, adopted: WeakRef<NativeStorage>, device: Device): () => void {
  return () => {
    const storage = adopted.deref();
    if (storage?.released === false) session.orderOwner(storage, device);
  };
}
