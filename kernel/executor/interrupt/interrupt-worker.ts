/** The thread that hears of interrupts. It has the main thread look at what it runs (look.ts) until that is stopped. */

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
import type { InterruptWorkerData } from './interrupt.ts';
import { interruptsAddon } from './addon.ts';
import { interruptPrograms } from './cell-programs.ts';
import { LookOutcome, LookWord } from './look-words.ts';
import { endGroup } from './orderly-exit.ts';
import { PythonInterrupt } from './python-interrupt.ts';

/** Time between two looks at a thread that could not be stopped where it was, or at a cell that has yet to begin. */
const RETRY_MS = 1;
/** A look that found no room on the stack is asked for again. */
const ASK_AGAIN_MS = 20;
/** A thread that answers nothing for so long is inside native code. */
const NATIVE_MS = 1_000;
/** Time that the main thread has to end by itself. */
const ORPHANED_MS = 1_500;

const { interruptFlag, look, cellCount, answers, text, python } = workerData as InterruptWorkerData;
const addon = interruptsAddon();
/** Set while an interrupt is under way. */
let looking: NodeJS.Timeout | undefined;
/** The cell that is to be stopped, by its count. */
let cell = 0;
let waiting: NodeJS.Timeout | undefined;
let debuggerThread: Worker | undefined;

const pythonInterrupt = new PythonInterrupt(python, {
  taken() {
    // What it caught and went on with may wait in native code again.
    Atomics.store(interruptFlag, 0, 0);
  },
  notTaken: open,
  inNativeCode: noticeNativeCode,
  wake: () => wakeWaiting(answers)
});
let noticed = false;
/** When the main thread was asked for a look that it has yet to take, and when the request was last sent. */
let asked = 0;
let requested = 0;

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
  if ((looking !== undefined && cell === order.cell) || pythonInterrupt.isUnderWay)
    return interruptPrograms();
  close();
  // Native waits poll this word.
  Atomics.store(interruptFlag, 0, 1);
  Atomics.notify(interruptFlag, 0);
  cell = order.cell;
  noticed = false;
  look.fill(0);
  Atomics.store(look, LookWord.cell, cell);
  if (inPython()) pythonInterrupt.ask(cell);
  if (!pythonInterrupt.isUnderWay) open();
  // Code that waits for a program is interrupted first: the end of the program would let it continue as if nothing had happened.
  interruptPrograms();
}

/** Whether the cell that is meant is where Python would see its interrupt. */
function inPython(): boolean {
  return Atomics.load(cellCount, 0) === cell && pythonInterrupt.concerns(cell);
}

function open(): void {
  ask();
  looking = setInterval(follow, RETRY_MS);
}

function ask(): void {
  asked = performance.now();
  Atomics.store(look, LookWord.outcome, LookOutcome.asked);
  request();
}

function request(): void {
  requested = performance.now();
  addon.request();
  // An idle main thread looks as soon as it runs JavaScript: here it has some to run.
  wake();
  // Code that stands at a breakpoint goes on into the look.
  debuggerThread?.postMessage(null);
}

function wake(): void {
  parentPort!.postMessage(null);
}

function follow(): void {
  const outcome = Atomics.load(look, LookWord.outcome);
  if (outcome === LookOutcome.over) {
    // What the look found is told there.
    wake();
    return close();
  }
  if (outcome !== LookOutcome.asked) return ask();
  if (Atomics.load(look, LookWord.reported) === 0) {
    // It got into Python before it looked.
    if (inPython()) {
      close();
      pythonInterrupt.ask(cell);
      return;
    }
    pythonInterrupt.nudge();
  }
  const now = performance.now();
  if (now - requested >= ASK_AGAIN_MS) request();
  if (now - asked >= NATIVE_MS) noticeNativeCode();
}

/** A look that was asked for and is still to come does nothing. */
function close(): void {
  clearInterval(looking);
  looking = undefined;
  Atomics.store(look, LookWord.outcome, LookOutcome.over);
}

/** This thread always listens, whatever the cells do; the debugger gets one of its own, so that nothing slows interrupts. */
function startDebugger(): void {
  debuggerThread = new Worker(new URL('../debugger/debugger-thread.js', import.meta.url));
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
