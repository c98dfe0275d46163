/** Observes allocations and frees, and keeps the latest events in a ring buffer. */

import type { Device } from '../../core/device.ts';
import type { Shape } from '../../layout/shape.ts';
import { notebookHost } from '../../notebook/host.ts';
import type { BaseCUDAMemoryManager } from '../../memory/manager/base.ts';
import { managedDevices } from '../../memory/manager/kept-memory.ts';
import type { MemoryPointer } from '../../memory/manager/pointer.ts';
import { explainFailure } from './failure.ts';
import { holdingsOn, nameOf } from './holdings.ts';
import type { MemoryObserver, ObservedRequest, ObservedStorage } from '../../memory/manager/observer.ts';
import { NOWHERE, Places, type Place } from './places.ts';
import { Allocation, type LogEvent, type Moment, type Segment } from './records.ts';

interface Peak {
  live: number;
  bytes: number;
  /** Number of the event after which the peak was reached. */
  after: number;
}

export class Recorder implements MemoryObserver {
  readonly capacity: number;
  /** Null if stacks are not recorded. */
  readonly #places: Places | null;
  readonly #began = performance.now();
  /** `Date.now()` at the start. */
  readonly epoch = Date.now();
  /** A ring buffer: event `n` is at `n % capacity`. */
  readonly #events: LogEvent[] = [];
  #first = 0;
  #next = 0;
  #dropped = 0;
  #nextId = 0;
  /** Live allocations by address; at most one at each. */
  readonly #alive = new Map<bigint, Allocation>();
  readonly #borrowed = new Map<object, Allocation>();
  readonly #segments = new Map<bigint, Segment>();
  readonly #peaks = new Map<Device, Peak>();
  readonly #changed: () => void;
  /** Detects imported memory that the collector releases without a dispose. */
  readonly #collected = new FinalizationRegistry<object>(token => this.#returned(token));
  readonly #tokens = new WeakMap<ObservedStorage, object>();

  constructor(capacity: number, stacks: boolean, changed: () => void) {
    this.capacity = capacity;
    this.#places = stacks ? new Places() : null;
    this.#changed = changed;
    for (const device of managedDevices()) this.#takeUp(device);
  }

  /** Numbers of the oldest kept event and of the next one, and how many were dropped. */
  get span(): { readonly first: number; readonly next: number; readonly dropped: number } {
    return { first: this.#first, next: this.#next, dropped: this.#dropped };
  }

  /** Microseconds since the start. */
  get now(): number {
    return 1000 * (performance.now() - this.#began);
  }

  /** Returns the events from number `from` on, oldest first. */
  events(from = 0): LogEvent[] {
    const found: LogEvent[] = [];
    for (let number = Math.max(from, this.#first); number < this.#next; number++)
      found.push(this.#events[number % this.capacity]!);
    return found;
  }

  /** Returns live allocations, including borrowed memory. */
  alive(): Allocation[] {
    return [...this.#alive.values(), ...this.#borrowed.values()];
  }

  /** Returns the live allocation at an address. */
  at(pointer: bigint): Allocation | undefined {
    return this.#alive.get(pointer);
  }

  ofStorage(storage: ObservedStorage): Allocation | undefined {
    const token = this.#tokens.get(storage);
    if (token !== undefined) return this.#borrowed.get(token);
    return storage.bytes === 0 ? undefined : this.#alive.get(storage.pointer);
  }

  segments(): Segment[] {
    return [...this.#segments.values()];
  }

  clear(): void {
    this.#events.length = 0;
    this.#first = this.#next;
    this.#dropped = 0;
    for (const peak of this.#peaks.values()) Object.assign(peak, { bytes: peak.live, after: this.#next });
    this.#changed();
  }

  allocated(
    request: ObservedRequest,
    manager: BaseCUDAMemoryManager,
    memory: MemoryPointer,
    storage: ObservedStorage | null
  ): void {
    const { device, kind, bytes, stream } = request;
    if (bytes === 0 || kind === 'pinned') return;
    const made = this.#moment();
    const { pointer, block } = memory;
    const taken = { bytes: block?.bytes ?? bytes, requested: bytes };
    const allocation = new Allocation({ id: this.#nextId++, device, kind, pointer, ...taken, made });
    allocation.source = manager;
    allocation.manager = nameOf(manager.constructor);
    allocation.memory = memory;
    allocation.block = block;
    if (storage !== null) allocation.storage = new WeakRef(storage);
    if (stream !== null) {
      const { id } = stream.native;
      allocation.stream = { id, handle: stream.handle, label: stream.toString() };
    }
    this.#note(allocation);
    // Managers of different drivers may reuse an address: then the earlier allocation's end was missed.
    const before = this.#alive.get(pointer);
    if (before !== undefined) this.#end(before);
    this.#begin(allocation);
    this.#push('allocate', made, allocation);
  }

  refused(request: ObservedRequest, error: unknown): void {
    if (request.kind === 'pinned') return;
    const moment = this.#moment();
    const cell = notebookHost()?.cell?.() ?? null;
    const failure = { ...explainFailure(request, error), cell, stack: this.#place().frames, moment };
    this.#push('failure', moment, failure);
  }

  named(storage: ObservedStorage, dtype: string, shape: Shape): void {
    const allocation = storage.bytes === 0 ? undefined : this.#alive.get(storage.pointer);
    if (allocation?.array === null) allocation.array = { dtype, shape };
  }

  borrowed(storage: ObservedStorage): void {
    const { device, bytes, pointer } = storage;
    if (bytes === 0 || this.#covers(pointer)) return;
    const made = this.#moment();
    const id = this.#nextId++;
    const allocation = new Allocation({
      id,
      device,
      kind: 'borrowed',
      pointer,
      bytes,
      requested: bytes,
      made
    });
    allocation.storage = new WeakRef(storage);
    this.#note(allocation);
    const token = {};
    this.#tokens.set(storage, token);
    this.#borrowed.set(token, allocation);
    this.#collected.register(storage, token, token);
    this.#push('borrow', made, allocation);
  }

  released(storage: ObservedStorage, exported: boolean): void {
    const token = this.#tokens.get(storage);
    if (token !== undefined) {
      this.#collected.unregister(token);
      this.#returned(token);
      return;
    }
    const allocation = storage.bytes === 0 ? undefined : this.#alive.get(storage.pointer);
    if (allocation === undefined || !storage.managed) return;
    if (!exported) this.#finish(allocation);
    else {
      allocation.exported = true;
      this.#changed();
    }
  }

  finished(memory: MemoryPointer): void {
    const allocation = this.#alive.get(memory.pointer);
    if (allocation === undefined) return;
    const known = allocation.memory ?? allocation.block;
    // A reused block ends with its first pointer; another pointer at its address is a view, or predates a reset.
    const same =
      known === null ||
      allocation.memory === memory ||
      (memory.block !== null && memory.block === allocation.block);
    if (same) this.#finish(allocation);
  }

  reset(manager: BaseCUDAMemoryManager): void {
    const segments = manager.segments?.() ?? [];
    const known = new Set(segments.flatMap(({ blocks }) => blocks.map(block => block.pointer)));
    for (const allocation of [...this.#alive.values()]) {
      const { source, pointer } = allocation;
      if (source === manager || (source === null && known.has(pointer))) this.#finish(allocation);
    }
  }

  segment(device: Device, pointer: bigint, bytes: number, added: boolean): void {
    const moment = this.#moment();
    if (added) {
      const segment = { id: this.#nextId++, device, pointer, bytes, made: moment, freed: null };
      this.#segments.set(pointer, segment);
      this.#push('segment', moment, segment);
      return;
    }
    const segment = this.#segments.get(pointer);
    if (segment === undefined) return;
    this.#segments.delete(pointer);
    segment.freed = moment;
    this.#push('segment-free', moment, segment);
  }

  /** Records what managers hold at the start; its origin is unknown. */
  #takeUp(device: Device): void {
    for (const { kind, pointer, bytes, blocks } of holdingsOn(device).segments) {
      if (kind === 'slab' && pointer !== null)
        this.#segments.set(pointer, { id: this.#nextId++, device, pointer, bytes, made: null, freed: null });
      for (const block of blocks) {
        if (block.state !== 'used') continue;
        const known = { pointer: block.pointer, bytes: block.bytes, requested: block.bytes };
        this.#begin(new Allocation({ id: this.#nextId++, device, kind: 'device', ...known, made: null }));
      }
    }
  }

  #note(allocation: Allocation): void {
    allocation.cell = notebookHost()?.cell?.() ?? null;
    allocation.place = this.#place();
  }

  #begin(allocation: Allocation): void {
    this.#alive.set(allocation.pointer, allocation);
    const peak = this.peakOf(allocation.device);
    peak.live += allocation.bytes;
    if (peak.live > peak.bytes) Object.assign(peak, { bytes: peak.live, after: this.#next });
  }

  #end(allocation: Allocation): void {
    this.#alive.delete(allocation.pointer);
    this.peakOf(allocation.device).live -= allocation.bytes;
  }

  #finish(allocation: Allocation): void {
    const moment = this.#moment();
    this.#end(allocation);
    allocation.end(moment);
    this.#push('free', moment, allocation);
  }

  #returned(token: object): void {
    const allocation = this.#borrowed.get(token);
    if (allocation === undefined) return;
    this.#borrowed.delete(token);
    const moment = this.#moment();
    allocation.end(moment);
    this.#push('return', moment, allocation);
  }

  /** Returns true if an address is in our memory: an array that was exported and imported again borrows nothing. */
  #covers(pointer: bigint): boolean {
    if (this.#alive.has(pointer)) return true;
    for (const { pointer: start, bytes } of this.#alive.values())
      if (pointer >= start && pointer < start + BigInt(bytes)) return true;
    return false;
  }

  /** Returns the peak of bytes in use since the start. */
  peakOf(device: Device): Peak {
    const known = this.#peaks.get(device);
    if (known !== undefined) return known;
    const made = { live: 0, bytes: 0, after: 0 };
    this.#peaks.set(device, made);
    return made;
  }

  #moment(): Moment {
    return { number: this.#next, time: this.now };
  }

  #push(kind: LogEvent['kind'], { number, time }: Moment, subject: LogEvent['subject']): void {
    this.#events[number % this.capacity] = { kind, number, time, subject };
    this.#next = number + 1;
    if (this.#next - this.#first > this.capacity) {
      this.#first++;
      this.#dropped++;
    }
    this.#changed();
  }

  #place(): Place {
    return this.#places?.here() ?? NOWHERE;
  }
}
