/** The consumer's half of an import through DLPack. */

import type { NDArray } from '../../array/array.ts';
import type { Order } from '../../interchange/order.ts';
import { isHost, type DLDevice } from '../../protocols/dlpack-device.ts';
import type { DlpackOptions } from '../../protocols/dlpack.ts';
import type { Stream } from '../../core/stream.ts';
import { askedOptions, deviceFact, nameOfHandle, writtenHandle } from './arguments.ts';
import { whyNot } from './interface-import.ts';
import type { TensorImport } from '../../interchange/observer.ts';
import { RecordedImport } from './recorded-import.ts';
import type { ExchangeRegistry } from './registry.ts';

export class RecordedTensorImport extends RecordedImport implements TensorImport {
  /** `producer` is null for a bare capsule. */
  constructor(registry: ExchangeRegistry, producer: object | null) {
    super(registry, 'dlpack');
    if (producer !== null) this.exchange.joins('producer', producer);
  }

  located(device: DLDevice): void {
    this.exchange.add({ kind: 'ask-device' });
    this.exchange.add(deviceFact(device));
  }

  asking(options: DlpackOptions, device: DLDevice, stream: Stream | undefined): void {
    const names = stream?.toString() ?? (isHost(device[0]) ? null : nameOfHandle(null));
    const asked = { stream: writtenHandle(stream?.handle), names, options: askedOptions(options) };
    this.exchange.add({ kind: 'ask-capsule', ...asked });
    if (stream !== undefined) this.exchange.works('consumer', stream);
  }

  unasked(): void {
    this.exchange.add({ kind: 'table' });
  }

  taken(capsule: object | null, name: string): void {
    this.answered(capsule);
    if (!this.exchange.has('capsule') && !this.exchange.has('table'))
      this.exchange.add({ kind: 'capsule', name, copied: false });
    if (!this.exchange.has('table')) this.exchange.add({ kind: 'consume', name: `used_${name}` });
    this.exchange.skipWaits();
  }

  handedOver(device: DLDevice, stream: Stream | undefined): void {
    this.answered(null);
    const names = isHost(device[0]) ? null : (stream?.toString() ?? nameOfHandle(null));
    const written = names === null ? 'None' : writtenHandle(stream?.handle ?? 1);
    this.exchange.add({ kind: 'tensor', stream: written, names });
  }

  settled(order: Pick<Order, 'producer' | 'why'> & { readonly stream: Stream | null }): void {
    const exchange = this.exchange;
    if (order.producer !== null) exchange.works('producer', order.producer);
    if (order.stream !== null) exchange.works('consumer', order.stream);
    if (!exchange.ordered(exchange.takeWaits()))
      exchange.add({ kind: 'no-wait', reason: whyNot(order, { sync: true }) });
  }

  made(array: NDArray): void {
    const exchange = this.exchange;
    exchange.works('consumer', array.stream);
    exchange.add({ kind: 'view', stream: array.stream.toString() });
    exchange.joins('consumer', array);
    const shared = this.registry.of(array.storage).includes(exchange);
    if (!shared) this.registry.watch(exchange, array.storage, 'consumer');
  }

  dropped(): void {
    this.stopAsking();
    this.registry.forget(this.exchange);
  }
}
