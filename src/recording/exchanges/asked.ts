/** Requests of Python libraries and native code for our arrays, which native code answers and logs (rules 83, 141 to 176). */

import type { Protocol } from '../../interchange/observer.ts';
import type { Storage } from '../../memory/storage.ts';
import type { NativeExport, NativeExports } from '../../native/observation-binding.ts';
import { isHost } from '../../protocols/dlpack-device.ts';
import { devices, type Device } from '../../core/device.ts';
import { askedOptions, askedStream, deviceFact, nameOfHandle, writtenHandle } from './arguments.ts';
import { isRead, tellRead } from './reads.ts';
import type { RecordedExchange } from './recorded-exchange.ts';
import type { ExchangeRegistry } from './registry.ts';

/** Requests answered with a tensor or buffer, which is later released. */
const LASTING: readonly NativeExport['way'][] = ['python', 'python-table', 'native-table', 'python-buffer'];
/** Maximum number of tensors and buffers whose release is tracked. */
const MOST_OUT = 4096;

/** An array that was passed to Python: requests for its memory belong to that exchange. */
interface HandedOut {
  readonly exchange: RecordedExchange;
  readonly device: Device;
  readonly storage: WeakRef<Storage>;
}

/** Inserts or moves an entry to the end, and drops the oldest one above the limit. */
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
  /** Keyed by the id of the memory. */
  readonly #handedOut = new Map<number, HandedOut>();
  /** Outstanding tensors and buffers, keyed by the number of the request. */
  readonly #out = new Map<number, RecordedExchange>();
  #last: number;

  constructor(native: NativeExports, registry: ExchangeRegistry, capacity: number) {
    this.#native = native;
    this.#registry = registry;
    this.#capacity = capacity;
    native.start();
    this.#last = native.last();
  }

  /** Whether `read` would find anything. */
  get pending(): boolean {
    return this.#native.last() > this.#last;
  }

  /** Adds later requests for the memory to `exchange`. */
  handsOut(storage: Storage, exchange: RecordedExchange): void {
    const id = this.#native.idOf(storage.native);
    const { device } = storage;
    put(this.#handedOut, id, { exchange, device, storage: new WeakRef(storage) }, this.#capacity);
  }

  /** Returns the exchange that passed the memory to Python; null if it was not recorded, or was dropped. */
  exchangeOf(storage: Storage): RecordedExchange | null {
    const found = this.#handedOut.get(this.#native.idOf(storage.native))?.exchange;
    return found?.ended === false ? found : null;
  }

  /** Adds the requests and releases since the last call. */
  read(): void {
    const before = this.#last;
    const now = this.#native.last();
    if (now === before) return;
    const asked = this.#native.read(0, before);
    this.#last = asked.reduce((last, { number, endNumber }) => Math.max(last, number, endNumber), now);
    for (const question of asked) {
      // Requests from JavaScript are recorded where they are answered.
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
    // A dropped exchange receives no more facts.
    const exchange = handedOut?.exchange.ended === false ? handedOut.exchange : this.#begin(question);
    const time = log.sinceStart(question.began);
    if (asker !== '') exchange.isCalled('consumer', `${asker} (Python)`);
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

  /** Begins an exchange for an array that was passed on before the recording. */
  #begin({ way, device, array }: NativeExport): RecordedExchange {
    const language = way.startsWith('python') ? 'python' : 'javascript';
    const exchange = this.#registry.begin(protocolOf(way), language);
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

/** Returns the device of CUDA memory; null for other memory. */
function cudaDevice([type, id]: NativeExport['device']): Device | null {
  return type === 2 ? (devices().find(({ label }) => label === `cuda:${id}`) ?? null) : null;
}
