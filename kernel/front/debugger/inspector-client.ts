/** A client of V8's inspector in the executor: commands with answers, and events. */

import type { Debugger } from 'node:inspector';
import type { Session } from 'node:inspector/promises';
import type { Duplex } from 'node:stream';
import { encodeFrame, FrameDecoder } from '../../protocol/channel.ts';
import type { FromDebugger, InspectorPlace, ToDebugger } from '../../protocol/debugger-messages.ts';

/** Inspector events that the debugger follows, under the inspector's names. */
export interface InspectorEvents {
  'Debugger.scriptParsed'(script: Debugger.ScriptParsedEventDataType): void;
  'Debugger.paused'(event: Debugger.PausedEventDataType): void;
  'Debugger.resumed'(): void;
  'Debugger.breakpointResolved'(event: Debugger.BreakpointResolvedEventDataType): void;
}

/** Error for a command that failed: V8 refused it, or the process ended. */
export class InspectorError extends Error {
  override readonly name = 'InspectorError';
}

export class InspectorClient {
  readonly #pipe: Duplex;
  readonly #events: InspectorEvents;
  readonly #decoder = new FrameDecoder<FromDebugger>();
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;

  constructor(pipe: Duplex, events: InspectorEvents) {
    this.#pipe = pipe;
    this.#events = events;
    pipe.on('data', (piece: Buffer) => {
      for (const { message } of this.#decoder.push(piece)) this.#receive(message);
    });
    pipe.on('close', () => this.#fail('The process that ran the cells ended'));
  }

  connect(): void {
    this.#send({ kind: 'connect' });
  }

  /** Disconnects, which also resumes a paused thread. */
  disconnect(): void {
    this.#send({ kind: 'disconnect' });
    this.#fail('The debugger was detached');
  }

  /** Sends an inspector command. Rejects with `InspectorError`. */
  readonly post = ((method: string, params: object = {}) =>
    this.#request(id => ({ kind: 'post', id, method, params }))) as Session['post'];

  /** Returns where a cell that has not run could stop. Rejects with `InspectorError` if it does not compile. */
  breakable(code: string): Promise<readonly InspectorPlace[]> {
    return this.#request(id => ({ kind: 'breakable', id, code })) as Promise<readonly InspectorPlace[]>;
  }

  #request(message: (id: number) => ToDebugger): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    const pending = Promise.withResolvers<unknown>();
    this.#pending.set(id, pending);
    this.#send(message(id));
    return pending.promise;
  }

  #send(message: ToDebugger): void {
    if (this.#pipe.writable) this.#pipe.write(encodeFrame(message));
    else this.#fail('The process that ran the cells ended');
  }

  #receive(message: FromDebugger): void {
    if (message.kind === 'event') {
      this.#events[message.method as keyof InspectorEvents]?.(message.params as never);
      return;
    }
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.kind === 'result') pending?.resolve(message.result);
    else pending?.reject(new InspectorError(message.message));
  }

  #fail(message: string): void {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(new InspectorError(message));
  }
}
