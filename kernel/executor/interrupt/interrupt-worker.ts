/**
 * The thread that stops the main thread. It pauses it by the inspector, looks where it is, and resumes it with
 * termination: the one way that works in busy loops, after awaits, in timers and in microtasks alike.
 */

import { Session, type Debugger } from 'node:inspector';
import { Socket } from 'node:net';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { encodeFrame, FrameDecoder } from '../../protocol/channel.ts';
import type { DebuggerOrder } from '../../protocol/debugger-messages.ts';
import {
  INTERRUPT_FD,
  type InterruptNotice,
  type InterruptOrder,
  type ToInterruptThread
} from '../../protocol/executor-messages.ts';
import { layAnswer, wakeWaiting } from '../front/answer-link.ts';
import { sendTextInTime } from '../front/held-text.ts';
import type { InterruptReport, InterruptWorkerData } from './interrupt.ts';
import { endGroup } from './orderly-exit.ts';
import { PythonInterrupt } from './python-interrupt.ts';
import { isInternal, isProducts, type StackFrame } from '../context/stack-frames.ts';

/** Time between two looks at a thread that could not be stopped where it was, or at a cell that has yet to begin. */
const RETRY_MS = 1;
/** A pause that was accepted and did not come is asked for again: it can be lost while a termination unwinds. */
const ASK_AGAIN_MS = 5;
/** A session whose thread has answered and does not pause in this time is replaced. */
const REOPEN_MS = 100;
/**
 * How often code of Node or the kernel that the user's code called may go on. Cut in the middle, a list of theirs would be left
 * torn. Most of it has returned at the next look, but a call that waits never does. Nothing steps out of it: V8 aborts where
 * a step crosses a throw.
 */
const MOST_LOOKS = 50;
/** Functions of the kernel and of Node that are cut at once: by the time the last one returns, a storm has its next tick. */
const CUT_INSIDE = new Set(['#awaitStop', 'waitForAnswer', 'nextTick']);
/** A thread that answers nothing for so long is inside native code. */
const NATIVE_MS = 1_000;
/** Time that the main thread has to end by itself. */
const ORPHANED_MS = 1_500;

const { criticalDepth, interruptFlag, awake, cellCount, answers, text, python } =
  workerData as InterruptWorkerData;
/** Present while an interrupt is under way: a session that stays would hold up the end of the process. */
let attempt: Attempt | undefined;
/** The cell that is to be stopped, by its count. */
let cell = 0;
let waiting: NodeJS.Timeout | undefined;

const pythonInterrupt = new PythonInterrupt(python, {
  taken() {
    // What it caught and went on with may wait in native code again.
    Atomics.store(interruptFlag, 0, 0);
  },
  notTaken: open,
  inNativeCode: noticeNativeCode,
  wake: () => wakeWaiting(answers)
});
/** Where Node finds, links and compiles modules. A module whose loading is cut can never be imported again. */
const LOADERS = /^node:internal\/(modules|bootstrap)\//;

let noticed = false;
/** The cell was told to be over. The session stays until the event loop has turned: a storm of callbacks may go on. */
let reported = false;
/** Looks that met code of Node or the kernel. */
let looks = 0;

interface Attempt {
  readonly session: Session;
  readonly asking: NodeJS.Timeout;
}

function begin(order: InterruptOrder): void {
  clearTimeout(waiting);
  // The cell may still be on its way to the main thread.
  const begun = Atomics.load(cellCount, 0);
  if (begun < order.cell) {
    waiting = setTimeout(() => begin(order), RETRY_MS);
    return;
  }
  // The cell is over, and the next one has programs and waits of its own.
  if (begun > order.cell) return;
  if ((attempt !== undefined && cell === order.cell) || pythonInterrupt.isUnderWay) return endPrograms();
  if (attempt !== undefined) close();
  // Native waits poll this word.
  Atomics.store(interruptFlag, 0, 1);
  Atomics.notify(interruptFlag, 0);
  Atomics.store(awake, 0, 0);
  cell = order.cell;
  noticed = false;
  reported = false;
  looks = 0;
  if (inPython()) pythonInterrupt.ask(cell);
  // Python that waits for a program is interrupted first: the program's end would let it go on as if nothing was.
  endPrograms();
  if (!pythonInterrupt.isUnderWay) open();
}

/** Programs that a cell waits for end by the signal; the main thread ignores it. */
function endPrograms(): void {
  process.kill(-process.pid, 'SIGINT');
}

/** Whether the cell that is meant is where Python would see its interrupt. */
function inPython(): boolean {
  return Atomics.load(cellCount, 0) === cell && pythonInterrupt.concerns(cell);
}

function open(): void {
  const session = new Session();
  const scriptUrls = new Map<string, string>();
  let asked = performance.now();
  // Not from when it was opened: the first answer takes long on a busy machine.
  let answered = Infinity;
  let accepted = false;
  // A pause that was asked for outlives the session where a debugger has one too, which nobody would resume.
  let outstanding = false;
  const isDone = (): boolean => reported && hasTurned() && !outstanding;
  const pause = (): void => {
    asked = performance.now();
    accepted = false;
    outstanding = true;
    session.post('Debugger.pause', () => {
      accepted = true;
      answered = Math.min(answered, performance.now());
    });
    // An idle main thread pauses as soon as it runs JavaScript: here it has some to run.
    report({ kind: 'wake' });
  };
  const asking = setInterval(() => {
    const now = performance.now();
    // It got into Python on the way to its pause.
    if (!reported && !accepted && inPython()) {
      close();
      pythonInterrupt.ask(cell);
      return;
    }
    if (!reported) pythonInterrupt.nudge();
    if (isDone()) {
      close();
    } else if (!accepted) {
      if (now - asked >= NATIVE_MS) noticeNativeCode();
    } else if (now - answered < REOPEN_MS) {
      pause();
    } else {
      close();
      open();
    }
  }, ASK_AGAIN_MS);
  attempt = { session, asking };
  session.connectToMainThread();
  session.on('Debugger.scriptParsed', ({ params }) => scriptUrls.set(params.scriptId, params.url));
  session.on('Debugger.paused', ({ params }) => {
    outstanding = false;
    answered = Infinity;
    if (attempt?.session !== session) return;
    paused(params.callFrames, scriptUrls, () => {
      if (isDone()) close();
      else pause();
    });
  });
  session.post('Debugger.enable');
  pause();
}

function close(): void {
  clearInterval(attempt?.asking);
  attempt?.session.disconnect();
  attempt = undefined;
}

function paused(
  callFrames: Debugger.CallFrame[],
  urls: ReadonlyMap<string, string>,
  again: () => void
): void {
  const session = attempt!.session;
  const frames = callFrames.map(frame => stackFrame(frame, urls));
  const over = Atomics.load(cellCount, 0) !== cell || (reported && hasTurned());
  const inUserCode = !over && frames.some(frame => !isProducts(frame.file));
  // Code of Node, the kernel or the library alone means that nothing is to be stopped, unless callbacks keep the event loop
  // from turning and it was met between two of them.
  const idle = over || (!inUserCode && hasTurned());
  const goesOn = inUserCode ? isLoading(frames) || mayReturn(frames[0]!) : !idle;
  if (goesOn || Atomics.load(criticalDepth, 0) > 0) {
    session.post('Debugger.resume');
    setTimeout(() => {
      if (attempt?.session === session) again();
    }, RETRY_MS);
    return;
  }
  const loop = frames.findIndex(
    ({ functionName, file }) => functionName === 'processImmediate' && file === 'node:internal/timers'
  );
  if (inUserCode) {
    if (loop >= 0) finishImmediate(session, callFrames[loop]!);
    endInterval(session);
  }
  session.post('Debugger.resume', { terminateOnResume: inUserCode });
  if (inUserCode) {
    Atomics.store(awake, 0, 0);
    report({ kind: 'wake' });
  } else close();
  if (!reported) report({ kind: 'interrupted', cell, frames: inUserCode ? frames : [] });
  reported = true;
}

/** Whether a call of Node or the kernel is let go on until it returns. */
function mayReturn({ file, functionName }: StackFrame): boolean {
  return isInternal(file) && !CUT_INSIDE.has(functionName) && ++looks <= MOST_LOOKS;
}

/** Whether the user's code waits for a module to be found, linked or compiled. */
function isLoading(frames: readonly StackFrame[]): boolean {
  const called = frames.slice(
    0,
    frames.findIndex(({ file }) => !isProducts(file))
  );
  return called.some(({ file }) => LOADERS.test(file));
}

/** Whether the main thread's event loop turned since it was last asked to. */
function hasTurned(): boolean {
  return Atomics.load(awake, 0) === 1;
}

/**
 * Does what Node's loop over immediates does in a `finally`, which a termination leaves out: with an immediate before
 * the terminated one, the loop would meet that one again for ever and fail each time.
 */
function finishImmediate(session: Session, { callFrameId }: Debugger.CallFrame): void {
  const expression = 'outstandingQueue.head = immediate._idleNext';
  session.post('Debugger.evaluateOnCallFrame', { callFrameId, expression, silent: true });
}

/**
 * The interval whose function is cut would call it again, and so begin anew what was stopped. Not evaluated in the paused
 * function: one of Node or the user may have a variable of its own that is named like a global.
 */
function endInterval(session: Session): void {
  const expression = "globalThis[Symbol.for('stridelab.end-interval')]()";
  session.post('Runtime.evaluate', { expression, silent: true });
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

/** This thread always listens, whatever the cells do; the debugger gets one of its own, so that nothing slows interrupts. */
function startDebugger(): void {
  new Worker(new URL('../debugger/debugger-thread.js', import.meta.url));
}

function receive(order: ToInterruptThread | DebuggerOrder): void {
  if (order.kind === 'interrupt') begin(order);
  else if (order.kind === 'debugger') startDebugger();
  else layAnswer(answers, order);
}

/** The main thread cannot say so: its own channel is its own, and it is busy. */
function noticeNativeCode(): void {
  if (noticed) return;
  noticed = true;
  const notice: InterruptNotice = { kind: 'in-native-code', cell };
  orders.write(encodeFrame(notice));
}

/** The front is gone. The main thread may be in a loop that would never learn it. */
function orphaned(): void {
  setTimeout(endGroup, ORPHANED_MS);
}

const decoder = new FrameDecoder<ToInterruptThread | DebuggerOrder>();
const orders = new Socket({ fd: INTERRUPT_FD });
orders.on('data', piece => decoder.push(piece).forEach(({ message }) => receive(message)));
orders.on('end', orphaned);
orders.on('error', orphaned);
void sendTextInTime(text);
