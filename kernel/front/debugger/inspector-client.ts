/** V8's inspector in the executor, as commands that are answered and events that come by themselves. */

import type { Debugger, Runtime } from 'node:inspector';
import type { Duplex } from 'node:stream';
import { encodeFrame, FrameDecoder } from '../../protocol/channel.ts';
import type { FromDebugger, InspectorPlace, ToDebugger } from '../../protocol/debugger-messages.ts';

/** Method to parameters and result, of those that the debugger uses. */
interface Commands {
  'Debugger.enable': [object, Debugger.EnableReturnType];
  'Debugger.pause': [object, object];
  'Debugger.resume': [{ terminateOnResume?: boolean }, object];
  'Debugger.stepOver': [object, object];
  'Debugger.stepInto': [object, object];
  'Debugger.stepOut': [object, object];
  'Debugger.setBlackboxPatterns': [{ patterns: string[] }, object];
  'Debugger.setPauseOnExceptions': [Debugger.SetPauseOnExceptionsParameterType, object];
  'Debugger.getScriptSource': [Debugger.GetScriptSourceParameterType, Debugger.GetScriptSourceReturnType];
  'Debugger.getPossibleBreakpoints': [
    Debugger.GetPossibleBreakpointsParameterType,
    Debugger.GetPossibleBreakpointsReturnType
  ];
  'Debugger.setBreakpoint': [Debugger.SetBreakpointParameterType, Debugger.SetBreakpointReturnType];
  'Debugger.setBreakpointByUrl': [
    Debugger.SetBreakpointByUrlParameterType,
    Debugger.SetBreakpointByUrlReturnType
  ];
  'Debugger.setVariableValue': [Debugger.SetVariableValueParameterType, object];
  'Debugger.removeBreakpoint': [Debugger.RemoveBreakpointParameterType, object];
  'Debugger.evaluateOnCallFrame': [
    Debugger.EvaluateOnCallFrameParameterType,
    Debugger.EvaluateOnCallFrameReturnType
  ];
  'Runtime.evaluate': [Runtime.EvaluateParameterType, Runtime.EvaluateReturnType];
  'Runtime.callFunctionOn': [Runtime.CallFunctionOnParameterType, Runtime.CallFunctionOnReturnType];
  'Runtime.getProperties': [Runtime.GetPropertiesParameterType, Runtime.GetPropertiesReturnType];
  'Runtime.releaseObjectGroup': [Runtime.ReleaseObjectGroupParameterType, object];
}

export interface InspectorEvents {
  scriptParsed(script: Debugger.ScriptParsedEventDataType): void;
  paused(event: Debugger.PausedEventDataType): void;
  resumed(): void;
  breakpointResolved(event: Debugger.BreakpointResolvedEventDataType): void;
}

/** A command that was not carried out: refused by V8, or its process ended. */
export class InspectorError extends Error {
  override readonly name = 'InspectorError';
}

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: InspectorError) => void;
}

export class InspectorClient {
  readonly #pipe: Duplex;
  readonly #events: InspectorEvents;
  readonly #decoder = new FrameDecoder<FromDebugger>();
  readonly #pending = new Map<number, Pending>();
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

  /** Also lets a paused thread go on. */
  disconnect(): void {
    this.#send({ kind: 'disconnect' });
    this.#fail('The debugger was detached');
  }

  /** Rejects with `InspectorError`. */
  post<Method extends keyof Commands>(
    method: Method,
    params: Commands[Method][0]
  ): Promise<Commands[Method][1]> {
    return this.#request(id => ({ kind: 'post', id, method, params })) as Promise<Commands[Method][1]>;
  }

  /** Where a cell that has not run could stop. Rejects with `InspectorError` for one that does not compile. */
  breakable(code: string): Promise<readonly InspectorPlace[]> {
    return this.#request(id => ({ kind: 'breakable', id, code })) as Promise<readonly InspectorPlace[]>;
  }

  #request(message: (id: number) => ToDebugger): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#send(message(id));
    });
  }

  #send(message: ToDebugger): void {
    if (this.#pipe.writable) this.#pipe.write(encodeFrame(message));
    else this.#fail('The process that ran the cells ended');
  }

  #receive(message: FromDebugger): void {
    if (message.kind === 'event') {
      this.#dispatch(message.method, message.params);
      return;
    }
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.kind === 'result') pending?.resolve(message.result);
    else pending?.reject(new InspectorError(message.message));
  }

  #dispatch(method: string, params: object): void {
    switch (method) {
      case 'Debugger.scriptParsed':
        this.#events.scriptParsed(params as Debugger.ScriptParsedEventDataType);
        break;
      case 'Debugger.paused':
        this.#events.paused(params as Debugger.PausedEventDataType);
        break;
      case 'Debugger.resumed':
        this.#events.resumed();
        break;
      case 'Debugger.breakpointResolved':
        this.#events.breakpointResolved(params as Debugger.BreakpointResolvedEventDataType);
        break;
    }
  }

  #fail(message: string): void {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(new InspectorError(message));
  }
}
