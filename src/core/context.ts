/** The place in the program that submits work: cell, labels, array. A trace records a number for it with each submission. */

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
interface OpenLabel extends TraceLabel {
  asynchronous: boolean | undefined;
  readonly parent: OpenLabel | undefined;
}

/** The array of the current operation, as a description, so that a trace keeps no memory alive. */
export interface TraceSubject {
  /** The address of its storage. */
  readonly block: bigint;
  readonly dtype: string;
  readonly shape: Shape;
  /** Whether it also applies to kernels, not only to copies and fills. */
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

/** Whether a trace records arrays; `noteSubject` is only called if so. */
export const subjects = { wanted: false };
let subject: TraceSubject | undefined;

/** Ring of contexts: grows up to `room`, then the oldest is overwritten. */
let slots: TraceContext[] = [];
let room = 1;
let nextNumber = 1;
/** The number of the context in the first slot. */
let base = 1;
const NOWHERE: TraceContext = { number: 0, cell: undefined, label: undefined, subject: undefined };
let latest = NOWHERE;

/** Sets the array of the next operations, until the next call. With `kernels`, also for kernels that use its block. */
export function noteSubject(block: bigint, dtype: string, shape: Shape, kernels = false): void {
  const same =
    subject?.block === block &&
    subject.dtype === dtype &&
    subject.shape === shape &&
    subject.kernels === kernels;
  if (!same) subject = { block, dtype, shape, kernels };
}

/** Clears all contexts and sizes the ring for `capacity` records. Numbers are not reused, so old records match no new context. */
export function resetContexts(capacity: number): void {
  // Extra space: a record takes its number before it enters the ring, and waits of an operation have separate contexts.
  room = 2 * capacity + 1024;
  slots = [];
  base = nextNumber;
  subject = undefined;
  latest = NOWHERE;
}

const slotOf = (number: number): number => ((number - base) >>> 0) % room;

/** Returns the number of the current context; it changes when the cell, label or array does. */
export function contextNumber(): number {
  const cell = notebookHost()?.cell?.();
  const label = labels.getStore();
  if (cell === latest.cell && label === latest.label && subject === latest.subject) return latest.number;
  latest = { number: nextNumber, cell, label, subject };
  nextNumber = nextNumber === 0xffff_ffff ? 1 : nextNumber + 1;
  slots[slotOf(latest.number)] = latest;
  return latest.number;
}

/** Returns the context of a number; undefined if it was overwritten, and for 0. */
export function contextOf(number: number): TraceContext | undefined {
  const found = slots[slotOf(number)];
  return found?.number === number ? found : undefined;
}

/** Returns the labels of a context, outermost first. */
export function labelsOf(context: TraceContext | undefined): TraceLabel[] {
  const found: TraceLabel[] = [];
  for (let label = context?.label; label !== undefined; label = label.parent) found.unshift(label);
  return found;
}

/** Runs `body` under a label; `done` is called under that label when the body, or its promise, has settled. */
export function runLabelled<Result>(text: string, body: () => Result, done: () => void): Result {
  const label: OpenLabel = { text, id: nextLabel++, asynchronous: undefined, parent: labels.getStore() };
  const finish = (asynchronous: boolean): void => {
    label.asynchronous = asynchronous;
    labels.run(label, done);
  };
  let result: Result | undefined;
  try {
    result = labels.run(label, body);
  } finally {
    if (!(result instanceof Promise)) finish(false);
  }
  return result instanceof Promise ? (result.finally(() => finish(true)) as Result) : result;
}
