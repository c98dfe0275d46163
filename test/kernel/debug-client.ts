/** A debugger client for a real kernel: requests of the Debug Adapter Protocol, and events in order. */

import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Content, KernelClient } from './client.ts';

export type Variable = DebugProtocol.Variable;
export type Frame = DebugProtocol.StackFrame;

export class DebugClient {
  readonly kernel: KernelClient;
  #sequence = 0;
  /** Published messages before this index have been consumed. */
  #seen = 0;

  constructor(kernel: KernelClient) {
    this.kernel = kernel;
  }

  async request(command: string, args: Content = {}): Promise<DebugProtocol.Response> {
    this.#sequence += 1;
    const content = { type: 'request', seq: this.#sequence, command, arguments: args };
    return (await this.kernel.request(
      'debug_request',
      content,
      'control'
    )) as unknown as DebugProtocol.Response;
  }

  /** The body of the response to a request, which must succeed. */
  async ask<Body = Content>(command: string, args: Content = {}): Promise<Body> {
    const response = await this.request(command, args);
    if (!response.success) throw new Error(`${command}: ${response.message}`);
    return response.body as Body;
  }

  /** Attaches, and skips all messages published before. */
  async attach(): Promise<void> {
    this.#seen = this.kernel.iopub.length;
    await this.ask('initialize', { clientID: 'test', supportsVariableType: true });
    await this.ask('attach');
  }

  /** The next event of this name that has not been consumed. */
  async event(name: string): Promise<Content> {
    const message = await this.kernel.published(candidate => {
      const index = this.kernel.iopub.indexOf(candidate);
      return candidate.type === 'debug_event' && candidate.content['event'] === name && index >= this.#seen;
    });
    this.#seen = this.kernel.iopub.indexOf(message) + 1;
    return message.content['body'] as Content;
  }

  async stopped(): Promise<Frame[]> {
    await this.event('stopped');
    return this.frames();
  }

  async frames(): Promise<Frame[]> {
    return (await this.ask<{ stackFrames: Frame[] }>('stackTrace', { threadId: 1 })).stackFrames;
  }

  /** Sets breakpoints in a cell; returns its path and the lines of those that were verified. */
  async breakIn(
    code: string,
    ...lines: (number | Content)[]
  ): Promise<{ path: string; lines: (number | undefined)[] }> {
    const { sourcePath } = await this.ask<{ sourcePath: string }>('dumpCell', { code });
    const breakpoints = lines.map(line => (typeof line === 'number' ? { line } : line));
    const body = await this.ask<DebugProtocol.SetBreakpointsResponse['body']>('setBreakpoints', {
      source: { path: sourcePath },
      breakpoints
    });
    return {
      path: sourcePath,
      lines: body.breakpoints.map(({ line, verified }) => (verified ? line : undefined))
    };
  }

  /** Starts a step and returns where it ends. */
  async step(command: 'next' | 'stepIn' | 'stepOut'): Promise<string> {
    await this.ask(command, { threadId: 1 });
    const [top] = await this.stopped();
    return `${top!.name}:${top!.line}`;
  }

  async continue(): Promise<void> {
    await this.ask('continue', { threadId: 1 });
  }

  async scopes(frameId: number): Promise<Record<string, number>> {
    const { scopes } = await this.ask<{ scopes: DebugProtocol.Scope[] }>('scopes', { frameId });
    return Object.fromEntries(scopes.map(({ name, variablesReference }) => [name, variablesReference]));
  }

  async variables(variablesReference: number, paging: Content = {}): Promise<Record<string, Variable>> {
    const body = await this.ask<{ variables: Variable[] }>('variables', { variablesReference, ...paging });
    return Object.fromEntries(body.variables.map(variable => [variable.name, variable]));
  }

  async evaluate(expression: string, frameId?: number, context = 'repl'): Promise<string> {
    return (await this.ask<{ result: string }>('evaluate', { expression, frameId, context })).result;
  }
}

/** `f:3` for each frame. */
export function places(frames: readonly Frame[]): string[] {
  return frames.map(({ name, line }) => `${name}:${line}`);
}
