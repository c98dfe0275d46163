/** The main thread of the executor under the debugger: whether it is stopped, why, and how it continues. */

import type { Debugger, Runtime } from 'node:inspector';
import type { Duplex } from 'node:stream';
import { isCaught } from './caught-exceptions.ts';
import { InspectorClient } from './inspector-client.ts';
import { NotebookClient } from './notebook-client.ts';
import { INTERNAL_PATTERNS, Scripts } from './scripts.ts';

export type StopReason = 'breakpoint' | 'step' | 'exception' | 'pause' | 'debugger statement';
export type ExceptionFilter = 'none' | 'uncaught' | 'all';
type Step = 'Debugger.stepOver' | 'Debugger.stepInto' | 'Debugger.stepOut';

export interface Stop {
  readonly reason: StopReason;
  readonly callFrames: readonly Debugger.CallFrame[];
  /** The thrown value. */
  readonly exception: Runtime.RemoteObject | undefined;
  /** The inspector's ids of the breakpoints that were hit. */
  readonly breakpoints: readonly string[];
}

export interface DebuggeeEvents {
  stopped(stop: Stop): void;
  continued(): void;
  breakpointResolved(event: Debugger.BreakpointResolvedEventDataType): void;
}

/** Maximum steps over code without a place in the user's sources before the thread is resumed. */
const MAX_SILENT_STEPS = 64;

export class Debuggee {
  readonly inspector: InspectorClient;
  readonly notebook: NotebookClient;
  readonly scripts = new Scripts();
  readonly #events: DebuggeeEvents;
  stop: Stop | undefined;
  #isAttached = false;
  #filter: ExceptionFilter = 'none';
  #pauseWanted = false;
  #step: Step | undefined;
  /** The number of frames where the step began. */
  #depth = 0;
  #silentSteps = 0;

  /** Connects to the inspector, which costs nothing yet; `attach` enables V8's debugger. */
  constructor(pipe: Duplex, events: DebuggeeEvents) {
    this.#events = events;
    this.inspector = new InspectorClient(pipe, {
      'Debugger.scriptParsed': script => this.scripts.add(script),
      'Debugger.paused': event => {
        // Errors because the thread or the debugger ended need no report.
        this.#paused(event)
          .catch(() => this.#resume())
          .catch(() => undefined);
      },
      'Debugger.resumed': () => this.#resumed(),
      'Debugger.breakpointResolved': event => events.breakpointResolved(event)
    });
    this.notebook = new NotebookClient(this.inspector);
    this.inspector.connect();
  }

  /** Enables the debugger. Asynchronous calls are not followed: with async hooks, Node aborts when an interrupt terminates code. */
  async attach(filter: ExceptionFilter): Promise<void> {
    this.#isAttached = true;
    this.#filter = filter;
    await Promise.all([
      this.inspector.post('Debugger.enable'),
      this.#setPatterns(),
      this.#setPauseOnExceptions()
    ]);
  }

  /** Forgets all breakpoints and resumes a stopped thread. */
  detach(): void {
    this.#resumed();
    this.#isAttached = false;
    this.inspector.disconnect();
    this.scripts.clear();
    this.inspector.connect();
    this.notebook.forget();
  }

  async setExceptionFilter(filter: ExceptionFilter): Promise<void> {
    this.#filter = filter;
    await Promise.all([this.#setPatterns(), this.#setPauseOnExceptions()]);
  }

  async resume(): Promise<void> {
    this.#step = undefined;
    await this.#resume();
  }

  async step(step: Step): Promise<void> {
    this.#step = step;
    this.#depth = this.stop?.callFrames.length ?? 0;
    this.#silentSteps = 0;
    await this.#setPatterns();
    await this.inspector.post(step);
  }

  /** Stops at the next code of the user. */
  async pause(): Promise<void> {
    if (this.stop !== undefined) return;
    this.#pauseWanted = true;
    await this.#setPatterns();
    await this.inspector.post('Debugger.pause');
  }

  /** Terminates the stopped code, as an interrupt would. */
  async terminate(): Promise<void> {
    if (this.stop === undefined) return;
    await this.inspector.post('Debugger.resume', { terminateOnResume: true });
  }

  /** Forgets a pending step or pause: the code has been terminated. */
  interrupted(): void {
    this.#step = undefined;
    this.#pauseWanted = false;
  }

  ended(): void {
    this.#resumed();
    this.scripts.clear();
  }

  async #paused(event: Debugger.PausedEventDataType): Promise<void> {
    const reason = await this.#reason(event);
    if (reason === 'ignored') return this.#resume();
    const onward = reason === 'step' ? await this.#onward(event) : undefined;
    if (onward === 'resume') return this.resume();
    if (onward !== undefined) return void (await this.inspector.post(onward));
    this.#pauseWanted = false;
    this.#step = undefined;
    // Not awaited: a stop does not depend on output.
    this.notebook.flush().catch(() => undefined);
    this.stop = {
      reason,
      callFrames: event.callFrames,
      exception: reason === 'exception' ? (event.data as Runtime.RemoteObject) : undefined,
      breakpoints: event.hitBreakpoints ?? []
    };
    this.#events.stopped(this.stop);
  }

  async #reason(event: Debugger.PausedEventDataType): Promise<StopReason | 'ignored'> {
    const { reason, hitBreakpoints = [], callFrames } = event;
    if (reason === 'exception' || reason === 'promiseRejection') {
      const quiet =
        this.#filter === 'none' || (await isCaught(event, this.inspector, this.scripts, this.#filter));
      return quiet ? 'ignored' : 'exception';
    }
    if (hitBreakpoints.length > 0) return 'breakpoint';
    if (await this.#isDebuggerStatement(callFrames[0])) return 'debugger statement';
    if (this.#pauseWanted) return 'pause';
    return this.#step === undefined ? 'ignored' : 'step';
  }

  async #isDebuggerStatement(frame: Debugger.CallFrame | undefined): Promise<boolean> {
    if (frame === undefined) return false;
    const { scriptId, lineNumber, columnNumber = 0 } = frame.location;
    const { scriptSource } = await this.inspector.post('Debugger.getScriptSource', { scriptId });
    return scriptSource.split('\n')[lineNumber]?.startsWith('debugger', columnNumber) === true;
  }

  /** Returns how a step goes on that did not arrive: it is in code without a place, or in a part of a line. */
  async #onward({ callFrames }: Debugger.PausedEventDataType): Promise<Step | 'resume' | undefined> {
    const place = callFrames[0] && this.scripts.placeOf(callFrames[0].location);
    const [found] = place === undefined ? [] : await this.notebook.places([place]);
    const inKernel = found?.inKernel;
    const isPart = inKernel === 'call' || (inKernel === 'rest' && callFrames.length >= this.#depth);
    if (place !== undefined && found?.line !== null && !isPart) return undefined;
    if (inKernel === undefined) this.#silentSteps += 1;
    const isUsers = callFrames.map(({ location }) => this.scripts.isUsers(location));
    if (this.#silentSteps > MAX_SILENT_STEPS || !isUsers.includes(true)) return 'resume';
    if (isUsers[0] !== true) return 'Debugger.stepOut';
    // The call of a helper may come after other parts of its line.
    return this.#step === 'Debugger.stepInto' ? 'Debugger.stepInto' : 'Debugger.stepOver';
  }

  /** Sets which code V8 skips: steps pass only over skipped code, but exceptions of skipped code are not reported. */
  async #setPatterns(): Promise<void> {
    const freely = this.#filter !== 'none' && this.#step === undefined && !this.#pauseWanted;
    await this.inspector.post('Debugger.setBlackboxPatterns', { patterns: freely ? [] : INTERNAL_PATTERNS });
  }

  async #setPauseOnExceptions(): Promise<void> {
    // V8 counts the kernel's own catch, so `isCaught` decides which exceptions are caught.
    const state = this.#filter === 'none' ? 'none' : 'all';
    await this.inspector.post('Debugger.setPauseOnExceptions', { state });
  }

  async #resume(): Promise<void> {
    if (this.#filter !== 'none') await this.#setPatterns();
    await this.inspector.post('Debugger.resume');
  }

  #resumed(): void {
    if (this.stop === undefined) return;
    this.stop = undefined;
    if (this.#isAttached) this.#events.continued();
  }
}
