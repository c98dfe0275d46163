/** Chooser of a second array to compare: another variable of the notebook, or another inspector on the page, including saved ones. */

import type { ArrayDescription } from '../../../../src/pictures/array/schema.ts';
import { formatShape } from '../../../../src/layout/shape.ts';
import { element, setText } from '../kit/dom.ts';
import type { Channel } from '../kit/view.ts';
import type { Difference } from './difference.ts';
import { readDescription } from './read-description.ts';
import { __ } from '../kit/phrases.ts';

/** A named array to choose; `describe` asks the kernel for a variable. */
interface Choice {
  readonly name: string;
  describe(): Promise<ArrayDescription> | ArrayDescription;
}

export interface ChooserOptions {
  readonly channel: Channel | undefined;
  /** The difference is appended to it. */
  readonly root: HTMLElement;
  /** Its first option means no array. */
  readonly select: HTMLSelectElement;
  readonly status: HTMLElement;
  /** Arrays shown by other inspectors on the page. */
  others(): readonly ArrayDescription[];
}

export type Chooser = ReturnType<typeof createChooser>;

export function createChooser({ channel, root, select, status, others }: ChooserOptions) {
  const nobody = select.options[0]?.value ?? '';
  let choices: readonly Choice[] = [];
  let latest: Choice | undefined;
  let difference: Difference | undefined;
  let other: ArrayDescription | undefined;
  let shown: ArrayDescription | undefined;

  const variables = async (): Promise<Choice[]> => {
    if (!channel) return [];
    const { content } = await channel.request('arrays');
    return (content['arrays'] as { name: string; summary: string }[]).map(({ name, summary }) => ({
      name: `${name}: ${summary}`,
      async describe() {
        const reply = await channel.request('describe', { name });
        const result = readDescription(reply.content['description']);
        if ('problem' in result) throw new Error(result.problem);
        return result.array;
      }
    }));
  };
  const show = (): void => {
    if (difference === undefined) return;
    if (other === undefined || shown === undefined) difference.element.remove();
    else {
      root.append(difference.element);
      difference.update(shown, other);
    }
  };
  const choose = async (): Promise<void> => {
    setText(status, '');
    const choice = choices.find(({ name }) => name === select.value);
    latest = choice;
    let described: ArrayDescription | undefined;
    let problem = '';
    try {
      described = await choice?.describe();
      if (described !== undefined) {
        // In one chunk with the layout, whose arithmetic determines whether bytes are shared.
        const { createDifference } = await import(/* webpackChunkName: "layout" */ './difference.ts');
        difference ??= createDifference();
      }
    } catch (error) {
      described = undefined;
      problem = (error as Error).message;
    }
    // Another choice was made since, whose answer may have come first.
    if (latest !== choice) return;
    other = described;
    setText(status, problem);
    show();
  };
  select.addEventListener('change', () => void choose());

  return {
    /** Updates the list of choices. */
    async offer(isConnected: boolean): Promise<void> {
      const pictures = others().map((array, at) => ({
        name: __('picture %1: %2', at + 1, `${array.dtype} ${formatShape(array.shape)}`),
        describe: () => array
      }));
      const found = isConnected ? await variables().catch((): Choice[] => []) : [];
      const next = [...found, ...pictures];
      const chosen = select.value;
      const names = [nobody, ...next.map(({ name }) => name)];
      choices = next;
      // An open list must not change while in use.
      if (names.join() === [...select.options].map(option => option.value).join()) return;
      select.replaceChildren(...names.map(name => element('option', { value: name }, name)));
      if (names.includes(chosen)) select.value = chosen;
    },
    /** Sets the array to compare with. */
    show(array: ArrayDescription): void {
      shown = array;
      show();
    }
  };
}
