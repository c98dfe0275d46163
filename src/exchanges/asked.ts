/** What Python's libraries and native code asked of our arrays by DLPack: native code answers them, and writes them down (rules 141 to 176). */

import type { Storage } from '../memory/storage.ts';
import type { NativeExport, NativeExports } from '../native/observation-binding.ts';
import { isHost } from '../interchange/dlpack/device.ts';
import type { Device } from '../device.ts';
import { askedOptions, askedStream, writtenHandle } from './arguments.ts';
import { deviceFact } from './exports.ts';
import type { RecordedExchange } from './recorded-exchange.ts';
import type { ExchangeRegistry } from './registry.ts';

/** An array that went to Python: what is asked of it belongs to that exchange. */
interface HandedOut {
  readonly exchange: RecordedExchange;
  readonly device: Device;
}

export class AskedNatively {
  readonly #native: NativeExports;
  readonly #registry: ExchangeRegistry;
  readonly #capacity: number;
  /** By the id of the memory. */
  readonly #handedOut = new Map<number, HandedOut>();
  #last: number;

  constructor(native: NativeExports, registry: ExchangeRegistry, capacity: number) {
    this.#native = native;
    this.#registry = registry;
    this.#capacity = capacity;
    native.start();
    this.#last = native.last();
  }

  /** Whether `read` would find something. */
  get pending(): boolean {
    return this.#native.last() > this.#last;
  }

  /** From now on what is asked of the memory is told with `exchange`. */
  handsOut(storage: Storage, exchange: RecordedExchange): void {
    const id = this.#native.idOf(storage.native);
    this.#handedOut.delete(id);
    this.#handedOut.set(id, { exchange, device: storage.device });
    if (this.#handedOut.size <= this.#capacity) return;
    for (const oldest of this.#handedOut.keys()) return void this.#handedOut.delete(oldest);
  }

  /** Adds what was asked since the last time. */
  read(): void {
    if (!this.pending) return;
    const asked = this.#native.read(0, this.#last);
    this.#last = asked.at(-1)?.number ?? this.#native.last();
    // Those of JavaScript are recorded where they are answered.
    for (const question of asked) if (question.way !== 'javascript') this.#tell(question);
  }

  stop(): void {
    this.read();
    this.#native.stop();
  }

  #tell(question: NativeExport): void {
    const { way, device, asker, refusal } = question;
    const { log } = this.#registry;
    const handedOut = this.#handedOut.get(question.storage);
    const exchange = handedOut?.exchange ?? this.#begin(question);
    const time = log.sinceStart(question.began);
    if (asker !== '') exchange.isCalled('consumer', `Python's ${asker}`);
    const byTable = way !== 'python';
    if (byTable) exchange.add({ kind: 'table' }, time);
    else this.#tellArguments(exchange, question, handedOut?.device ?? null, time);
    const waits = log.between(question.waitsBefore, question.waitsAfter);
    const ordered = exchange.ordered(waits);
    const answered = Math.max(time, ...waits.map(wait => wait.time));
    if (refusal !== '') {
      exchange.add({ kind: 'failed', side: 'producer', message: refusal }, answered);
      return;
    }
    if (!ordered) {
      const skipped = question.request.stream === -1n && !isHost(device[0]);
      const reason = skipped ? 'minus-one' : exchange.has('work') ? 'ordered' : 'nothing-pending';
      exchange.add({ kind: 'no-wait', reason }, answered);
    }
    if (byTable) return;
    const name = question.versioned ? 'dltensor_versioned' : 'dltensor';
    exchange.add({ kind: 'capsule', name, copied: false }, answered);
    if (question.taken) exchange.add({ kind: 'consume', name: `used_${name}` }, answered);
  }

  /** For an array that was handed out before anybody recorded. */
  #begin({ way, device }: NativeExport): RecordedExchange {
    const before = this.#registry.language;
    this.#registry.language = way.startsWith('python') ? 'python' : 'javascript';
    const exchange = this.#registry.begin('dlpack');
    this.#registry.language = before;
    exchange.isCalled('producer', `an array on ${deviceFact([...device]).name}`);
    return exchange;
  }

  #tellArguments(
    exchange: RecordedExchange,
    { device, request }: NativeExport,
    known: Device | null,
    time: number
  ): void {
    const { stream: handle, maxVersion, dlDevice, copy } = request;
    const [type] = dlDevice ?? device;
    const written = writtenHandle(handle);
    const stream = known === null ? null : askedStream(handle, known, isHost(type)).stream;
    const names = stream?.toString() ?? (isHost(type) ? null : nameOf(written));
    const options = askedOptions({
      maxVersion: maxVersion === undefined ? null : [...maxVersion],
      dlDevice: dlDevice === undefined ? null : [...dlDevice],
      copy: copy ?? null
    });
    exchange.add({ kind: 'ask-capsule', stream: written, names, options }, time);
    if (stream !== null) exchange.works('consumer', stream);
  }
}

/** What a stream argument on a GPU means. */
function nameOf(written: string): string {
  if (written === 'None' || written === '1') return 'legacy default stream';
  return written === '2' ? 'per-thread default stream' : `stream ${written}`;
}
