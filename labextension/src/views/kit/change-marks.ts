/** Highlights changes of an update: the value is marked briefly, and its name is collected for one announcement. */

import { setText } from './dom.ts';

/** Duration of the mark on a changed value, in ms. */
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
    /** Marks an element that is entirely new, such as the row of a new stream. */
    mark,
    /** Writes a value. After the first picture, a changed text is marked and collected under `name`. */
    write(target: HTMLElement, text: string, name: string): void {
      if (setText(target, text)) mark(target, name);
    },
    /** Ends a picture: returns the names changed since the last call, each once. */
    take(): readonly string[] {
      firstPicture = false;
      const taken = [...names];
      names.clear();
      return taken;
    }
  };
}
