/**
 * The thread that stops the main thread. It pauses it by the inspector, looks where it is, and resumes it with
 * termination: the one way that works in busy loops, after awaits, in timers and in microtasks alike.
 */

import { Session, type Debugger } from 'node:inspector';
import { Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { FrameDecoder } from '../protocol/channel.ts';
import { INTERRUPT_FD, type ToInterruptThread } from '../protocol/executor-messages.ts';
import { layAnswer } from './answer-link.ts';
import type { InterruptReport, InterruptWorkerData } from './interrupt.ts';
import { isInternal, type StackFrame } from './stack-frames.ts';

const RETRY_MS = 1;
const ATTEMPT_MS = 150;

const { criticalDepth, interruptFlag, awake, cellCount, answers } = workerData as InterruptWorkerData;
/** Present while an interrupt is under way: a session that stays would hold up the end of the process. */
let session: Session | undefined;
let attempt: NodeJS.Timeout | undefined;
/** The cell that is to be stopped, by its count. */
let cell = 0;

function begin(): void {
  if (session !== undefined) return;
  // Native waits poll this word.
  Atomics.store(interruptFlag, 0, 1);
  Atomics.notify(interruptFlag, 0);
  Atomics.store(awake, 0, 0);
  cell = Atomics.load(cellCount, 0);
  open();
}

function open(): void {
  const opened = new Session();
  session = opened;
  const scriptUrls = new Map<string, string>();
  opened.connectToMainThread();
  opened.on('Debugger.scriptParsed', ({ params }) => scriptUrls.set(params.scriptId, params.url));
  opened.on('Debugger.paused', ({ params }) => {
    if (session === opened) stop(opened, params.callFrames, scriptUrls);
  });
  opened.post('Debugger.enable');
  pause(opened);
  // A request to pause that comes while an earlier termination unwinds can be lost.
  attempt = setTimeout(() => {
    opened.disconnect();
    open();
  }, ATTEMPT_MS);
}

function pause(opened: Session): void {
  opened.post('Debugger.pause');
  // An idle main thread pauses as soon as it runs JavaScript: here it has some to run.
  report({ kind: 'wake' });
}

function stop(opened: Session, callFrames: Debugger.CallFrame[], urls: ReadonlyMap<string, string>): void {
  const frames = callFrames.map(frame => stackFrame(frame, urls));
  const over = Atomics.load(cellCount, 0) !== cell;
  const inUserCode = !over && frames.some(frame => !isInternal(frame.file));
  // Code of the kernel or of Node alone means that nothing is to be stopped, unless callbacks keep the event loop from
  // turning and it was met between two of them.
  const idle = over || (!inUserCode && Atomics.load(awake, 0) === 1);
  if (Atomics.load(criticalDepth, 0) > 0 || !(inUserCode || idle)) {
    opened.post('Debugger.resume');
    setTimeout(() => {
      if (session === opened) pause(opened);
    }, RETRY_MS);
    return;
  }
  opened.post('Debugger.resume', { terminateOnResume: inUserCode });
  opened.disconnect();
  session = undefined;
  clearTimeout(attempt);
  report({ kind: 'interrupted', cell, frames: inUserCode ? frames : [] });
}

function stackFrame(
  { functionName, location, url }: Debugger.CallFrame,
  urls: ReadonlyMap<string, string>
): StackFrame {
  return {
    functionName,
    file: url === '' ? (urls.get(location.scriptId) ?? '') : url,
    line: location.lineNumber + 1,
    column: (location.columnNumber ?? 0) + 1
  };
}

function report(message: InterruptReport): void {
  parentPort!.postMessage(message);
}

function receive(order: ToInterruptThread): void {
  if (order.kind === 'interrupt') begin();
  else layAnswer(answers, order);
}

const decoder = new FrameDecoder<ToInterruptThread>();
const orders = new Socket({ fd: INTERRUPT_FD, readable: true, writable: false });
orders.on('data', piece => decoder.push(piece).forEach(({ message }) => receive(message)));
// The front is gone. The main thread may be in a loop that would never learn it.
orders.on('end', () => process.kill(process.pid, 'SIGKILL'));
orders.on('error', () => process.kill(process.pid, 'SIGKILL'));
