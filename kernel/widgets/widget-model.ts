/** The kernel half of a Jupyter widget: state that is kept equal with the page over a comm. */

import type { JsonObject } from '../protocol/messages.ts';
import { joinBuffers, splitBuffers, type BufferPath } from './buffer-paths.ts';
import type { Comm, CommManager, CommMessage } from './comm-manager.ts';

export const WIDGET_TARGET = 'jupyter.widget';
/** Only the major number is checked, but without it a page refuses the widget. */
export const WIDGET_PROTOCOL_VERSION = '2.1.0';

/** The keys that every model must carry. */
export interface WidgetNames {
  readonly _model_module: string;
  readonly _model_module_version: string;
  readonly _model_name: string;
  readonly _view_module: string;
  readonly _view_module_version: string;
  readonly _view_name: string | null;
}

export type WidgetState = WidgetNames & { readonly _view_count: number | null } & JsonObject;

export class WidgetModel {
  readonly #comm: Comm;
  #state: WidgetState;
  /** A custom message of the page. */
  onCustom: (content: JsonObject, buffers: readonly Uint8Array[]) => void = () => {};
  /** The page changed these keys. */
  onChange: (keys: readonly string[]) => void = () => {};
  onClose: () => void = () => {};

  /** Opens the widget in the page. */
  constructor(comms: CommManager, state: WidgetState) {
    this.#state = state;
    const { state: data, paths, buffers } = splitBuffers(state);
    this.#comm = comms.open(WIDGET_TARGET, {
      data: { state: data, buffer_paths: paths },
      metadata: { version: WIDGET_PROTOCOL_VERSION },
      buffers
    });
    this.#comm.onMessage = message => this.#receive(message);
    this.#comm.onClose = () => this.onClose();
  }

  /** The comm's id is the model's. */
  get id(): string {
    return this.#comm.id;
  }

  get state(): WidgetState {
    return this.#state;
  }

  /** Changes keys here and in the page. */
  update(changes: JsonObject): void {
    this.#state = { ...this.#state, ...changes };
    this.#sendState(changes);
  }

  sendCustom(content: object, buffers: readonly Uint8Array[] = []): void {
    this.#comm.send({ method: 'custom', content }, {}, buffers);
  }

  close(): void {
    this.#comm.close();
  }

  #sendState(state: JsonObject): void {
    const split = splitBuffers(state);
    this.#comm.send({ method: 'update', state: split.state, buffer_paths: split.paths }, {}, split.buffers);
  }

  #receive({ data, buffers }: CommMessage): void {
    const method = data['method'];
    if (method === 'update') {
      const changes = (data['state'] ?? {}) as JsonObject;
      joinBuffers(changes, (data['buffer_paths'] ?? []) as BufferPath[], buffers);
      this.#state = { ...this.#state, ...changes };
      this.onChange(Object.keys(changes));
    } else if (method === 'request_state') {
      this.#sendState(this.#state);
    } else if (method === 'custom') {
      this.onCustom((data['content'] ?? {}) as JsonObject, buffers);
    }
  }
}
