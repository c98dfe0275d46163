/** A page without a browser: keeps the messages that widgets send, and sends messages given by a test. */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { CommMessageType, JsonObject } from '../../../kernel/protocol/messages.ts';
import { comms } from '../../../kernel/widgets/model/comm-manager.ts';
import { attachWidgetHost, type OutputSink } from '../../../kernel/widgets/model/host.ts';
import { flushSync } from '../../../kernel/widgets/model/sync-queue.ts';
import { Widget } from '../../../kernel/widgets/model/widget.ts';
import { registerWidgetTargets } from '../../../kernel/widgets/widget-targets.ts';

export interface Sent {
  readonly type: CommMessageType;
  readonly id: string;
  readonly target: unknown;
  readonly data: JsonObject;
  readonly metadata: JsonObject;
  readonly buffers: readonly Uint8Array[];
}

export class Page {
  readonly sent: Sent[] = [];
  readonly errors: unknown[] = [];
  readonly sinks = new Map<string, OutputSink>();
  /** The arrays that the notebook is supposed to contain. */
  variables: Record<string, unknown> = {};
  /** Listeners for the end of a cell. */
  readonly cellEnd = new Set<() => void>();
  readonly #running = new AsyncLocalStorage<string>();

  constructor() {
    attachWidgetHost({
      send: (type, content, metadata, buffers) => {
        const { comm_id: id, target_name: target, data } = content;
        // As JSON converts it in transit.
        const json = JSON.parse(JSON.stringify(data)) as JsonObject;
        this.sent.push({ type, id: id as string, target, data: json, metadata, buffers });
      },
      bindCell: () => work => work(),
      addSink: (id, sink) => void this.sinks.set(id, sink),
      removeSink: id => void this.sinks.delete(id),
      redirect: (id, work) => this.#running.run(id, work),
      pageLoaded: () => {},
      flushOutput: () => {},
      reportError: error => void this.errors.push(error),
      variables: () => this.variables,
      eachVariable: () => Object.entries(this.variables),
      onCellEnd: listener => {
        this.cellEnd.add(listener);
        return () => void this.cellEnd.delete(listener);
      }
    });
    registerWidgetTargets(comms());
  }

  /** The sink to which running code is redirected. */
  get sink(): string | undefined {
    return this.#running.getStore();
  }

  deliver(
    type: CommMessageType,
    content: JsonObject,
    buffers: Uint8Array[] = [],
    metadata: JsonObject = {}
  ): void {
    comms().deliver({ kind: 'comm', id: 'message', type, content, metadata }, buffers);
  }

  tell(widget: Widget<object>, data: JsonObject, buffers: Uint8Array[] = []): void {
    this.deliver('comm_msg', { comm_id: widget.model_id, data }, buffers);
  }

  /** Changes properties of a widget as a page does. */
  change(widget: Widget<object>, state: JsonObject): void {
    this.tell(widget, { method: 'update', state, buffer_paths: [] });
  }

  /** Sends a custom message as a page does. */
  custom(widget: Widget<object>, content: JsonObject, buffers: Uint8Array[] = []): void {
    this.tell(widget, { method: 'custom', content }, buffers);
  }

  /** The messages sent for a widget since the last call, including queued updates. */
  take(widget: Widget<object>): Sent[] {
    flushSync();
    const taken = this.sent.filter(({ id }) => id === widget.model_id);
    this.sent.splice(0, this.sent.length, ...this.sent.filter(({ id }) => id !== widget.model_id));
    return taken;
  }

  /** The `data` of those messages. */
  data(widget: Widget<object>): JsonObject[] {
    return this.take(widget).map(({ data }) => data);
  }
}

export function update(state: JsonObject): JsonObject {
  return { method: 'update', state, buffer_paths: [] };
}

export function echo(state: JsonObject): JsonObject {
  return { method: 'echo_update', state, buffer_paths: [] };
}

export let page: Page;

/** Gives each test of the file a new page, without widgets of earlier tests. */
export function withPage(): void {
  beforeEach(() => {
    page = new Page();
  });
  afterEach(() => Widget.close_all());
}
