/** An array that others have open: its memory, which stays meanwhile, and the order between their work and ours. */

import type { NDArray } from '../array/array.ts';
import { IpcError } from '../base/errors.ts';
import type { IpcSource } from '../memory/manager/ipc-handle.ts';
import type { Storage } from '../memory/storage.ts';
import type { Stream } from '../core/stream.ts';
import type { ExportedMemory } from './exported-memory.ts';
import type { Grant, GrantedView } from './grant.ts';
import { makeSharedEvent, takeBack, type SharedEvent } from './order.ts';

export class GrantedArray {
  readonly memory: ExportedMemory;
  readonly #storage: Storage;
  readonly #view: GrantedView;
  readonly #source: IpcSource;
  /** Undefined before it is needed, null where the driver has none. */
  #event: SharedEvent | null | undefined;
  #closed = false;

  /** Takes `memory` over. */
  constructor(array: NDArray, memory: ExportedMemory, view: GrantedView) {
    const { device } = array;
    this.memory = memory;
    this.#view = view;
    this.#source = { pciBusId: device.native.pciBusId, uuid: device.uuid };
    this.#storage = array.storage.retain();
  }

  /**
   * For one who opens now: after what was submitted by now, by an event; where there is none, the host has to wait for the stream
   * before the grant goes. @throws IpcError where the memory is gone
   */
  grant(): { readonly grant: Grant; readonly after: Stream | null } {
    if (this.#storage.freed) throw new IpcError('the memory was freed by a reset of its memory manager');
    const { way, fields: memory } = this.memory;
    const facts = { way, source: this.#source, view: this.#view, memory };
    const stream = this.#storage.join(this.#view.readOnly);
    if (stream === null) return { grant: { ...facts, event: null }, after: null };
    if (stream.capturing) throw new IpcError('the array is being captured into a graph: open it after that');
    if (this.#event === undefined) this.#event = makeSharedEvent(stream.device);
    if (this.#event === null) return { grant: { ...facts, event: null }, after: stream };
    this.#event.recordOn(stream);
    return { grant: { ...facts, event: this.#event.handle }, after: null };
  }

  /** Has later work here wait for what another process did, by its event. */
  takeBack(event: string): void {
    takeBack(this.#storage, event, this.#view.readOnly);
  }

  /** Nobody has it open any more. A second call does nothing. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#event?.[Symbol.dispose]();
    this.memory.close();
    this.#storage.release();
  }
}
