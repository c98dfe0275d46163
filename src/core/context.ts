/** Where in the program work is submitted: cell, labels, array. Native code asks for a number of it at each submission of a trace. */

import { AsyncLocalStorage } from 'node:async_hooks';

import type { Shape } from '../layout/shape.ts';
import { notebookHost } from '../notebook/host.ts';

/** A range of time that the program named with `trace.label`. */
export interface TraceLabel {
  /** The name. */
  readonly text: string;
  /** A number that is different for each call of `trace.label`. */
  readonly id: number;
  /** Whether the labelled function returned a promise and continued; undefined while it runs. */
  readonly asynchronous: boolean | undefined;
}

/** A label that is open, and the one around it. */
interface OpenLabel {
  readonly text: string;
  readonly id: number;
  asynchronous: boolean | undefined;
  readonly parent: OpenLabel | undefined;
}

/** The array whose operation is under way; by its description, so that a trace keeps no memory. */
export interface TraceSubject {
  /** First byte of its storage. */
  readonly block: bigint;
  readonly dtype: string;
  readonly shape: Shape;
  /** Whether kernels are about it too, not only copies and fills. */
  readonly kernels: boolean;
}

export interface TraceContext {
  readonly number: number;
  readonly cell: string | undefined;
  readonly label: OpenLabel | undefined;
  readonly subject: TraceSubject | undefined;
}

const labels = new AsyncLocalStorage<OpenLabel>();
let nextLabel = 1;

/** Whether a trace records arrays: `noteSubject` is called only while it does. */
export const subjects = { wanted: false };
let subject: TraceSubject | undefined;

/** Grows up to `room`, from then on the oldest goes. */
let slots: TraceContext[] = [];
let room = 1;
let nextNumber = 1;
/** The number in the first slot. */
let base = 1;
let latest: TraceContext = { number: 0, cell: undefined, label: undefined, subject: undefined };

/** Names the array of the next operations, until the next call. `kernels`: also of kernels that use its block. */
export function noteSubject(block: bigint, dtype: string, shape: Shape, kernels = false): void {
  const same =
    subject?.block === block &&
    subject.dtype === dtype &&
    subject.shape === shape &&
    subject.kernels === kernels;
  if (!same) subject = { block, dtype, shape, kernels };
}

/** Clears all places and makes room for those of `capacity` records. Numbers are not reused, so that old ones cannot match new places. */
export function resetContexts(capacity: number): void {
  // A record takes its number before the ring takes the record, and waits of an operation have places of their own.
  room = 2 * capacity + 1024;
  slots = [];
  base = nextNumber;
  subject = undefined;
  latest = { number: 0, cell: undefined, label: undefined, subject: undefined };
}

const slotOf = (number: number): number => ((number - base) >>> 0) % room;

/** The number of the place that runs now; it changes with the place. */
export function contextNumber(): number {
  const cell = notebookHost()?.cell?.();
  const label = labels.getStore();
  if (cell === latest.cell && label === latest.label && subject === latest.subject) return latest.number;
  latest = { number: nextNumber, cell, label, subject };
  nextNumber = nextNumber === 0xffff_ffff ? 1 : nextNumber + 1;
  slots[slotOf(latest.number)] = latest;
  return latest.number;
}

/** The place of that number; undefined where it is forgotten, and for 0. */
export function contextOf(number: number): TraceContext | undefined {
  const found = slots[slotOf(number)];
  return found?.number === number ? found : undefined;
}

/** The labels around a place, outermost first. */
export function labelsOf(context: TraceContext | undefined): TraceLabel[] {
  const found: TraceLabel[] = [];
  for (let label = context?.label; label !== undefined; label = label.parent) found.unshift(label);
  return found;
}

/** Runs `body` under a label; `done` is called under it when the body, or its promise, is over. */
export function runLabelled<Result>(text: string, body: () => Result, done: () => void): Result {
  const label: OpenLabel = { text, id: nextLabel++, asynchronous: undefined, parent: labels.getStore() };
  const finish = (asynchronous: boolean): void => {
    label.asynchronous = asynchronous;
    labels.run(label, done);
  };
  let result: Result;
  try {
    result = labels.run(label, body);
  } catch (error) {
    finish(false);
    throw error;
  }
  if (!(result instanceof Promise)) {
    finish(false);
    return result;
  }
  return result.finally(() => finish(true)) as Result;
}
