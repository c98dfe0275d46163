/**
 * Looks: what pictures, descriptions and figures do to show an array or a stream. A look may copy, compute and wait, and nothing may notice
 * it: not the exchanges, the trace or the memory log, not the counts of a stream, not hazard detection, and no listener of the memory.
 */

import { exchangeObserver } from './exchanges/observer.ts';
import { native } from './native/load.ts';
import { subjects } from './trace/context.ts';
import { ended } from './unwind.ts';

let looking = false;

/** Whether the work that is submitted now belongs to a look. */
export function isLooking(): boolean {
  return looking;
}

/** Runs `work` as a look. What it awaits goes on as ordinary work, unless it calls `look` again. */
export function look<Result>(work: () => Result): Result {
  if (looking) return work();
  const binding = native();
  const { current: exchanges } = exchangeObserver;
  const { wanted } = subjects;
  const end = (): void => {
    looking = false;
    binding.setLooking(false);
    exchangeObserver.current = exchanges;
    subjects.wanted = wanted;
  };
  return ended(end, () => {
    looking = true;
    binding.setLooking(true);
    exchangeObserver.current = null;
    subjects.wanted = false;
    return work();
  });
}
