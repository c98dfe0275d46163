/** One exchange during recording: its facts, its participants, and the later waits that belong to it. Keeps no array or memory alive. */

import { NDArray } from '../../array/array.ts';
import { isHazard } from './hazard.ts';
import type { ExchangeDescription, Fact, FactContent, Side } from './facts.ts';
import { shortTexts } from '../../base/short-texts.ts';
import type { Device } from '../../core/device.ts';
import { formatShape } from '../../layout/shape.ts';
import type { Storage, Use } from '../../memory/storage.ts';
import { Stream } from '../../core/stream.ts';
import type { Wait, WaitLog } from './waits.ts';

/** Maximum number of uses kept per side; later ones are counted. */
const MOST_USES = 3;
/** Maximum number of facts: more than a reader can follow. */
const MOST_FACTS = 40;

/** Returns the name of a value; undefined if it has none. */
export type NameOf = (value: object) => string | undefined;

/** Number and place of an exchange. */
type ExchangeOrigin = Pick<ExchangeDescription, 'number' | 'protocol' | 'language' | 'cell'>;

const OTHER: Readonly<Record<Side, Side>> = { producer: 'consumer', consumer: 'producer' };

export class RecordedExchange {
  readonly origin: ExchangeOrigin;
  ended = false;
  /** Number of the last wait examined for this exchange. */
  #mark: number;
  readonly #log: WaitLog;
  readonly #changed: () => void;
  readonly #facts: Fact[] = [];
  readonly #values: Record<Side, WeakRef<object>[]> = { producer: [], consumer: [] };
  readonly #names: Record<Side, string | null> = { producer: null, consumer: null };
  readonly #texts: Record<Side, string | null> = { producer: null, consumer: null };
  readonly #streams: Record<Side, Set<number>> = { producer: new Set(), consumer: new Set() };
  readonly #streamNames = new Map<number, string>();
  readonly #watched = new WeakSet<Storage>();
  readonly #ends: (() => void)[] = [];
  readonly #uses: Record<Side, number> = { producer: 0, consumer: 0 };
  #device: Device | null = null;
  /** A wait is expected with the first use. */
  #deferred = false;
  #released = false;
  #more = 0;

  constructor(origin: ExchangeOrigin, log: WaitLog, changed: () => void) {
    this.origin = origin;
    this.#log = log;
    this.#changed = changed;
    this.#mark = log.mark();
  }

  /** Returns true if a fact of that kind exists. */
  has(kind: FactContent['kind']): boolean {
    return this.#facts.some(fact => fact.kind === kind);
  }

  add(content: FactContent, time = this.#log.now()): void {
    if (this.#facts.length >= MOST_FACTS) {
      this.#more++;
    } else {
      const before = this.#facts.findIndex(fact => fact.time! > time);
      this.#facts.splice(before < 0 ? this.#facts.length : before, 0, { ...content, time });
    }
    if (content.kind === 'no-wait' && content.reason === 'deferred') this.#deferred = true;
    this.#changed();
  }

  /** Adds a value to a side, which is named after its first named value. */
  joins(side: Side, value: object): void {
    this.#values[side].push(new WeakRef(value));
    if (value instanceof NDArray) this.#device = value.device;
    if (value instanceof NDArray) this.#texts[side] = textFor(value);
    else this.#texts[side] ??= this.origin.language === 'python' ? 'a Python object' : textFor(value);
  }

  /** Names a side that has no value in this process. */
  isCalled(side: Side, text: string): void {
    this.#texts[side] = text;
  }

  onDevice(device: Device): void {
    this.#device = device;
  }

  /** Adds a stream on which a side works. */
  works(side: Side, stream: Stream): void {
    this.#streams[side].add(stream.id);
    this.#streamNames.set(stream.id, stream.toString());
  }

  /** Records the producer's earlier uses of the memory that this library knows. Returns the latest. */
  before(storage: Storage): Use | undefined {
    const uses = storage.recentUses();
    for (const use of uses) this.works('producer', use.stream);
    if (storage.soleStream instanceof Stream) this.works('producer', storage.soleStream);
    const latest = uses.at(-1);
    if (latest !== undefined) {
      const { access, stream, complete } = latest;
      const first = this.#facts[0]?.time ?? this.#log.now();
      this.add({ kind: 'work', stream: stream.toString(), access, pending: !complete }, first - 0.001);
    }
    return latest;
  }

  nameOf(stream: number): string {
    return this.#streamNames.get(stream) ?? (stream === 0 ? 'an event' : `stream #${stream}`);
  }

  /** Returns the waits since the last call. */
  takeWaits(): readonly Wait[] {
    const { waits, lost } = this.#log.after(this.#mark);
    this.skipWaits();
    if (lost) this.add({ kind: 'lost' });
    return waits;
  }

  /** Skips the waits so far. */
  skipWaits(): void {
    this.#mark = this.#log.mark();
  }

  /** Records the waits placed for the consumer. Returns false if there were none. */
  ordered(waits: readonly Wait[]): boolean {
    let any = false;
    for (const { waiter, waited, time } of waits) {
      const stream = this.nameOf(waiter);
      const other = this.nameOf(waited);
      const joins = this.#streams.producer.has(waiter) && !this.#streams.consumer.has(waiter);
      if (waiter === 0) {
        this.add({ kind: 'host-wait', stream: other }, time);
      } else if (joins) {
        this.add({ kind: 'join', stream, other, why: 'several' }, time);
        continue;
      } else {
        this.#streams.consumer.add(waiter);
        this.add({ kind: 'event', stream: other, side: 'producer' }, time);
        this.add({ kind: 'wait', stream, other, side: 'consumer' }, time);
      }
      any = true;
    }
    return any;
  }

  /** Records a wait among the producer's streams. `otherwise`: why the legacy default stream waits if nothing else requires it. */
  joined(device: Device, version: number, wait: Wait, otherwise: 'several' | 'unread' = 'several'): void {
    const legacy = Stream.legacyDefault(device);
    const perThread = Stream.perThreadDefault(device);
    this.works('producer', legacy);
    const why =
      wait.waiter !== legacy.id
        ? 'several'
        : version < 3
          ? 'version'
          : wait.waited === perThread.id
            ? 'per-thread'
            : otherwise;
    const [stream, other] = [this.nameOf(wait.waiter), this.nameOf(wait.waited)];
    this.add({ kind: 'join', stream, other, why }, wait.time);
  }

  /** Records why an import or export failed. */
  failed(side: Side, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.add({ kind: 'failed', side, message });
  }

  /** Records later uses of the memory by a side, or by both if they share it. */
  watch(storage: Storage, side: Side | 'both', ignored: () => boolean): void {
    if (this.#watched.has(storage)) return;
    this.#watched.add(storage);
    const weak = new WeakRef(storage);
    const end = storage.onUse(() => {
      const used = weak.deref();
      if (used === undefined) return;
      if (used.freed) {
        if (side === 'consumer') this.release();
        end();
      } else if (!ignored()) {
        this.#used(used, side);
      }
    });
    this.#ends.push(end);
  }

  /** Records that the consumer released the memory. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.add({ kind: 'release' });
  }

  /** Ends the exchange: nothing is added afterwards. */
  end(): void {
    this.ended = true;
    for (const end of this.#ends.splice(0)) end();
  }

  describe(nameOf: NameOf): ExchangeDescription {
    const unknown = this.origin.protocol === 'python' ? 'Python' : 'unknown';
    return shortTexts({
      ...this.origin,
      producer: this.#called('producer', nameOf) ?? this.#texts.producer ?? 'unknown',
      consumer: this.#called('consumer', nameOf) ?? this.#texts.consumer ?? unknown,
      device: this.#device?.label ?? null,
      facts: this.#facts.map(fact => ({ ...fact, time: Math.round(fact.time! * 1000) / 1000 })),
      hazard: isHazard(this.#facts),
      more: this.#more
    });
  }

  /** Returns the name of a side. A known name is kept even if the variable now holds another value. */
  #called(side: Side, nameOf: NameOf): string | null {
    for (const reference of this.#values[side]) {
      const value = reference.deref();
      const name = value === undefined ? undefined : nameOf(value);
      if (name !== undefined) return (this.#names[side] = name);
    }
    return this.#names[side];
  }

  #used(storage: Storage, watched: Side | 'both'): void {
    const use = storage.recentUses().at(-1);
    if (use === undefined) return;
    const { stream, access } = use;
    const itsSide = this.#streams.consumer.has(stream.id) ? 'consumer' : 'producer';
    const side = watched === 'both' ? itsSide : watched;
    // Work on the consumer's streams is not the producer's, and the producer's reads cannot race.
    if (side === 'producer' && (itsSide === 'consumer' || access === 'read')) return;
    if (++this.#uses[side] > MOST_USES) {
      this.#more++;
      this.skipWaits();
      return;
    }
    const others = this.#streams[OTHER[side]];
    const waits = this.takeWaits();
    const before = waits.filter(({ waiter, waited }) => waiter === stream.id && others.has(waited));
    const after = waits.filter(({ waiter, waited }) => others.has(waiter) && waited === stream.id);
    this.works(side, stream);
    for (const wait of before) this.#edge(wait, side);
    const time = after[0]?.time ?? this.#log.now();
    if (this.#deferred && side === 'consumer' && before.length === 0)
      this.add({ kind: 'no-wait', reason: 'ordered' }, time);
    if (side === 'consumer') this.#deferred = false;
    this.add({ kind: 'use', side, stream: stream.toString(), access }, time);
    for (const wait of after) this.#edge(wait, OTHER[side]);
  }

  /** Records that a stream of one side waits for one of the other. */
  #edge({ waiter, waited, time }: Wait, side: Side): void {
    const [stream, other] = [this.nameOf(waiter), this.nameOf(waited)];
    this.add({ kind: 'event', stream: other, side: OTHER[side] }, time);
    this.add({ kind: 'wait', stream, other, side }, time);
  }
}

/** Describes a value that has no name. */
function textFor(value: object): string {
  if (value instanceof NDArray) return `${value.dtype.name} ${formatShape(value.shape)}`;
  try {
    if ('typestr' in value) return 'a descriptor';
    const name: unknown = value.constructor?.name;
    return typeof name !== 'string' || name === '' || name === 'Object' ? 'an object' : `a ${name}`;
  } catch {
    // Recording must not change the behaviour of the recorded code.
    return 'an object';
  }
}
