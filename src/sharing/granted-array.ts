/** An array that other processes have open: keeps its memory, and orders their work and ours. */

import type { NDArray } from '../array/array.ts';
import { IpcError, StridelabError } from '../base/errors.ts';
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
  /** Undefined before it is needed, null if the driver has none. */
  #event: SharedEvent | null | undefined;
  #closed = false;

  /** Takes ownership of `memory`. */
  constructor(array: NDArray, memory: ExportedMemory, view: GrantedView) {
    const { device } = array;
    this.memory = memory;
    this.#view = view;
    this.#source = { pciBusId: device.native.pciBusId, uuid: device.uuid };
    this.#storage = array.storage.retain();
  }

  /**
   * Makes a grant for a process that opens now, whose work waits for an event behind the work submitted so far. Without an event the
   * host must wait for the stream `after` before it sends the grant. @throws IpcError if the memory was freed
   */
  grant(): { readonly grant: Grant; readonly after: Stream | null } {
    if (this.#storage.freed) throw new IpcError('the memory was freed by a reset of its memory manager');
    const { way, fields: memory } = this.memory;
    const facts = { way, source: this.#source, view: this.#view, memory };
    const stream = this.#storage.join(this.#view.readOnly);
    if (stream === null) return { grant: { ...facts, event: null }, after: null };
    if (stream.capturing)
      throw new IpcError(
        'work on the array is being captured into a graph: open the array after the capture'
      );
    if (this.#event === undefined) this.#event = makeSharedEvent(stream.device);
    if (this.#event === null) return { grant: { ...facts, event: null }, after: stream };
    this.#event.recordOn(stream);
    return { grant: { ...facts, event: this.#event.handle }, after: null };
  }

  /** Makes later work here wait for the event in a message of a process that has the array open, and confirms it. */
  hear({ used }: Readonly<Record<string, unknown>>, reply: (fields: { waited: true }) => void): void {
    if (typeof used !== 'string') return;
    try {
      takeBack(this.#storage, used, this.#view.readOnly);
      reply({ waited: true });
    } catch (error) {
      // The other process has closed its end, or the device is lost: both report this elsewhere.
      if (!(error instanceof StridelabError)) throw error;
    }
  }

  /** Ends the export when no process has the array open. A second call does nothing. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#event?.[Symbol.dispose]();
    this.memory.close();
    this.#storage.release();
  }
}
