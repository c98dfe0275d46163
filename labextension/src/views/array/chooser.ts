/** Chooser of a second array to compare: another variable of the notebook, or another inspector on the page, including saved ones. */

import type { ArrayDescription } from '../../../../src/pictures/array/schema.ts';
import { formatShape } from '../../../../src/layout/shape-text.ts';
import type { Frame } from '../kit/framed.ts';
import type { Difference } from './difference.ts';
import { checkDescription } from './read-description.ts';
import { __ } from '../kit/phrases.ts';

/** Describes an array to choose; asks the kernel for a variable. */
type Describe = () => Promise<ArrayDescription> | ArrayDescription;

export type Chooser = ReturnType<typeof createChooser>;

/** Creates the chooser. The difference is appended to `root`; `say` shows a problem, or clears it. */
export function createChooser(frame: Frame, root: HTMLElement, say: (problem: string) => void) {
  /** By name. */
  let choices = new Map<string, Describe>();
  let latest: Describe | undefined;
  let difference: Difference | undefined;
  let other: ArrayDescription | undefined;
  let shown: ArrayDescription | undefined;

  const variables = async (): Promise<[string, Describe][]> => {
    const { channel, connected } = frame;
    if (!channel || !connected) return [];
    const { content } = await channel.request('arrays');
    return (content['arrays'] as { name: string; summary: string }[]).map(({ name, summary }) => {
      const describe = async (): Promise<ArrayDescription> => {
        const { description } = (await channel.request('describe', { name })).content;
        checkDescription(description);
        return description;
      };
      return [`${name}: ${summary}`, describe];
    });
  };
  const draw = (): void => {
    if (difference === undefined) return;
    if (other === undefined || shown === undefined) difference.element.remove();
    else {
      root.append(difference.element);
      difference.update(shown, other);
    }
  };

  return {
    /** Finds what can be chosen, by name; `others` are arrays of other inspectors on the page. */
    async find(others: readonly ArrayDescription[]): Promise<readonly string[]> {
      const pictures = others.map((array, at): [string, Describe] => [
        __('picture %1: %2', at + 1, `${array.dtype} ${formatShape(array.shape)}`),
        () => array
      ]);
      const found = await variables().catch(() => []);
      choices = new Map([...found, ...pictures]);
      return [...choices.keys()];
    },
    async choose(name: string): Promise<void> {
      say('');
      const describe = (latest = choices.get(name));
      let described: ArrayDescription | undefined;
      let problem = '';
      try {
        described = await describe?.();
        if (described !== undefined) {
          // In one chunk with the layout, whose arithmetic determines whether bytes are shared.
          const { createDifference } = await import(/* webpackChunkName: "layout" */ './difference.ts');
          difference ??= createDifference();
        }
      } catch (error) {
        described = undefined;
        problem = (error as Error).message;
      }
      // The user has chosen again, and that answer may have come first.
      if (latest !== describe) return;
      other = described;
      say(problem);
      draw();
    },
    show(array: ArrayDescription): void {
      shown = array;
      draw();
    }
  };
}
