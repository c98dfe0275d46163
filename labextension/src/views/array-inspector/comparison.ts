/**
 * The array beside a second one: another variable of the notebook, or another inspector on the page, saved ones too. This half offers the
 * choice; what it shows is loaded when something was chosen.
 */

import type { ArrayDescription } from '../../../../src/description/schema.ts';
import { formatShape } from '../../../../src/layout/shape.ts';
import { element, part, setText } from '../dom.ts';
import type { Channel } from '../view.ts';
import type { Difference } from './difference.ts';
import type { LazyPanel } from './lazy-panel.ts';
import type { PanelContext } from './panel.ts';
import { readDescription } from './read-description.ts';

/** What each inspector on the page shows now. */
const onPage = new Map<object, ArrayDescription>();

/** An array that can be chosen, under a name; `describe` asks the kernel for a variable. */
interface Choice {
  readonly name: string;
  describe(): Promise<ArrayDescription> | ArrayDescription;
}

export type Comparison = Pick<LazyPanel, 'element' | 'update' | 'dispose'>;

export function createComparison(context: PanelContext, channel: Channel | undefined): Comparison {
  const { phrases } = context;
  const self = {};
  const nobody = phrases.__('nothing');
  const select = element('select');
  const status = element('span', { class: 'stridelab-status', 'aria-live': 'polite' });
  const root = part(
    'div',
    'comparison',
    element('label', {}, phrases.__('Compare with'), ' ', select),
    ' ',
    status
  );
  let choices: readonly Choice[] = [];
  let latest: Choice | undefined;
  let difference: Difference | undefined;
  let other: ArrayDescription | undefined;
  let shown: ArrayDescription | undefined;
  let isConnected: boolean | undefined;

  const variables = async (): Promise<Choice[]> => {
    if (!channel || isConnected !== true) return [];
    const { content } = await channel.request('arrays');
    return (content['arrays'] as { name: string; summary: string }[]).map(({ name, summary }) => ({
      name: `${name}: ${summary}`,
      async describe() {
        const reply = await channel.request('describe', { name });
        const result = readDescription(reply.content['description'], phrases);
        if ('problem' in result) throw new Error(result.problem);
        return result.array;
      }
    }));
  };
  const offer = async (): Promise<void> => {
    const others = [...onPage].filter(([key]) => key !== self);
    const pictures = others.map(([, array], at) => ({
      name: phrases.__('picture %1: %2', at + 1, `${array.dtype} ${formatShape(array.shape)}`),
      describe: () => array
    }));
    const found = await variables().catch((): Choice[] => []);
    const next = [...found, ...pictures];
    const chosen = select.value;
    const names = [nobody, ...next.map(({ name }) => name)];
    choices = next;
    // A list that opens must not change under the hand.
    if (names.join() === [...select.options].map(option => option.value).join()) return;
    select.replaceChildren(...names.map(name => element('option', { value: name }, name)));
    if (names.includes(chosen)) select.value = chosen;
  };
  const show = (): void => {
    if (difference === undefined) return;
    if (other === undefined || shown === undefined) difference.element.remove();
    else {
      root.append(difference.element);
      difference.show(shown, other);
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
        // One file with the layout, whose arithmetic tells whether bytes are shared.
        const { createDifference } = await import(/* webpackChunkName: "layout" */ './difference.ts');
        difference ??= createDifference(context);
      }
    } catch (error) {
      described = undefined;
      problem = error instanceof Error ? error.message : String(error);
    }
    // Another choice was made meanwhile, whose answer may have come first.
    if (latest !== choice) return;
    other = described;
    setText(status, problem);
    show();
  };
  select.append(element('option', { value: nobody }, nobody));
  for (const event of ['focusin', 'pointerenter']) root.addEventListener(event, () => void offer());
  select.addEventListener('change', () => void choose());

  return {
    element: root,
    update(array, connected) {
      shown = array;
      if (isConnected !== connected)
        setText(
          status,
          connected ? '' : phrases.__('Without a kernel, with other pictures on this page alone.')
        );
      isConnected = connected;
      onPage.set(self, array);
      show();
    },
    dispose: () => void onPage.delete(self)
  };
}
