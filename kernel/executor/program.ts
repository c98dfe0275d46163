/** Reads the requests of the front from one descriptor, runs them, and answers on another. */

import { Socket } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import { FrameDecoder } from '../protocol/channel.ts';
import {
  FRONT_INPUT_FD,
  type CommDelivery,
  type ExecuteRequest,
  type MembersQuestion,
  type PythonQuestion,
  type ToExecutor
} from '../protocol/executor-messages.ts';
import type { CommManager } from '../widgets/model/comm-manager.ts';
import { runForCell } from './context/cell-context.ts';
import { CellRunner } from './cell/cell-runner.ts';
import { followImmediates } from './interrupt/cell-immediates.ts';
import { followIntervals } from './interrupt/cell-intervals.ts';
import { endThreads, followThreads } from './cell/cell-threads.ts';
import { CellSources } from './context/cell-sources.ts';
import { sendToFront } from './front/front-link.ts';
import { reportDeviceUsage } from './values/device-usage.ts';
import { answered, forgetQuestions } from './front/input.ts';
import { Interrupts } from './interrupt/interrupt.ts';
import { openGate } from './debugger/start-gate.ts';
import { lateErrors, reportLateErrors } from './errors/late-errors.ts';
import { defineCellGlobals, resolveOwnLibrary } from './modules/module-hooks.ts';
import { attachHost } from './notebook-host.ts';
import { captureOutput } from './display/cell-streams.ts';
import { endGroup, exitOrderly } from './interrupt/orderly-exit.ts';
import { flushOutput } from './front/output.ts';
import { collectPayloads, takePayloads } from './front/publish.ts';
import { settle } from './cell/settle.ts';
import { keepOutputOfSuddenEnds } from './front/sudden-end.ts';
import { setTerminalEnvironment } from './display/terminal-environment.ts';
import type { StackFrame } from './context/stack-frames.ts';
import { attachWidgets, tellCellEnd } from './widget-host.ts';

const cells = new CellSources();
/** Whether a cell has arrived. */
let used = false;
let comms: Promise<CommManager> | undefined;
/** Comm message whose handler is running, so that an interrupt of the handler still ends the request. */
let handling: string | undefined;

setTerminalEnvironment();
captureOutput();
keepOutputOfSuddenEnds();
resolveOwnLibrary();
defineCellGlobals();
reportLateErrors(cells, () => void interrupted([]));
// Interrupts come from the front as messages. A SIGINT from elsewhere does not end the process.
process.on('SIGINT', () => {});
process.on('exit', flushOutput);
const interrupts = new Interrupts(frames => void interrupted(frames));
const runner = new CellRunner(cells, interrupts);
attachWidgets(cells, runner.names);
attachHost(
  cells,
  () => (comms ??= loadComms()),
  () => runner.names.all(),
  runner.renderElement
);
followThreads();
followIntervals();
followImmediates();

const decoder = new FrameDecoder<ToExecutor>();
const requests = new Socket({ fd: FRONT_INPUT_FD, readable: true, writable: false });
requests.on('data', piece => {
  for (const { message, buffers } of decoder.push(piece)) receive(message, buffers);
});
// The front has exited, so this process must end the child processes of cells.
requests.on('end', () => {
  process.on('exit', endGroup);
  void exitOrderly();
});

sendToFront({ kind: 'ready', heapLimit: getHeapStatistics().heap_size_limit });
// Ahead of the first cell, while the client still processes the kernel's first reply.
setImmediate(() => {
  if (!used) runner.warmUp();
});

async function loadComms(): Promise<CommManager> {
  const [{ comms: commsOfProcess }, { registerWidgetTargets }, { registerArraysTarget }] = await Promise.all([
    import('../widgets/model/comm-manager.ts'),
    import('../widgets/widget-targets.ts'),
    import('../widgets/pictures/arrays/target.ts')
  ]);
  const manager = commsOfProcess();
  // Pages that ask for widgets need an answer even if there are none.
  registerWidgetTargets(manager);
  registerArraysTarget(manager);
  return manager;
}

function receive(message: ToExecutor, buffers: readonly Uint8Array[]): void {
  if (message.kind === 'execute') void execute(message);
  else if (message.kind === 'comm') void handleComm(message, buffers);
  else if (message.kind === 'run') openGate(message.id);
  else if (message.kind === 'members') void tellMembers(message);
  else if (message.kind === 'python') void tellOfPython(message);
  else if (message.kind === 'answer') answered(message);
  else if (message.kind === 'watch') interrupts.watch();
  else if (message.kind === 'device-usage') reportDeviceUsage();
  else if (message.kind === 'settle') void settled(message.work);
  else exit();
}

async function settled(work: boolean): Promise<void> {
  await settle(work);
  flushOutput();
  sendToFront({ kind: 'settled', errors: lateErrors() });
}

function exit(): void {
  sendToFront({ kind: 'exiting' });
  void exitOrderly();
}

async function execute(request: ExecuteRequest): Promise<void> {
  used = true;
  interrupts.cellBegins();
  collectPayloads(request.id);
  const outcome = await runner.run(request);
  flushOutput();
  const payload = takePayloads(request.id);
  sendToFront({ kind: 'executed', id: request.id, outcome, payload, variables: runner.names.count });
  tellCellEnd();
}

async function tellMembers({ id, path }: MembersQuestion): Promise<void> {
  const { names } = runner;
  const [{ liveMembers }, { pythonMembers }] = await Promise.all([
    import('./values/live-members.ts'),
    import('./python/python-answers.ts')
  ]);
  const ofPython = await pythonMembers(names, path).catch(() => null);
  if (ofPython === undefined) sendToFront({ kind: 'members', id, members: liveMembers(names, path) });
  else sendToFront({ kind: 'members', id, members: ofPython, complete: true });
}

async function tellOfPython({ id, subject }: PythonQuestion): Promise<void> {
  const { pythonAnswer } = await import('./python/python-answers.ts');
  // Inspecting an object may throw; the answer is then null.
  const answer = await pythonAnswer(runner.names, interrupts.pythonRuns, subject).catch(() => null);
  sendToFront({ kind: 'python', id, answer });
}

async function handleComm(delivery: CommDelivery, buffers: readonly Uint8Array[]): Promise<void> {
  const manager = await (comms ??= loadComms());
  handling = delivery.id;
  try {
    runForCell(delivery.id, () => manager.deliver(delivery, buffers));
  } catch (error) {
    process.emit('uncaughtException', error as Error);
  }
  finishHandling();
}

function finishHandling(): void {
  if (handling === undefined) return;
  flushOutput();
  sendToFront({ kind: 'handled', id: handling });
  handling = undefined;
}

async function interrupted(frames: readonly StackFrame[]): Promise<void> {
  forgetQuestions();
  finishHandling();
  const endPythonCalls = interrupts.pythonCalls();
  for (const cell of runner.interrupt(frames)) endThreads(cell);
  await endPythonCalls();
}
