/**
 * Looks: what pictures, descriptions and figures do to show an array or a stream. A look may copy, compute and wait, and nothing may notice
 * it: not the exchanges, the trace or the memory log, not the counts of a stream, not hazard detection, and no listener of the memory.
 */

import { native } from '../native/load.ts';
import { subjects } from './context.ts';
import { ended } from '../base/unwind.ts';

let looking = false;
/** Where recorders listen; null where none does. */
const observers: { current: unknown }[] = [];

/** Whether the work that is submitted now belongs to a look. */
export function isLooking(): boolean {
  return looking;
}

/** Removes the observer while a look runs. */
export function muteInLooks(observer: { current: unknown }): void {
  observers.push(observer);
}

/** Runs `work` as a look. What runs after its awaits is ordinary work, unless it calls `look` again. */
export function look<Result>(work: () => Result): Result {
  if (looking) return work();
  const binding = native();
  const listening = observers.map(({ current }) => current);
  const { wanted } = subjects;
  const end = (): void => {
    looking = false;
    binding.setLooking(false);
    for (const [index, observer] of observers.entries()) observer.current = listening[index];
    subjects.wanted = wanted;
  };
  return ended(end, () => {
    looking = true;
    binding.setLooking(true);
    for (const observer of observers) observer.current = null;
    subjects.wanted = false;
    return work();
  });
}
