/** The kernel half of the live array widget: describes an array whenever it is used, and while its streams are busy. */

import { createRequire } from 'node:module';
import type { NDArray } from '../../src/array.ts';
import { describeArray, describeGone } from '../../src/description/describe.ts';
import type { ArrayDescription, InspectorRequest, InspectorResponse } from '../../src/description/schema.ts';
import { DISPLAY_METHOD, type MimeBundle } from '../../src/notebook/host.ts';
import type { JsonObject } from '../protocol/messages.ts';
import { anything, int, nullable, text, withOptions } from './traits.ts';
import { Widget } from './widget.ts';
import type { WidgetSpec } from './widget-spec.ts';

/** At most 20 updates a second leave for the page. */
const UPDATE_PERIOD_MS = 50;
/** A busy stream is looked at anew this often; the device does not tell when it is done. */
const BUSY_PERIOD_MS = 100;

const { version } = createRequire(import.meta.url)('stridelab/package.json') as { version: string };

interface InspectorProperties {
  /** Views that show it; null means that the page does not count them. */
  _view_count: number | null;
  description: string;
  array: ArrayDescription | null;
}

const SPEC: WidgetSpec<InspectorProperties> = {
  names: {
    _model_module: 'stridelab',
    _model_module_version: `^${version}`,
    _model_name: 'ArrayInspectorModel',
    _view_module: 'stridelab',
    _view_module_version: `^${version}`,
    _view_name: 'ArrayInspectorView'
  },
  traits: {
    _view_count: nullable(int(0), 0),
    description: text(''),
    array: withOptions(anything<ArrayDescription | null>(null), { echo: false })
  }
};

/** Opens the widget and gives the bundle that shows it; pages without widgets show the static picture in it. */
export function openArrayInspector(array: NDArray): MimeBundle {
  return new ArrayInspector(array)[DISPLAY_METHOD]();
}

export class ArrayInspector extends Widget<InspectorProperties> {
  readonly #picture: MimeBundle;
  /** The widget does not keep the memory alive. */
  readonly #array: WeakRef<NDArray>;
  readonly #unsubscribe: () => void;
  #description: ArrayDescription;
  #timer: NodeJS.Timeout | undefined;
  #lastUpdate = 0;
  /** Something happened while nobody looked. */
  #stale = false;

  constructor(array: NDArray) {
    const description = describeArray(array);
    super(SPEC, () => {}, { array: description });
    this.#array = new WeakRef(array);
    this.#picture = array[DISPLAY_METHOD]();
    this.#description = description;
    this.on('close', () => this.#stop());
    this.on('msg', content => this.#answer(content));
    this.observe('_view_count', () => {
      if (this.#watched && (this.#stale || this.#busy)) this.#refresh();
    });
    this.#unsubscribe = array.onUse(() => this.#schedule(UPDATE_PERIOD_MS));
  }

  override [DISPLAY_METHOD](): MimeBundle {
    const { 'text/html': html, 'text/plain': plain } = this.#picture;
    return { ...super[DISPLAY_METHOD](), 'text/html': html, 'text/plain': plain };
  }

  get #watched(): boolean {
    const count = this.get('_view_count');
    return count === null || count > 0;
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
    this.set({ array: this.#description });
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
    this.send(response);
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
