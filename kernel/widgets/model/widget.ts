/** The kernel half of a Jupyter widget: properties synchronized with the page over a comm (messaging protocol 2.1). */

import { inspect, type InspectOptions } from 'node:util';
import { DISPLAY_METHOD, type MimeBundle } from '../../../src/notebook/host.ts';
import { escape } from '../../../src/pictures/kit/html.ts';
import { WIDGET_VIEW_TYPE } from '../../../src/pictures/kit/live-messages.ts';
import type { JsonObject } from '../../protocol/messages.ts';
import { joinBuffers, splitBuffers } from './buffer-paths.ts';
import { Feed } from './changes.ts';
import { comms, type Comm, type CommMessage } from './comm-manager.ts';
import { Handlers, reportFailure, type Cause } from './handlers.ts';
import { isMadeForHolder, makeReferable, openWidgets } from './references.ts';
import { flushSync, queueSync } from './sync-queue.ts';
import { isPlainObject, sameValue } from './values.ts';
import type { Settle, WidgetNames, WidgetSpec } from './widget-spec.ts';
import { WidgetValues, type ValueChange } from './widget-values.ts';

export const WIDGET_TARGET = 'jupyter.widget';
/** Pages check only the major number, but refuse a widget without it. */
const WIDGET_PROTOCOL_VERSION = '2.1.0';

declare const PROPERTIES: unique symbol;

/** A change of a property, as handlers of `observe` receive it. */
export interface Change<Properties extends object, Name extends keyof Properties = keyof Properties> {
  /** Always `change`. */
  readonly type: 'change';
  /** The name of the property. */
  readonly name: Name;
  /** The previous value. */
  readonly old: Properties[Name];
  /** The new value. */
  readonly new: Properties[Name];
  /** The widget whose property changed. */
  readonly owner: Widget<Properties>;
}

/** Options of a widget's constructor: some of its properties, with plain objects for properties that are widgets. */
export type WidgetOptions<Properties extends object> = {
  readonly [Name in keyof Properties]?:
    | Properties[Name]
    | (Properties[Name] extends Widget<infer Inner> ? WidgetOptions<Inner> : never)
    | undefined;
};

/** Receives the content and the buffers of a custom message. */
export type MessageHandler = (content: JsonObject, buffers: readonly Uint8Array[]) => unknown;

type Observer = (change: Change<object, never>) => unknown;

/** Set while a widget is created for a comm that the page opened. */
let adopted: Comm | undefined;

/** The kernel half of a Jupyter widget: properties that are synchronized with the page, events and custom messages. */
export class Widget<Properties extends object = object> {
  declare readonly [PROPERTIES]: Properties;
  readonly #names: WidgetNames;
  readonly #values: WidgetValues;
  readonly #comm: Comm;
  readonly #observers = new Handlers<[Change<object, never>]>();
  readonly #events = new Handlers<Parameters<MessageHandler>>();
  /** Properties that changed here and were not sent to the page yet. */
  readonly #changed = new Set<string>();
  #held = 0;

  /**
   * Opens the widget in the page; it is shown by `display` or as the last value of a cell.
   * Throws `TypeError` or `RangeError` for an option that is unknown or has a value that is not accepted.
   */
  constructor(
    spec: WidgetSpec<Properties>,
    settle: Settle<Properties>,
    options: WidgetOptions<Properties> = {}
  ) {
    const comm = adopted;
    adopted = undefined;
    makeReferable(this);
    this.#names = spec.names;
    this.#values = new WidgetValues(
      this.constructor.name,
      spec,
      settle as unknown as Settle<Record<string, unknown>>,
      options
    );
    this.#comm = comm ?? this.#open();
    this.#comm.onMessage = message => this.#receive(message);
    this.#comm.onClose = () => this.#ended();
    openWidgets.set(this.model_id, this);
  }

  /** Creates the widget for a comm that the page opened, with the state that it sent. */
  static adopt<Made extends Widget>(make: () => Made, comm: Comm, state: JsonObject): Made {
    adopted = comm;
    try {
      const widget = make();
      widget.#takeOver(state);
      return widget;
    } finally {
      adopted = undefined;
    }
  }

  /** Closes every open widget. */
  static close_all(): void {
    for (const widget of openWidgets.values()) widget.close();
  }

  /** The id of the model in the page, which is the id of the comm. */
  get model_id(): string {
    return this.#comm.id;
  }

  /** True after the widget was closed, here or in the page. */
  get closed(): boolean {
    return this.#comm.closed;
  }

  /** Returns the value of a property. */
  get<Name extends keyof Properties & string>(name: Name): Properties[Name] {
    return this.#values.get(name) as Properties[Name];
  }

  /** Changes several properties at once: they are validated together, and sent as one update. */
  set(changes: WidgetOptions<Properties>): void {
    const done = this.#values.assign(changes);
    for (const { name, old } of done) {
      if (this.#values.isSynced(name)) this.#changed.add(name);
      if (isMadeForHolder(old)) old.close();
    }
    this.#queue();
    this.#notify('cell', done);
  }

  /** Calls `handler` after each change of the named properties. Its output appears in the cell that called `observe`. */
  observe<Name extends keyof Properties & string>(
    names: Name | readonly Name[],
    handler: (change: Change<Properties, Name>) => unknown
  ): Disposable {
    for (const name of [names].flat()) this.#observers.add(name, handler as unknown as Observer);
    return { [Symbol.dispose]: () => this.unobserve(names, handler) };
  }

  /** Removes a handler that `observe` added. */
  unobserve<Name extends keyof Properties & string>(
    names: Name | readonly Name[],
    handler: (change: Change<Properties, Name>) => unknown
  ): void {
    for (const name of [names].flat()) this.#observers.delete(name, handler as unknown as Observer);
  }

  /**
   * Iterates over the changes of a property, for `for await`. Changes that arrive while the loop body runs are merged into one. Ends when
   * the widget is closed.
   */
  changes<Name extends keyof Properties & string>(
    name: Name
  ): AsyncIterableIterator<Change<Properties, Name>> {
    return this.#feed<Change<Properties, Name>>(
      push => this.observe(name, push),
      (waiting, next) => ({ ...next, old: waiting.old })
    );
  }

  /**
   * Calls `handler` for custom messages of the page: for all messages with `msg`, or for the messages that name an event (`click`,
   * `submit`). `close` occurs once, when the widget is closed on either side.
   */
  on(event: string, handler: MessageHandler): Disposable {
    this.#events.add(event, handler);
    return { [Symbol.dispose]: () => this.off(event, handler) };
  }

  /** Removes a handler that `on` added. */
  off(event: string, handler: MessageHandler): void {
    this.#events.delete(event, handler);
  }

  /** Iterates over all events of a name, for `for await`. Ends when the widget is closed. */
  events(event: string): AsyncIterableIterator<JsonObject> {
    return this.#feed(push => this.on(event, push));
  }

  /** Sends a custom message, with binary buffers, to the model in the page. Custom messages are not part of the state. */
  send(content: unknown, buffers: readonly (ArrayBufferView | ArrayBufferLike)[] = []): void {
    flushSync();
    const split = splitBuffers({ buffers }).buffers;
    this.#comm.send({ method: 'custom', content }, {}, split);
  }

  /** Holds back updates until the result is disposed: `using held = widget.hold_sync();`. */
  hold_sync(): Disposable {
    let held = true;
    this.#held += 1;
    return {
      [Symbol.dispose]: () => {
        if (held) this.#held -= 1;
        held = false;
        this.#queue();
      }
    };
  }

  /** Closes the widget here and in every page, with the layout and style that were created for it. */
  close(): void {
    this.#comm.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Calls the handlers of an event, as a message of the page would. */
  protected emit(event: string, content: JsonObject = {}, cause: Cause = 'cell'): void {
    this.#events.call(cause, event, content, []);
  }

  /** Returns the state as pages receive it, of all properties or of some; binary values are still inside. */
  state(names: Iterable<string> = this.#values.syncedNames): JsonObject {
    const state: JsonObject = {};
    for (const name of names) state[name] = this.#values.json(name);
    return state;
  }

  /**
   * Returns the whole state with the names that identify the widget's class. `drop_defaults` leaves out properties with their default
   * values.
   */
  fullState({ drop_defaults = false }: { readonly drop_defaults?: boolean } = {}): JsonObject & WidgetNames {
    const names = this.#values.syncedNames.filter(name => !drop_defaults || !this.#values.isInitial(name));
    return { ...this.#names, ...this.state(names) };
  }

  /** Sends the properties that changed. */
  sendChanges(): void {
    if (this.#held > 0 || this.#changed.size === 0) return;
    const state = this.state(this.#changed);
    this.#changed.clear();
    this.#sendState('update', state);
  }

  [DISPLAY_METHOD](): MimeBundle {
    flushSync();
    const text = inspect(this, { breakLength: 100 });
    const fallback = { 'text/plain': text, 'text/html': `<pre>${escape(text)}</pre>` };
    if (this.#names._view_name === null || this.closed) return fallback;
    return {
      [WIDGET_VIEW_TYPE]: { version_major: 2, version_minor: 0, model_id: this.model_id },
      ...fallback
    };
  }

  [inspect.custom](depth: number, options: InspectOptions): string {
    const name = `${this.constructor.name}${this.closed ? ' (closed)' : ''}`;
    if (depth < 0) return `[${name}]`;
    const shown = this.#values.names.filter(
      key =>
        !key.startsWith('_') &&
        !isMadeForHolder(this.#values.get(key)) &&
        (key === 'value' || !this.#values.isInitial(key))
    );
    const properties = Object.fromEntries(shown.map(key => [key, this.#values.get(key)]));
    return `${name} ${inspect(properties, { ...options, depth: depth - 1, maxArrayLength: 10 })}`;
  }

  /** Iterates over values that `subscribe` pushes until the widget is closed. */
  #feed<Value>(
    subscribe: (push: (value: Value) => void) => Disposable,
    combine?: (waiting: Value, next: Value) => Value
  ): AsyncIterableIterator<Value> {
    const ends = new DisposableStack();
    const feed = new Feed<Value>(() => ends.dispose(), combine);
    ends.use(subscribe(value => feed.push(value)));
    ends.use(this.on('close', () => feed.close()));
    if (this.closed) feed.close();
    return feed;
  }

  #open(): Comm {
    // The page needs the children's changes before a state that refers to them.
    flushSync();
    const { state, paths, buffers } = splitBuffers(this.fullState());
    return comms().open(WIDGET_TARGET, {
      data: { state, buffer_paths: paths },
      metadata: { version: WIDGET_PROTOCOL_VERSION },
      buffers
    });
  }

  #queue(): void {
    if (this.#changed.size > 0 && !this.closed) queueSync(this);
  }

  #sendState(method: 'update' | 'echo_update', state: JsonObject): void {
    const split = splitBuffers(state);
    this.#comm.send({ method, state: split.state, buffer_paths: split.paths }, {}, split.buffers);
  }

  #notify(cause: Cause, changes: readonly ValueChange[]): void {
    for (const change of changes) {
      const told = { type: 'change', ...change, owner: this } as unknown as Change<object, never>;
      this.#observers.call(cause, change.name, told);
    }
  }

  #receive({ data, buffers }: CommMessage): void {
    const { method, state, buffer_paths: paths, content } = data;
    if (method === 'update' && isPlainObject(state)) {
      joinBuffers(state, paths, buffers);
      this.#echo(state);
      this.#takeOver(state);
    } else if (method === 'request_state') {
      this.#changed.clear();
      this.#sendState('update', this.fullState());
    } else if (method === 'custom' && isPlainObject(content)) {
      const { event } = content;
      this.#events.call('page', 'msg', content, buffers);
      if (typeof event === 'string' && event !== 'msg' && event !== 'close')
        this.#events.call('page', event, content, buffers);
    }
    // Answers are sent before the page learns that its message was handled.
    flushSync();
  }

  /** Sends the page's change to the other views, and confirms it to the sender. */
  #echo(state: JsonObject): void {
    const echoed = Object.entries(state).filter(([name]) => this.#values.isEchoed(name));
    if (echoed.length > 0) this.#sendState('echo_update', Object.fromEntries(echoed));
  }

  /** Applies the page's values, and sends back those that the kernel adjusted. */
  #takeOver(state: JsonObject): void {
    let changes: ValueChange[] = [];
    reportFailure(() => (changes = this.#values.receive(state)));
    for (const name of Object.keys(state)) {
      if (this.#values.isSynced(name) && !sameValue(this.#values.json(name), state[name]))
        this.#changed.add(name);
      else this.#changed.delete(name);
    }
    for (const { name } of changes) {
      if (!(name in state) && this.#values.isSynced(name)) this.#changed.add(name);
    }
    this.#queue();
    this.#notify('page', changes);
  }

  #ended(): void {
    openWidgets.delete(this.model_id);
    this.#changed.clear();
    for (const name of this.#values.names) {
      const value = this.#values.get(name);
      if (isMadeForHolder(value)) value.close();
    }
    this.#observers.clear();
    this.#events.clear().call('page', 'close', {}, []);
  }
}

export function isWidget(value: unknown): value is Widget {
  return value instanceof Widget;
}
