/** The Debug Adapter Protocol over Jupyter: requests on the control channel, events on iopub. */

import type { Debugger, Runtime } from 'node:inspector';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { CellPlaceAnswer } from '../../protocol/debugger-messages.ts';
import type { JsonObject } from '../../protocol/messages.ts';
import { isIdentifier } from '../../protocol/syntax.ts';
import { Breakpoints } from './breakpoints.ts';
import { framesOf, type Frame } from './call-stack.ts';
import { CAPABILITIES, exceptionFilter } from './capabilities.ts';
import { textOf } from '../requests/request-content.ts';
import { CellFiles } from './cell-files.ts';
import { Debuggee, type Stop } from './debuggee.ts';
import { evaluate } from './expressions.ts';
import { InspectorError } from './inspector-client.ts';
import { Variables } from './variables.ts';

export interface DebugHost {
  /** Opens the pipe to the debugger thread of a process; called once for each process. */
  openPipe(): Duplex;
  publish(event: DebugProtocol.Event): void;
  interrupt(): void;
}

/** Cells run on the only JavaScript thread. */
const THREAD_ID = 1;
/** Timeout for questions about a running cell, which native calls leave unanswered. */
const PATIENCE_MS = 1_000;
/** Timeout for attaching: the process may still be starting. */
const ATTACH_PATIENCE_MS = 5_000;

/** Response bodies of failed requests: JupyterLab reads these lists even if `success` is false. */
const NOTHING: Readonly<Record<string, object>> = {
  inspectVariables: { variables: [] },
  modules: { modules: [], totalModules: 0 },
  richInspectVariables: { data: {}, metadata: {} },
  scopes: { scopes: [] },
  setBreakpoints: { breakpoints: [] },
  stackTrace: { stackFrames: [], totalFrames: 0 },
  variables: { variables: [] }
};

/** Handles a request; `args` are the arguments that the protocol describes. */
type Handler = (args: never) => object | void | Promise<object | void>;

export class DebugAdapter {
  readonly #host: DebugHost;
  readonly #cells = new CellFiles();
  readonly #breakpoints = new Breakpoints(this.#cells);
  #debuggee: Debuggee | undefined;
  /** True from `initialize` on: clients may query it before the response to `attach`. */
  #isStarted = false;
  #isAttached = false;
  #exceptions: 'none' | 'uncaught' | 'all' = 'none';
  #withTypes = true;
  #frames: Promise<Frame[]> | undefined;
  #stopVariables: Variables | undefined;
  /** Variables of the notebook while it is not stopped: the handles of a response live until the next one. */
  #looseVariables: Variables | undefined;
  /** Resolves when no inspection of the notebook's variables is running. */
  #inspected: Promise<unknown> = Promise.resolve();
  /** The inspection that begins then, for all requests that wait. */
  #nextInspection: Promise<DebugProtocol.Variable[]> | undefined;
  #lastVariables: DebugProtocol.Variable[] = [];
  #sequence = 0;
  #groups = 0;
  #lastFrame = 0;

  readonly #handlers: Readonly<Record<string, Handler>> = {
    initialize: args => this.#initialize(args),
    attach: () => this.#attach(),
    configurationDone: () => undefined,
    disconnect: () => this.detach(),
    terminate: () => this.#host.interrupt(),
    debugInfo: () => this.#debugInfo(),
    dumpCell: ({ code }: JsonObject) => ({ sourcePath: this.#cells.add(textOf(code)) }),
    source: args => this.#source(args),
    modules: args => this.#modules(args),
    setBreakpoints: args => this.#setBreakpoints(args),
    setExceptionBreakpoints: args => this.#setExceptionBreakpoints(args),
    exceptionInfo: () => this.#exceptionInfo(),
    threads: () => ({ threads: [{ id: THREAD_ID, name: 'Cells' }] }),
    stackTrace: args => this.#stackTrace(args),
    scopes: args => this.#scopes(args),
    variables: args => this.#variables(args),
    setVariable: args => this.#setVariable(args),
    evaluate: args => this.#evaluate(args),
    continue: async () => {
      await this.#stopped().resume();
      return { allThreadsContinued: true };
    },
    next: () => this.#stopped().step('Debugger.stepOver'),
    stepIn: () => this.#stopped().step('Debugger.stepInto'),
    stepOut: () => this.#stopped().step('Debugger.stepOut'),
    pause: () => this.#attached().pause(),
    inspectVariables: () => this.#inspectVariables(),
    richInspectVariables: args => this.#richInspectVariables(args),
    copyToGlobals: args => this.#copyToGlobals(args)
  };

  constructor(host: DebugHost) {
    this.#host = host;
  }

  /** Handles a DAP request and returns its response; never rejects. */
  async request(request: JsonObject): Promise<DebugProtocol.Response> {
    const { command, seq } = request as unknown as DebugProtocol.Request;
    this.#sequence += 1;
    const response = { type: 'response', seq: this.#sequence, request_seq: seq, command } as const;
    const handler = Object.hasOwn(this.#handlers, command) ? this.#handlers[command] : undefined;
    if (handler === undefined) {
      return { ...response, success: false, message: `unknown debugger request "${command}"` };
    }
    try {
      const body = await handler((request['arguments'] ?? {}) as never);
      return { ...response, success: true, body: body ?? {} };
    } catch (error) {
      const nothing = Object.hasOwn(NOTHING, command) ? NOTHING[command] : {};
      return { ...response, success: false, message: (error as Error).message, body: nothing };
    }
  }

  /** Whether compiled cells wait until their breakpoints are set: all do, since a breakpoint may arrive while a cell is compiled. */
  get attached(): boolean {
    return this.#isAttached;
  }

  /** Sets the breakpoints of a cell that was just compiled. */
  compiled(source: string, file: string): Promise<void> {
    return this.#install(this.#cells.add(source), file);
  }

  async #install(path: string, file: string): Promise<void> {
    if (this.#debuggee === undefined || !this.#isAttached) return;
    try {
      await this.#breakpoints.installInScript(path, file, this.#debuggee);
    } catch (error) {
      // The debugger was detached; the cell runs without it.
      if (!(error instanceof InspectorError)) throw error;
    }
  }

  /** Sets the breakpoints of a kernel in the code of its threads, and lets it go on. */
  async compiledKernel(
    id: number,
    file: string,
    origins: readonly Pick<CellPlaceAnswer, 'source' | 'path'>[]
  ): Promise<void> {
    for (const origin of origins) await this.#install(this.#cells.pathOf(origin), file);
    await this.#debuggee?.notebook.openKernel(id).catch(() => undefined);
  }

  /** Discards the state of the process that ran the cells, which has ended. */
  executorEnded(): void {
    this.#debuggee?.ended();
    this.#debuggee = undefined;
    this.#breakpoints.forgetInstalled();
    this.#lastVariables = [];
    this.#looseVariables = undefined;
  }

  /** Attaches to the process that replaces one that ended. */
  executorStarted(): void {
    if (!this.#isAttached) return;
    const debuggee = this.#connect();
    void debuggee
      .attach(this.#exceptions)
      .then(() => this.#breakpoints.installAll(debuggee))
      .catch(() => undefined);
  }

  /** Terminates a stopped cell, so that the process reads its messages again. */
  async terminate(): Promise<void> {
    await this.#debuggee?.terminate().catch(() => undefined);
  }

  interrupted(): void {
    this.#debuggee?.interrupted();
  }

  detach(): void {
    this.#isStarted = false;
    this.#isAttached = false;
    this.#breakpoints.clear();
    this.#exceptions = 'none';
    this.#debuggee?.detach();
    this.#looseVariables = undefined;
    this.#publish('terminated');
  }

  #initialize({ clientID, supportsVariableType }: JsonObject): object {
    this.#isStarted = true;
    this.#withTypes = clientID !== 'jupyterlab' && supportsVariableType !== false;
    return CAPABILITIES;
  }

  async #attach(): Promise<void> {
    const debuggee = this.#connect();
    this.#isAttached = true;
    await patiently(debuggee.attach(this.#exceptions), ATTACH_PATIENCE_MS);
    this.#publish('initialized');
  }

  #connect(): Debuggee {
    this.#debuggee ??= new Debuggee(this.#host.openPipe(), {
      stopped: stop => this.#onStopped(stop),
      continued: () => this.#onContinued(),
      breakpointResolved: event => this.#onResolved(event)
    });
    return this.#debuggee;
  }

  #attached(): Debuggee {
    if (this.#debuggee === undefined || !this.#isAttached) {
      throw new InspectorError('The debugger is not attached: send initialize and attach first');
    }
    return this.#debuggee;
  }

  #stopped(): Debuggee {
    const debuggee = this.#attached();
    if (debuggee.stop === undefined) throw new InspectorError('No cell is stopped');
    return debuggee;
  }

  #debugInfo(): object {
    return {
      isStarted: this.#isStarted,
      ...this.#cells,
      breakpoints: this.#breakpoints.list(),
      stoppedThreads: this.#debuggee?.stop === undefined ? [] : [THREAD_ID],
      richRendering: true,
      exceptionPaths: [],
      copyToGlobals: true
    };
  }

  async #source({ source }: JsonObject): Promise<object> {
    const path = textOf((source as JsonObject | undefined)?.['path']);
    if (this.#cells.isCell(path)) {
      const content = this.#cells.sourceOf(path);
      if (content === undefined)
        throw new InspectorError(`No cell has the path "${path}": send dumpCell first`);
      return { content, mimeType: 'text/typescript' };
    }
    return { content: await readFile(path, 'utf8'), mimeType: 'text/typescript' };
  }

  async #modules({ startModule, moduleCount }: JsonObject): Promise<object> {
    // JupyterLab sends this after every cell, even while its debugger is off, and accepts no other response.
    if (!this.#isAttached) return { modules: [], totalModules: 0 };
    const { scripts, notebook } = this.#attached();
    const files = scripts.userFiles();
    const places = (await patiently(notebook.places(files.map(file => [file, 1, 0])))) ?? [];
    const modules = files
      .filter((file, index) => (places[index] ?? null) === null && !file.includes('/node_modules/'))
      .map((path, id) => ({ id, name: basename(path), path }));
    const start = typeof startModule === 'number' ? startModule : 0;
    const count = typeof moduleCount === 'number' && moduleCount > 0 ? moduleCount : modules.length;
    return { modules: modules.slice(start, start + count), totalModules: modules.length };
  }

  async #setBreakpoints(args: DebugProtocol.SetBreakpointsArguments): Promise<object> {
    const debuggee = this.#attached();
    const path = args.source?.path;
    if (typeof path !== 'string') throw new InspectorError('setBreakpoints: the source has no path');
    const requests = args.breakpoints ?? (args.lines ?? []).map(line => ({ line }));
    return { breakpoints: await this.#breakpoints.replace(path, requests, debuggee) };
  }

  async #setExceptionBreakpoints({ filters }: JsonObject): Promise<object> {
    this.#exceptions = exceptionFilter(filters);
    await patiently(this.#attached().setExceptionFilter(this.#exceptions));
    return { breakpoints: [] };
  }

  #exceptionInfo(): object {
    const exception = this.#stopped().stop?.exception;
    if (exception === undefined) throw new InspectorError('The cell was not stopped by an exception');
    const { className, description = String(exception.value) } = exception;
    return {
      exceptionId: className ?? exception.type,
      description: description.split('\n')[0]!,
      breakMode: this.#exceptions === 'all' ? 'always' : 'unhandled',
      details: { stackTrace: description }
    };
  }

  async #stackTrace({ startFrame = 0, levels = 0 }: DebugProtocol.StackTraceArguments): Promise<object> {
    const frames = (await this.#currentFrames()).map(({ shown }) => shown);
    const end = levels > 0 ? startFrame + levels : frames.length;
    return { stackFrames: frames.slice(startFrame, end), totalFrames: frames.length };
  }

  #currentFrames(): Promise<Frame[]> {
    const debuggee = this.#stopped();
    this.#frames ??= framesOf(debuggee.stop!, debuggee, this.#cells, this.#lastFrame + 1).then(frames => {
      this.#lastFrame += frames.length;
      return frames;
    });
    return this.#frames;
  }

  async #frame(id: unknown): Promise<Frame> {
    const frame = (await this.#currentFrames()).find(({ shown }) => shown.id === id);
    if (frame === undefined)
      throw new InspectorError('The frame belongs to an earlier stop: request the stack again');
    return frame;
  }

  async #scopes({ frameId }: DebugProtocol.ScopesArguments): Promise<object> {
    const { callFrame, isCell } = await this.#frame(frameId);
    return { scopes: this.#present().scopes(callFrame, isCell) };
  }

  async #variables({ variablesReference, ...paging }: DebugProtocol.VariablesArguments): Promise<object> {
    const variables = [this.#stopVariables, this.#looseVariables].find(candidate =>
      candidate?.has(variablesReference)
    );
    return { variables: await (variables ?? this.#present()).variables(variablesReference, paging) };
  }

  async #setVariable(args: DebugProtocol.SetVariableArguments): Promise<object> {
    const variables = this.#present();
    const result = await this.#valueOf(args.value, this.#debuggee?.stop?.callFrames[0]);
    await variables.set(args.variablesReference, args.name, result);
    const { result: value, ...body } = await variables.result(result);
    return { value, ...body };
  }

  async #evaluate({ expression, frameId, context }: DebugProtocol.EvaluateArguments): Promise<object> {
    const callFrame = frameId === undefined ? undefined : (await this.#frame(frameId)).callFrame;
    const variables = this.#present();
    const value = await this.#valueOf(expression, callFrame, context === 'hover');
    return variables.result(value);
  }

  /** Returns the variables of the current stop, or those of the notebook if nothing is stopped. */
  #present(): Variables {
    if (this.#debuggee?.stop !== undefined) return (this.#stopVariables ??= this.#newVariables());
    return (this.#looseVariables ??= this.#newVariables());
  }

  #newVariables(): Variables {
    this.#groups += 1;
    return new Variables(this.#connect(), `variables-${this.#groups}`, this.#withTypes);
  }

  /** Evaluates in a frame, or in the notebook if there is no frame. `pure` refuses side effects. */
  #valueOf(
    expression: string,
    callFrame: Debugger.CallFrame | undefined,
    pure = false
  ): Promise<Runtime.RemoteObject> {
    return evaluate(this.#connect().inspector, expression, {
      objectGroup: this.#present().group,
      callFrameId: callFrame?.callFrameId,
      throwOnSideEffect: pure
    });
  }

  /** Returns the variables; the previous ones if a cell in a native call does not answer. */
  async #inspectVariables(): Promise<object> {
    // JupyterLab asks at every message of a cell. An inspection that runs may miss what the cell has changed since.
    this.#nextInspection ??= this.#inspected.then(() => {
      this.#nextInspection = undefined;
      return this.#inspectNotebook();
    });
    this.#inspected = this.#nextInspection.catch(() => undefined);
    const found = await patiently(this.#nextInspection);
    if (found !== undefined) this.#lastVariables = found;
    return { variables: this.#lastVariables };
  }

  async #inspectNotebook(): Promise<DebugProtocol.Variable[]> {
    if (this.#debuggee?.stop !== undefined) return this.#present().notebook();
    const variables = this.#newVariables();
    const found = await variables.notebook();
    this.#looseVariables?.release();
    this.#looseVariables = variables;
    return found;
  }

  async #richInspectVariables({ variableName, frameId }: JsonObject): Promise<object> {
    const empty = { data: {}, metadata: {} };
    // Elements of arrays and similar members have no name of their own.
    if (!isIdentifier(textOf(variableName))) return empty;
    const isStopped = this.#debuggee?.stop !== undefined;
    const callFrame =
      isStopped && typeof frameId === 'number' ? (await this.#frame(frameId)).callFrame : undefined;
    let value: Runtime.RemoteObject;
    try {
      value = await this.#valueOf(textOf(variableName), callFrame);
    } catch (error) {
      // JupyterLab then reports that the variable is undefined here.
      if (error instanceof InspectorError) return empty;
      throw error;
    }
    const data = await patiently(this.#connect().notebook.bundle(value, isStopped));
    return { data: data ?? { 'text/plain': 'The running cell does not answer' }, metadata: {} };
  }

  async #copyToGlobals({ srcVariableName, dstVariableName, srcFrameId }: JsonObject): Promise<object> {
    const { callFrame } = await this.#frame(srcFrameId);
    const value = await this.#valueOf(textOf(srcVariableName), callFrame);
    await this.#connect().notebook.assign(textOf(dstVariableName), value);
    return this.#present().result(value);
  }

  #onStopped({ reason, exception, breakpoints }: Stop): void {
    const text = exception && (exception.description?.split('\n')[0] ?? String(exception.value));
    this.#publish('stopped', {
      reason: reason === 'debugger statement' ? 'breakpoint' : reason,
      threadId: THREAD_ID,
      allThreadsStopped: true,
      ...(text === undefined ? {} : { description: 'Paused on exception', text }),
      ...(breakpoints.length === 0 ? {} : { hitBreakpointIds: this.#breakpoints.idsOf(breakpoints) })
    });
  }

  #onContinued(): void {
    this.#frames = undefined;
    this.#stopVariables?.release();
    this.#stopVariables = undefined;
    this.#publish('continued', { threadId: THREAD_ID, allThreadsContinued: true });
  }

  #onResolved(event: Debugger.BreakpointResolvedEventDataType): void {
    const breakpoint = this.#breakpoints.resolved(event);
    if (breakpoint !== undefined) this.#publish('breakpoint', { reason: 'changed', breakpoint });
  }

  #publish(event: string, body: object = {}): void {
    this.#sequence += 1;
    this.#host.publish({ type: 'event', seq: this.#sequence, event, body });
  }
}

/** Returns undefined if the answer takes too long; a late answer is dropped. */
function patiently<Value>(answer: Promise<Value>, patience = PATIENCE_MS): Promise<Value | undefined> {
  return Promise.race([answer, delay(patience, undefined, { ref: false })]);
}
