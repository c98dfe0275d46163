/** Shows what an update changed: the value is marked for a moment, and its name is collected for one announcement. */

import { setText } from './dom.ts';

/** Milliseconds for which a changed value stays marked. */
export const MARK_DURATION = 3000;
const MARK_CLASS = 'stridelab-changed';

export type ChangeMarks = ReturnType<typeof createChangeMarks>;

export function createChangeMarks() {
  const timers = new Map<HTMLElement, ReturnType<typeof setTimeout>>();
  const names = new Set<string>();
  let firstPicture = true;

  const mark = (target: HTMLElement, name: string): void => {
    if (firstPicture) return;
    names.add(name);
    clearTimeout(timers.get(target));
    target.classList.add(MARK_CLASS);
    const unmark = (): void => {
      target.classList.remove(MARK_CLASS);
      timers.delete(target);
    };
    timers.set(target, setTimeout(unmark, MARK_DURATION));
  };

  return {
    /** Marks a target that is new as a whole, such as the row of a stream that was not there before. */
    mark,
    /** Writes a value. From the second picture on, a different text is marked and remembered under `name`. */
    write(target: HTMLElement, text: string, name: string): void {
      if (setText(target, text)) mark(target, name);
    },
    /** Ends a picture: the names of what changed since the last call, each once. */
    take(): readonly string[] {
      firstPicture = false;
      const taken = [...names];
      names.clear();
      return taken;
    },
    dispose(): void {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    }
  };
}
