/** Comparison with a second array. This half offers it; the chooser and the difference are loaded on first interest. */

import type { ArrayDescription } from '../../../../src/pictures/array/schema.ts';
import { element, part, setText } from '../kit/dom.ts';
import type { Channel } from '../kit/view.ts';
import type { Chooser } from './chooser.ts';
import type { LazyPanel } from './lazy-panel.ts';
import { __ } from '../kit/phrases.ts';

/** The array that each inspector on the page shows. */
const onPage = new Map<object, ArrayDescription>();

export type Comparison = Pick<LazyPanel, 'element' | 'update' | 'dispose'>;

export function createComparison(channel: Channel | undefined): Comparison {
  const self = {};
  const nobody = __('nothing');
  const select = element('select', {}, element('option', { value: nobody }, nobody));
  const status = element('span', { class: 'status', 'aria-live': 'polite' });
  const root = part('div', 'comparison', element('label', {}, __('Compare with'), ' ', select), ' ', status);
  const others = (): ArrayDescription[] =>
    [...onPage].filter(([key]) => key !== self).map(([, array]) => array);
  let chooser: Chooser | undefined;
  let shown: ArrayDescription | undefined;
  let isConnected: boolean | undefined;
  const offer = async (): Promise<void> => {
    const { createChooser } = await import('./chooser.ts');
    chooser ??= createChooser({ channel, root, select, status, others });
    await chooser.offer(isConnected === true);
    if (shown !== undefined) chooser.show(shown);
  };
  for (const event of ['focusin', 'pointerenter']) root.addEventListener(event, () => void offer());

  return {
    element: root,
    update(array, connected) {
      shown = array;
      if (isConnected !== connected)
        setText(status, connected ? '' : __('Without a kernel, only with pictures on this page.'));
      isConnected = connected;
      onPage.set(self, array);
      chooser?.show(array);
    },
    dispose: () => void onPage.delete(self)
  };
}
