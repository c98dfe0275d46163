/**
 * The thread that stops the main thread. It pauses it by the inspector, looks where it is, and resumes it with
 * termination: the one way that works in busy loops, after awaits, in timers and in microtasks alike.
 */

import { Session, type Debugger, type InspectorNotification } from 'node:inspector';
import { Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { FrameDecoder } from '../protocol/channel.ts';
import { INTERRUPT_FD, type InterruptOrder } from '../protocol/executor-messages.ts';
import type { InterruptReport, InterruptWorkerData } from './interrupt.ts';
import { isInternal, type StackFrame } from './stack-frames.ts';

const RETRY_MS = 1;

const { criticalDepth, interruptFlag } = workerData as InterruptWorkerData;
const session = new Session();
const scriptUrls = new Map<string, string>();
let active = false;

function begin(): void {
  if (active) return;
  active = true;
  // Native waits poll this word.
  Atomics.store(interruptFlag, 0, 1);
  Atomics.notify(interruptFlag, 0);
  session.post('Debugger.enable');
  session.post('Debugger.pause');
  // An idle main thread pauses as soon as it runs JavaScript: here it has some to run.
  report({ kind: 'wake' });
}

function stop({ params }: InspectorNotification<Debugger.PausedEventDataType>): void {
  if (!active) {
    session.post('Debugger.resume');
    return;
  }
  if (Atomics.load(criticalDepth, 0) > 0) {
    session.post('Debugger.resume');
    setTimeout(() => session.post('Debugger.pause'), RETRY_MS);
    return;
  }
  const frames = params.callFrames.map(stackFrame);
  const inUserCode = frames.some(frame => !isInternal(frame.file));
  session.post('Debugger.resume', { terminateOnResume: inUserCode });
  session.post('Debugger.disable');
  scriptUrls.clear();
  active = false;
  report({ kind: 'interrupted', frames: inUserCode ? frames : [] });
}

function stackFrame({ functionName, location, url }: Debugger.CallFrame): StackFrame {
  return {
    functionName,
    file: url === '' ? (scriptUrls.get(location.scriptId) ?? '') : url,
    line: location.lineNumber + 1,
    column: (location.columnNumber ?? 0) + 1
  };
}

function report(message: InterruptReport): void {
  parentPort!.postMessage(message);
}

session.connectToMainThread();
session.on('Debugger.scriptParsed', ({ params }) => scriptUrls.set(params.scriptId, params.url));
session.on('Debugger.paused', stop);

const decoder = new FrameDecoder<InterruptOrder>();
const orders = new Socket({ fd: INTERRUPT_FD, readable: true, writable: false });
orders.on('data', piece => decoder.push(piece).forEach(begin));
// The front is gone. The main thread may be in a loop that would never learn it.
orders.on('end', () => process.kill(process.pid, 'SIGKILL'));
orders.on('error', () => process.kill(process.pid, 'SIGKILL'));
