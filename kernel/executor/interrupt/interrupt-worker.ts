/** The interrupt thread. It has the main thread inspect its stack (look.ts) until the cell is stopped. */

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
import { sendTextInTime } from '../front/stream-frame.ts';
import type { InterruptWorkerData } from './interrupt.ts';
import { interruptsAddon } from './addon.ts';
import { interruptPrograms, type CellProgram } from './cell-programs.ts';
import { leftRunning } from './left-running.ts';
import { LookOutcome, LookWord } from './look-words.ts';
import { endGroup } from './orderly-exit.ts';
import { PythonInterrupt } from './python-interrupt.ts';
import { RunningCell } from './running-cell.ts';

/** Retry interval while the main thread runs code that cannot be stopped, or while the cell has not started. */
const RETRY_MS = 1;
/** Time after which an inspection is requested again: it may have had no room on the stack. */
const ASK_AGAIN_MS = 20;
/** A main thread that does not respond for this long is inside native code. */
const NATIVE_MS = 1_000;
/** Time that the main thread has to exit by itself. */
const ORPHANED_MS = 1_500;

const { cellWord, look, answers, text, python } = workerData as InterruptWorkerData;
const running = new RunningCell(cellWord);
const addon = interruptsAddon();
/** Set while an interrupt is in progress. */
let looking: NodeJS.Timeout | undefined;
/** Number of the cell to stop. */
let cell = 0;
let waiting: NodeJS.Timeout | undefined;
let debuggerThread: Worker | undefined;

const pythonInterrupt = new PythonInterrupt(python, {
  taken() {
    // Code that caught the exception and continued may wait in native code again.
    running.withdraw();
  },
  notTaken: open,
  inNativeCode: noticeNativeCode,
  wake: () => wakeWaiting(answers)
});
let noticed = false;
/** Times at which the pending inspection was first requested, and last. */
let asked = 0;
let requested = 0;

function begin(order: InterruptOrder): void {
  clearTimeout(waiting);
  // The cell may not have reached the main thread yet.
  const begun = running.number;
  if (begun < order.cell) {
    waiting = setTimeout(() => begin(order), RETRY_MS);
    return;
  }
  // The cell has ended, and the next one has its own processes and waits.
  if (begun > order.cell) return;
  if ((looking !== undefined && cell === order.cell) || pythonInterrupt.isUnderWay) {
    interruptPrograms();
    return;
  }
  close();
  cell = order.cell;
  noticed = false;
  look.fill(0);
  Atomics.store(look, LookWord.cell, cell);
  // The cell may have ended just now.
  if (!running.askToStop(cell)) return close();
  if (inPython()) pythonInterrupt.ask(cell);
  if (!pythonInterrupt.isUnderWay) open();
  // Code that waits for a program is interrupted first: the end of the program would let it continue as if nothing had happened.
  void reportLeftRunning(interruptPrograms());
}

/** Reports to the front what the interrupt did not end. */
async function reportLeftRunning(programs: readonly CellProgram[]): Promise<void> {
  const interrupted = cell;
  const { programs: left, threads } = await leftRunning(programs);
  // Threads may belong to a later cell.
  const busy = running.number === interrupted ? threads : 0;
  if (left.length === 0 && busy === 0) return;
  notify({ kind: 'left-running', cell: interrupted, programs: left, threads: busy });
}

/** Sends a notice on this thread's channel, since the main thread may be busy. */
function notify(notice: InterruptNotice): void {
  orders.write(encodeFrame(notice));
}

/** Returns whether the cell runs code in which Python would see an interrupt. */
function inPython(): boolean {
  return running.number === cell && pythonInterrupt.concerns(cell);
}

function open(): void {
  ask();
  looking = setInterval(follow, RETRY_MS);
}

function ask(): void {
  asked = performance.now();
  Atomics.store(look, LookWord.outcome, LookOutcome.asked);
  request();
  const inspected = Atomics.waitAsync(look, LookWord.outcome, LookOutcome.asked);
  if (inspected.async) void inspected.value.then(followInspection);
}

/** Asks again without waiting for the timer, if the code continued. */
function followInspection(): void {
  if (looking !== undefined && Atomics.load(look, LookWord.outcome) === LookOutcome.goesOn) follow();
}

function request(): void {
  requested = performance.now();
  addon.request();
  // An idle main thread inspects its stack only when it runs JavaScript, which this message causes.
  wake();
  // Resumes code stopped at a breakpoint, so that it is inspected.
  debuggerThread?.postMessage(null);
}

function wake(): void {
  parentPort!.postMessage(null);
}

function follow(): void {
  const outcome = Atomics.load(look, LookWord.outcome);
  if (outcome === LookOutcome.over) {
    // The main thread then reports what it stopped.
    wake();
    return close();
  }
  if (outcome !== LookOutcome.asked) return ask();
  if (Atomics.load(look, LookWord.reported) === 0) {
    // It entered Python before the inspection.
    if (inPython()) {
      close();
      pythonInterrupt.ask(cell);
      return;
    }
    pythonInterrupt.nudge(cell);
  }
  const now = performance.now();
  if (now - requested >= ASK_AGAIN_MS) request();
  if (now - asked >= NATIVE_MS) noticeNativeCode();
}

/** Ends the interrupt; a pending inspection then does nothing. */
function close(): void {
  clearInterval(looking);
  looking = undefined;
  Atomics.store(look, LookWord.outcome, LookOutcome.over);
}

/** Starts the debugger in a separate thread, so that this one always listens and nothing delays interrupts. */
function startDebugger(): void {
  debuggerThread = new Worker(new URL('../debugger/debugger-thread.js', import.meta.url));
}

function receive(order: ToInterruptThread | DebuggerOrder): void {
  if (order.kind === 'interrupt') begin(order);
  else if (order.kind === 'debugger') startDebugger();
  else layAnswer(answers, order);
}

/** Reports native code on the main thread to the front. */
function noticeNativeCode(): void {
  if (noticed) return;
  noticed = true;
  notify({ kind: 'in-native-code', cell });
}

/** Ends the process group after the front has exited: a main thread in a loop would never notice. */
function orphaned(): void {
  setTimeout(endGroup, ORPHANED_MS);
}

const decoder = new FrameDecoder<ToInterruptThread | DebuggerOrder>();
const orders = new Socket({ fd: INTERRUPT_FD });
orders.on('data', piece => decoder.push(piece).forEach(({ message }) => receive(message)));
orders.on('end', orphaned);
orders.on('error', orphaned);
void sendTextInTime(text);
