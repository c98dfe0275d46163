/** The debugger, loaded on a client's first request to it. */

import type { JsonObject, MessageHeader } from '../../protocol/messages.ts';
import type { DebugAdapter, DebugHost } from './debug-adapter.ts';

export interface DebuggerHost extends Omit<DebugHost, 'publish'> {
  publishEvent(event: object, parent: MessageHeader): void;
}

export class DebuggerSupport {
  readonly #host: DebuggerHost;
  #loading: Promise<DebugAdapter> | undefined;
  /** Undefined until the first request. */
  adapter: DebugAdapter | undefined;
  #parent: MessageHeader | undefined;

  constructor(host: DebuggerHost) {
    this.#host = host;
  }

  /** Returns the content of the reply to a `debug_request`. Events name the latest request as their parent. */
  async request(content: JsonObject, header: MessageHeader): Promise<object> {
    this.#parent = header;
    return (await (this.#loading ??= this.#load())).request(content);
  }

  async #load(): Promise<DebugAdapter> {
    const { DebugAdapter } = await import('./debug-adapter.ts');
    const { openPipe, publishEvent, interrupt } = this.#host;
    this.adapter = new DebugAdapter({
      openPipe,
      interrupt,
      publish: event => publishEvent(event, this.#parent!)
    });
    return this.adapter;
  }
}
