/** The page's state of one kernel's arrays, over a comm on the notebook's connection. */

import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { JSONObject } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';
import {
  ARRAYS_TARGET,
  ARRAYS_VERSION,
  type ArrayEntry,
  type ArraysChange,
  type ArraysRequests,
  type DeviceEntry,
  type StreamEntry
} from '../../../src/pictures/arrays/schema.ts';
import { KernelChannel } from '../models/kernel-channel.ts';
import { lostSentence, __ } from '../views/kit/phrases.ts';

/** Name of our kernel in `kernel_info`. */
const IMPLEMENTATION = 'stridelab';

/**
 * `starting`: not identified yet. `foreign`: another kind of kernel. `silent`: does not accept the comm, or
 * the page may not open one. `newer`: a version that this page does not support.
 */
export type KernelState = 'starting' | 'foreign' | 'silent' | 'newer' | 'loading' | 'ready' | 'exited';

export class KernelArrays implements IDisposable {
  readonly connection: Kernel.IKernelConnection;
  readonly entries = new Map<number, ArrayEntry>();
  devices: readonly DeviceEntry[] = [];
  streams: readonly StreamEntry[] = [];
  /** True if the kernel lists only some of its arrays. */
  truncated = false;
  state: KernelState = 'starting';
  #ours = false;
  #comm: Kernel.IComm | null = null;
  #watch: ArraysRequests['watch'] = { visible: false };
  isDisposed = false;
  /** Settles once the kernel is identified. */
  readonly #identified: Promise<void>;
  readonly changed: Signal<this, void> = new Signal<this, void>(this);
  readonly #channel = new KernelChannel(request => this.#opened().send({ ...request } as JSONObject));

  constructor(connection: Kernel.IKernelConnection) {
    this.connection = connection;
    connection.statusChanged.connect(this.#onStatus, this);
    connection.connectionStatusChanged.connect(this.#onConnection, this);
    this.#channel.onPush(({ content }) => this.#apply(content as unknown as ArraysChange));
    this.#identified = this.#identify();
  }

  /** True while the connection to the server is lost: the state is the last known one. */
  get offline(): boolean {
    return this.connection.connectionStatus !== 'connected';
  }

  /** Sets whether changes are sent, and the polling interval of devices in ms. */
  watch(wanted: ArraysRequests['watch']): void {
    if (wanted.visible === this.#watch.visible && wanted.period === this.#watch.period) return;
    this.#watch = wanted;
    if (this.#ours && (wanted.visible || this.#comm !== null)) this.#askToWatch();
  }

  /** Sends a request. `patience` in milliseconds. @throws Error whose message is a sentence to show */
  async request<Method extends keyof ArraysRequests>(
    method: Method,
    parameters: ArraysRequests[Method],
    patience?: number
  ): Promise<Record<string, unknown>> {
    if (!this.#ours) await this.#identified;
    if (!this.#ours || this.isDisposed) throw new Error(__('The kernel is not connected.'));
    if (this.offline) throw new Error(lostSentence());
    return { ...(await this.#channel.request(method, { ...parameters }, patience)).content };
  }

  dispose(): void {
    if (this.isDisposed) return;
    this.isDisposed = true;
    this.#channel.abandon(__('The kernel has exited.'));
    if (this.#comm !== null && !this.#comm.isDisposed && !this.connection.isDisposed) this.#comm.close();
    Signal.clearData(this);
  }

  async #identify(): Promise<void> {
    const info = await this.connection.info.catch(() => undefined);
    if (this.isDisposed || info === undefined) return;
    this.#ours = info.implementation === IMPLEMENTATION;
    if (!this.#ours) this.#become('foreign');
    // A session keeps the disposed connection of an exited kernel, whose status is lost.
    else if (this.connection.status === 'dead' || this.connection.isDisposed) this.#become('exited');
    else if (this.#watch.visible) this.#askToWatch();
  }

  /** Returns the comm, a new one after a restart. @throws Error if another connection of the page handles comms */
  #opened(): Kernel.IComm {
    if (this.#comm !== null && !this.#comm.isDisposed) return this.#comm;
    const comm = this.connection.createComm(ARRAYS_TARGET);
    comm.onMsg = (message: KernelMessage.ICommMsgMsg) => this.#channel.receive(message.content.data, []);
    comm.onClose = () => {
      if (this.#comm !== comm) return;
      this.#comm = null;
      this.#forget();
      this.#channel.abandon(__('The kernel sends no array list.'));
      this.#become('silent');
    };
    this.#comm = comm;
    comm.open();
    return comm;
  }

  #askToWatch(): void {
    if (this.#watch.visible && this.state !== 'ready') this.#become('loading');
    try {
      this.#opened();
    } catch {
      this.#become('silent');
      return;
    }
    // The answer is empty: pushes carry the data.
    this.#channel.request('watch', { ...this.#watch }).catch(() => undefined);
  }

  #apply(change: ArraysChange): void {
    if (change.version > ARRAYS_VERSION) {
      this.#become('newer');
      return;
    }
    if (change.first) this.#forget();
    for (const entry of change.set) this.entries.set(entry.id, entry);
    for (const id of change.removed) this.entries.delete(id);
    this.devices = change.devices ?? this.devices;
    this.streams = change.streams ?? this.streams;
    this.truncated = change.truncated ?? this.truncated;
    this.#become(change.complete || this.state === 'ready' ? 'ready' : 'loading');
  }

  #forget(): void {
    this.entries.clear();
    this.devices = [];
    this.streams = [];
    this.truncated = false;
  }

  #onStatus(_: unknown, status: Kernel.Status): void {
    if (status === 'restarting' || status === 'autorestarting') this.#restarting();
    else if (status === 'dead') {
      this.#forget();
      this.#channel.abandon(__('The kernel has exited.'));
      this.#become('exited');
    } else if (this.state === 'starting' && this.#ours && (status === 'idle' || status === 'busy')) {
      if (this.#watch.visible) this.#askToWatch();
      else this.changed.emit();
    } else this.changed.emit();
  }

  /** Clears the comm: the connection disposes its comms silently. */
  #restarting(): void {
    this.#comm = null;
    this.#forget();
    this.#channel.abandon(__('The kernel was restarted.'));
    this.#become('starting');
  }

  /** Subscribes again after the page was offline, because pushes were lost. */
  #onConnection(_: unknown, status: Kernel.ConnectionStatus): void {
    if (status === 'connected' && this.#comm !== null && this.#watch.visible) this.#askToWatch();
    else this.changed.emit();
  }

  #become(state: KernelState): void {
    this.state = state;
    this.changed.emit();
  }
}
