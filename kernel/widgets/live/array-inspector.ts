/** The kernel half of the live array widget: describes an array whenever it is used, and while its streams are busy. */

import type { NDArray } from '../../../src/array.ts';
import { describeArray, describeGone } from '../../../src/description/describe.ts';
import type { ArrayDescription } from '../../../src/description/schema.ts';
import { DISPLAY_METHOD } from '../../../src/notebook/host.ts';
import { LiveWidget, type Reply } from './live-widget.ts';

/** A busy stream is looked at anew this often; the device does not tell when it is done. */
const BUSY_PERIOD_MS = 100;

export class ArrayInspector extends LiveWidget<ArrayDescription> {
  /** The widget does not keep the memory alive. */
  readonly #array: WeakRef<NDArray>;
  readonly #unsubscribe: () => void;

  constructor(array: NDArray) {
    super('ArrayInspector', describeArray(array), array[DISPLAY_METHOD]());
    this.#array = new WeakRef(array);
    this.#unsubscribe = array.onUse(() => this.schedule());
    this.on('close', () => this.#unsubscribe());
  }

  protected override describe(): ArrayDescription {
    const array = this.#array.deref();
    const description = array === undefined ? describeGone(this.picture) : describeArray(array);
    if (array === undefined) this.#unsubscribe();
    else if (isBusy(description)) this.#lookAgain();
    return description;
  }

  protected override watching(watched: boolean): void {
    if (watched && isBusy(this.picture)) this.refresh();
  }

  protected override async answer(method: string): Promise<Reply | undefined> {
    if (method !== 'refresh' && method !== 'synchronize') return undefined;
    const array = this.#array.deref();
    if (method === 'synchronize' && array !== undefined && !array.freed) await array.synchronizeAsync();
    this.refresh();
    return {};
  }

  /** After the refresh that is under way. */
  #lookAgain(): void {
    queueMicrotask(() => this.schedule(BUSY_PERIOD_MS));
  }
}

function isBusy(description: ArrayDescription): boolean {
  return description.streams.some(stream => stream.state === 'busy');
}
