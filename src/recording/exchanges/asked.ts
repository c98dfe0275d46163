/** What Python's libraries and native code asked of our arrays: native code answers them, and writes them down (rules 83, 141 to 176). */

import type { Protocol } from '../../interchange/observer.ts';
import type { Storage } from '../../memory/storage.ts';
import type { NativeExport, NativeExports } from '../../native/observation-binding.ts';
import { isHost } from '../../protocols/dlpack-device.ts';
import { devices, type Device } from '../../core/device.ts';
import { askedOptions, askedStream, deviceFact, nameOfHandle, writtenHandle } from './arguments.ts';
import { isRead, tellRead } from './reads.ts';
import type { RecordedExchange } from './recorded-exchange.ts';
import type { ExchangeRegistry } from './registry.ts';

/** Questions whose answer is a tensor or a buffer, which has an end. */
const LASTING: readonly NativeExport['way'][] = ['python', 'python-table', 'native-table', 'python-buffer'];
/** The most tensors and buffers whose end is awaited. */
const MOST_OUT = 4096;

/** An array that went to Python: what is asked of it belongs to that exchange. */
interface HandedOut {
  readonly exchange: RecordedExchange;
  readonly device: Device;
  readonly storage: WeakRef<Storage>;
}

/** Puts an entry last, and drops the oldest one of too many. */
function put<Value>(map: Map<number, Value>, key: number, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return;
  for (const oldest of map.keys()) return void map.delete(oldest);
}

export class AskedNatively {
  readonly #native: NativeExports;
  readonly #registry: ExchangeRegistry;
  readonly #capacity: number;
  /** By the id of the memory. */
  readonly #handedOut = new Map<number, HandedOut>();
  /** By the number of the question: tensors and buffers that are out. */
  readonly #out = new Map<number, RecordedExchange>();
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

  /** Adds to `exchange` what is asked of the memory from now on. */
  handsOut(storage: Storage, exchange: RecordedExchange): void {
    const id = this.#native.idOf(storage.native);
    const { device } = storage;
    put(this.#handedOut, id, { exchange, device, storage: new WeakRef(storage) }, this.#capacity);
  }

  /** The exchange by which the memory went to Python; null if that was not recorded, or was dropped. */
  exchangeOf(storage: Storage): RecordedExchange | null {
    const found = this.#handedOut.get(this.#native.idOf(storage.native))?.exchange;
    return found?.ended === false ? found : null;
  }

  /** Adds what was asked and what ended since the last time. */
  read(): void {
    const before = this.#last;
    const now = this.#native.last();
    if (now === before) return;
    const asked = this.#native.read(0, before);
    this.#last = asked.reduce((last, { number, endNumber }) => Math.max(last, number, endNumber), now);
    for (const question of asked) {
      // Those of JavaScript are recorded where they are answered.
      if (question.way === 'javascript') continue;
      if (question.number > before) this.#tell(question);
      if (question.endNumber > before) this.#tellEnd(question);
    }
  }

  stop(): void {
    this.read();
    this.#native.stop();
  }

  #tell(question: NativeExport): void {
    const { way, device, asker, refusal } = question;
    const { log } = this.#registry;
    const handedOut = this.#handedOut.get(question.storage);
    // Nothing is added to an exchange that was dropped.
    const exchange = handedOut?.exchange.ended === false ? handedOut.exchange : this.#begin(question);
    const time = log.sinceStart(question.began);
    if (asker !== '') exchange.isCalled('consumer', `Python's ${asker}`);
    if (refusal === '' && LASTING.includes(way)) put(this.#out, question.number, exchange, MOST_OUT);
    const waits = log.between(question.waitsBefore, question.waitsAfter);
    const answered = Math.max(time, ...waits.map(wait => wait.time));
    if (isRead(question)) {
      const known = handedOut?.device ?? cudaDevice(device);
      if (known !== null) exchange.onDevice(known);
      const storage = handedOut?.storage.deref();
      tellRead(exchange, { question, device: known, storage, began: time, answered, waits });
      return;
    }
    const byTable = way !== 'python';
    if (byTable) exchange.add({ kind: 'table' }, time);
    else this.#tellArguments(exchange, question, handedOut?.device ?? null, time);
    const ordered = exchange.ordered(waits);
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

  #tellEnd({ number, way, ended }: NativeExport): void {
    const exchange = this.#out.get(number);
    if (exchange === undefined) return;
    this.#out.delete(number);
    const kind = way === 'python-buffer' ? 'buffer-release' : 'deleted';
    exchange.add({ kind }, this.#registry.log.sinceStart(ended));
  }

  /** For an array that was handed out before anybody recorded. */
  #begin({ way, device, array }: NativeExport): RecordedExchange {
    const before = this.#registry.language;
    this.#registry.language = way.startsWith('python') ? 'python' : 'javascript';
    const exchange = this.#registry.begin(protocolOf(way));
    this.#registry.language = before;
    exchange.isCalled('producer', array === '' ? `an array on ${deviceFact([...device]).name}` : array);
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
    const names = stream?.toString() ?? (isHost(type) ? null : nameOfHandle(handle));
    const options = askedOptions({
      maxVersion: maxVersion === undefined ? null : [...maxVersion],
      dlDevice: dlDevice === undefined ? null : [...dlDevice],
      copy: copy ?? null
    });
    exchange.add({ kind: 'ask-capsule', stream: written, names, options }, time);
    if (stream !== null) exchange.works('consumer', stream);
  }
}

function protocolOf(way: NativeExport['way']): Protocol {
  if (way === 'python-cuda-interface') return 'cai';
  return way === 'python-array-interface' || way === 'python-buffer' ? 'python' : 'dlpack';
}

/** The device of CUDA memory; null for other memory. */
function cudaDevice([type, id]: NativeExport['device']): Device | null {
  return type === 2 ? (devices().find(({ label }) => label === `cuda:${id}`) ?? null) : null;
}
