/** The debugger, loaded on a client's first request to it. */

import type { Duplex } from 'node:stream';
import type { JsonObject, MessageHeader } from '../../protocol/messages.ts';
import type { DebugAdapter } from './debug-adapter.ts';

export interface DebuggerHost {
  /** Opens the pipe to the debugger thread of a process; called once for each process. */
  openPipe(): Duplex;
  publishEvent(event: object, parent: MessageHeader): void;
  interrupt(): void;
}

export class DebuggerSupport {
  readonly #host: DebuggerHost;
  #adapter: Promise<DebugAdapter> | undefined;
  #loaded: DebugAdapter | undefined;
  #parent: MessageHeader | undefined;

  constructor(host: DebuggerHost) {
    this.#host = host;
  }

  /** Returns the content of the reply to a `debug_request`. Events name the latest request as their parent. */
  async request(content: JsonObject, header: MessageHeader): Promise<object> {
    this.#parent = header;
    return (await (this.#adapter ??= this.#load())).request(content);
  }

  /** Undefined until the first request. */
  get adapter(): DebugAdapter | undefined {
    return this.#loaded;
  }

  async #load(): Promise<DebugAdapter> {
    const { DebugAdapter } = await import('./debug-adapter.ts');
    const { openPipe, publishEvent, interrupt } = this.#host;
    this.#loaded = new DebugAdapter({
      openPipe,
      interrupt,
      publish: event => publishEvent(event, this.#parent!)
    });
    return this.#loaded;
  }
}
