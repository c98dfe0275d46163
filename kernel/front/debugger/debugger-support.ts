/** The debugger, loaded when a client first asks something of it. */

import type { Duplex } from 'node:stream';
import type { JsonObject, MessageHeader } from '../../protocol/messages.ts';
import type { DebugAdapter } from './debug-adapter.ts';

export interface DebuggerHost {
  /** The pipe to a debugger thread, of a process that was not asked before. */
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

  /** Content of a `debug_request` to that of its reply. Events name the latest request as their parent. */
  async request(content: JsonObject, header: MessageHeader): Promise<object> {
    this.#parent = header;
    return (await (this.#adapter ??= this.#load())).request(content);
  }

  /** Undefined until a client asked something. */
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
