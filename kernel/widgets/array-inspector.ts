/** The kernel half of the live array widget: describes an array whenever it is used, and while its streams are busy. */

import { createRequire } from 'node:module';
import type { NDArray } from '../../src/array.ts';
import { describeArray, describeGone } from '../../src/description/describe.ts';
import type { ArrayDescription, InspectorRequest, InspectorResponse } from '../../src/description/schema.ts';
import { DISPLAY_METHOD, type MimeBundle } from '../../src/notebook/host.ts';
import type { JsonObject } from '../protocol/messages.ts';
import type { CommManager } from './comm-manager.ts';
import { WidgetManager } from './widget-manager.ts';
import type { WidgetModel, WidgetNames } from './widget-model.ts';

/** At most 20 updates a second leave for the page. */
const UPDATE_PERIOD_MS = 50;
/** A busy stream is looked at anew this often; the device does not tell when it is done. */
const BUSY_PERIOD_MS = 100;

const { version } = createRequire(import.meta.url)('stridelab/package.json') as { version: string };

const NAMES: WidgetNames = {
  _model_module: 'stridelab',
  _model_module_version: `^${version}`,
  _model_name: 'ArrayInspectorModel',
  _view_module: 'stridelab',
  _view_module_version: `^${version}`,
  _view_name: 'ArrayInspectorView'
};

/** Opens the widget and gives the bundle that shows it; pages without widgets show the static picture in it. */
export function openArrayInspector(comms: CommManager, array: NDArray): MimeBundle {
  const picture = array[DISPLAY_METHOD]();
  const { id } = new ArrayInspector(comms, array).model;
  return {
    'application/vnd.jupyter.widget-view+json': { version_major: 2, version_minor: 0, model_id: id },
    'text/html': picture['text/html'],
    'text/plain': picture['text/plain']
  };
}

export class ArrayInspector {
  readonly model: WidgetModel;
  /** The widget does not keep the memory alive. */
  readonly #array: WeakRef<NDArray>;
  readonly #unsubscribe: () => void;
  #description: ArrayDescription;
  #timer: NodeJS.Timeout | undefined;
  #lastUpdate = 0;
  /** Something happened while nobody looked. */
  #stale = false;

  constructor(comms: CommManager, array: NDArray) {
    this.#array = new WeakRef(array);
    this.#description = describeArray(array);
    const state = { ...NAMES, _view_count: 0, description: '', array: this.#description };
    this.model = WidgetManager.of(comms).open(state, () => this.#stop());
    this.model.onCustom = content => void this.#answer(content);
    this.model.onChange = keys => {
      if (keys.includes('_view_count') && this.#watched) this.#catchUp();
    };
    this.#unsubscribe = array.onUse(() => this.#schedule(UPDATE_PERIOD_MS));
  }

  /** Whether a view shows it; `null` means that the page does not count its views. */
  get #watched(): boolean {
    const count = this.model.state._view_count;
    return count === null || count > 0;
  }

  #catchUp(): void {
    if (this.#stale || this.#busy) this.#refresh();
  }

  get #busy(): boolean {
    return this.#description.streams.some(stream => stream.state === 'busy');
  }

  #schedule(period: number): void {
    this.#stale = true;
    if (this.#timer !== undefined || !this.#watched) return;
    const wait = Math.max(0, this.#lastUpdate + period - performance.now());
    this.#timer = setTimeout(() => this.#refresh(), wait);
    this.#timer.unref();
  }

  /** Describes anew, tells the page, and looks again later while a stream is busy. */
  #refresh(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#stale = false;
    this.#lastUpdate = performance.now();
    const array = this.#array.deref();
    this.#description = array === undefined ? describeGone(this.#description) : describeArray(array);
    this.model.update({ array: this.#description });
    if (array === undefined) this.#unsubscribe();
    else if (this.#busy) this.#schedule(BUSY_PERIOD_MS);
  }

  async #answer(content: JsonObject): Promise<void> {
    const request = content as unknown as InspectorRequest;
    if (request.kind !== 'request') return;
    const error = await this.#perform(request.method).catch((reason: unknown) =>
      reason instanceof Error ? reason.message : String(reason)
    );
    const response: InspectorResponse = {
      kind: 'response',
      id: request.id,
      ...(error === undefined ? {} : { error })
    };
    this.model.sendCustom(response);
  }

  /** Gives a sentence where the request cannot be met. */
  async #perform(method: string): Promise<string | undefined> {
    if (method !== 'refresh' && method !== 'synchronize')
      return `The kernel knows no request named ${method}`;
    const array = this.#array.deref();
    if (method === 'synchronize' && array !== undefined && !array.freed) await array.synchronizeAsync();
    this.#refresh();
    return undefined;
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#unsubscribe();
  }
}
