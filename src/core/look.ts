/**
 * Display reads, called looks: pictures, descriptions and figures read an array or a stream to show it. A look may copy, compute and
 * wait without being observed by recorders, hazard detection, the counts of a stream or listeners of the memory.
 */

import { native } from '../native/load.ts';
import { subjects } from './context.ts';
import { ended } from '../base/unwind.ts';

let looking = false;
/** Observers of recorders; null while none records. */
const observers: { current: unknown }[] = [];

/** Returns true if work submitted now belongs to a look. */
export function isLooking(): boolean {
  return looking;
}

/** Registers an observer that is removed while a look runs. */
export function muteInLooks(observer: { current: unknown }): void {
  observers.push(observer);
}

/** Runs `work` as a look. Code after an await is ordinary work, unless it calls `look` again. */
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
