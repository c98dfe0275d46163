/** Comparison with a second array. This half offers it; the chooser and the difference are loaded on first interest. */

import type { ArrayDescription } from '../../../../src/pictures/array/schema.ts';
import { createSelect } from '../kit/controls.ts';
import { element, part, setText } from '../kit/dom.ts';
import type { Frame } from '../kit/framed.ts';
import type { Chooser } from './chooser.ts';
import type { Panel } from './panel/panel.ts';
import { __ } from '../kit/phrases.ts';

/** The array that each inspector on the page shows. */
const onPage = new Map<Frame, ArrayDescription>();

export function createComparison(frame: Frame): Panel {
  const nobody = __('None');
  const select = createSelect(name => void chooser?.choose(name), {}, [[nobody, nobody]]);
  const status = element('span', { class: 'status', 'aria-live': 'polite' });
  const root = part('div', 'comparison', element('label', {}, __('Compare with'), ' ', select), ' ', status);
  const others = (): ArrayDescription[] =>
    [...onPage].filter(([key]) => key !== frame).map(([, array]) => array);
  let chooser: Chooser | undefined;
  let shown: ArrayDescription | undefined;
  let wasConnected: boolean | undefined;
  const offer = async (): Promise<void> => {
    const { createChooser } = await import('./chooser.ts');
    chooser ??= createChooser(frame, root, problem => void setText(status, problem));
    const names = [nobody, ...(await chooser.find(others()))];
    const options = names.map(name => [name, name] as const);
    select.offer(options, names.includes(select.element.value) ? select.element.value : nobody);
    if (shown !== undefined) chooser.show(shown);
  };
  frame.signal.addEventListener('abort', () => onPage.delete(frame));
  for (const event of ['focusin', 'pointerenter']) root.addEventListener(event, () => void offer());

  return {
    element: root,
    update(array) {
      shown = array;
      if (wasConnected !== frame.connected)
        setText(status, frame.connected ? '' : __('Without a kernel, only with pictures on this page.'));
      wasConnected = frame.connected;
      onPage.set(frame, array);
      chooser?.show(array);
    }
  };
}
