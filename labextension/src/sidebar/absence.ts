/** Content shown instead of an empty list: the reason, and what to do. */

import { createButton } from '../views/kit/controls.ts';
import { element, type Part, setAttribute, setLine, setProse } from '../views/kit/dom.ts';
import type { Absence } from './arrays-model.ts';
import { __ } from '../views/kit/phrases.ts';

export type Remedy = 'new-notebook' | 'change-kernel' | 'restart' | 'insert-example' | 'clear-filter';

export const EXAMPLE = "import { zeros } from 'stridelab';\nconst x = zeros([1024, 1024]);";

/** A sentence, the remedy with its button label, and code. */
type Advice = readonly [sentence: string, remedy?: Remedy, button?: string, code?: string];

function adviceFor(absence: Absence | 'filtered', kernelName: string): Advice {
  switch (absence) {
    case 'no-source':
      return [__('Open a notebook or a console to see its arrays here.'), 'new-notebook', __('New notebook')];
    case 'no-kernel':
      return [__('This notebook has no kernel.'), 'change-kernel', __('Change kernel…')];
    case 'starting':
      return [__('The kernel is starting.')];
    case 'loading':
      return [__('Loading arrays. A busy kernel responds later.')];
    case 'foreign':
      return [
        __('This panel shows arrays of TypeScript (Stridelab) notebooks. The kernel here is %1.', kernelName),
        'change-kernel',
        __('Change kernel…')
      ];
    case 'silent':
      return [
        __(
          'This kernel sends no array list: it is an older version, or connected to another browser page. Restart it, or reload the page.'
        ),
        'restart',
        __('Restart kernel…')
      ];
    case 'newer':
      return [__('The kernel is newer than this page: update the extension and reload.')];
    case 'exited':
      return [__('The kernel has exited, and its arrays are freed.'), 'restart', __('Restart kernel…')];
    case 'empty':
      return [__('No variable holds an array yet. Try:'), 'insert-example', __('Insert cell'), EXAMPLE];
    case 'filtered':
      return [__('No array matches the filter.'), 'clear-filter', __('Clear filter')];
  }
}

export function createAbsence(
  act: (remedy: Remedy) => void
): Part<[absence: Absence | 'filtered' | null, kernelName: string]> {
  const sentence = element('p');
  const code = element('pre');
  const button = createButton('', '', () => {
    if (remedy !== undefined) act(remedy);
  });
  const host = element('div', { class: 'absence', role: 'status' }, sentence, code, button);
  let remedy: Remedy | undefined;
  return {
    element: host,
    update(absence, kernelName) {
      host.hidden = absence === null;
      if (absence === null) return;
      const [reason, offered, label = '', example = ''] = adviceFor(absence, kernelName);
      remedy = offered;
      setAttribute(host, 'data-absence', absence);
      setProse(sentence, reason);
      setLine(code, example);
      setLine(button, label);
    }
  };
}
