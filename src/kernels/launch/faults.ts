/** Faults of kernels on simulated devices as errors, and what kernels print. */

import { KernelFaultError } from '../../base/errors.ts';
import type { NativeKernelActor, NativeKernelFault } from '../../native/kernels-binding.ts';
import { native } from '../../native/load.ts';

const FAULT = 1;
const OUTPUT = 2;

/** Writes what kernels printed, and throws the fault of one that stopped. Cheap if there is neither. */
export function deliverMail(): void {
  const { kernels } = native();
  const state = kernels.mail[0]!;
  if ((state & OUTPUT) !== 0) writeLines(kernels.takeOutput());
  if ((state & FAULT) === 0) return;
  const fault = kernels.takeFault();
  if (fault !== null) throw faultError(JSON.parse(fault) as NativeKernelFault);
}

export function writeLines(text: string): void {
  // eslint-disable-next-line no-console -- what a kernel logs
  if (text !== '') console.log(text.replace(/\n$/, ''));
}

const list = (numbers: readonly number[]): string => `(${numbers.join(', ')})`;

/** Names a thread and its place: "thread (0, 0, 0) of block (1, 0, 0) in cell 5, line 3". */
function actorText({ thread, block, fileName, place }: NativeKernelActor): string {
  return `thread ${list(thread)} of block ${list(block)} in ${fileName}, line ${place.line}`;
}

function causeText(fault: NativeKernelFault): string {
  const element = `${fault.array ?? ''}[${(fault.index ?? []).join('][')}]`;
  switch (fault.kind) {
    case 'bounds':
      return `index ${fault.index![fault.axis!]!} is outside '${fault.array!}', whose axis ${fault.axis!} has the length ${fault.length!}`;
    case 'misaligned':
      return `${element} is not at a multiple of ${fault.bytes!} bytes, as an access of ${fault.bytes!} bytes needs`;
    case 'race':
      return `${element} is used by two threads without a barrier between, and at least one of them writes it; the other is ${actorText(fault.other!)}`;
    case 'uninitialized':
      return `${element} is read before it was written`;
    case 'divergentBarrier':
      return 'some threads of the block wait at this barrier and this one does not reach it';
    case 'warpMask':
      return 'the mask of a warp operation names lanes that do not take part, or not the own one';
    case 'shuffle':
      return 'a shuffle reads a lane that does not take part';
    case 'divisionByZero':
      return 'an integer is divided by zero';
    case 'assert':
      return `assertion failed${fault.message === undefined || fault.message === '' ? '' : `: ${fault.message}`}`;
    case 'unsupported':
      return fault.message ?? 'this works on GPUs only';
    case 'interrupted':
      return 'the kernel was interrupted';
  }
}

/** Describes a fault in one line. */
export function faultText(fault: NativeKernelFault): string {
  const times = fault.count > 1 ? ` (${fault.count} times)` : '';
  return `${causeText(fault)}${times}: ${actorText(fault)}`;
}

export function faultError(fault: NativeKernelFault): KernelFaultError {
  const { line, column, length } = fault.place;
  const place = { file: fault.fileName, line, column, length };
  return new KernelFaultError(
    `${fault.kernel}: ${faultText(fault)}`,
    fault.kind,
    place,
    fault.block,
    fault.thread
  );
}
