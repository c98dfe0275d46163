/** What stands in the place of a list that there is none of: why, and what to do. */

import { element, setAttribute, setProse, setText } from '../views/kit/dom.ts';
import type { Absence } from './arrays-model.ts';
import { __ } from '../views/kit/phrases.ts';

/** A remedy that a button offers. */
export type Remedy = 'new-notebook' | 'change-kernel' | 'restart' | 'insert-example' | 'clear-filter';

/** Shown, and inserted by the button. */
export const EXAMPLE = "import { zeros } from 'stridelab';\nconst x = zeros([1024, 1024]);";

interface Advice {
  readonly sentence: string;
  readonly code?: string;
  readonly remedy?: Remedy;
  readonly button?: string;
}

function adviceFor(absence: Absence | 'filtered', kernelName: string): Advice {
  const changeKernel = { remedy: 'change-kernel', button: __('Change kernel…') } as const;
  switch (absence) {
    case 'no-source':
      return {
        sentence: __('Open a notebook or a console to see its arrays here.'),
        remedy: 'new-notebook',
        button: __('New notebook')
      };
    case 'no-kernel':
      return { sentence: __('This notebook has no kernel.'), ...changeKernel };
    case 'starting':
      return { sentence: __('The kernel is starting.') };
    case 'loading':
      return {
        sentence: __('Loading arrays. A busy kernel responds later.')
      };
    case 'foreign':
      return {
        sentence: __(
          'This panel shows arrays of TypeScript (Stridelab) notebooks. The kernel here is %1.',
          kernelName
        ),
        ...changeKernel
      };
    case 'silent':
      return {
        sentence: __(
          'This kernel sends no array list: it is an older version, or connected to another browser page. Restart it, or reload the page.'
        ),
        remedy: 'restart',
        button: __('Restart kernel…')
      };
    case 'newer':
      return {
        sentence: __('The kernel is newer than this page: update the extension and reload.')
      };
    case 'gone':
      return {
        sentence: __('The kernel has exited, and its arrays are freed.'),
        remedy: 'restart',
        button: __('Restart kernel…')
      };
    case 'empty':
      return {
        sentence: __('No variable holds an array yet. Try:'),
        code: EXAMPLE,
        remedy: 'insert-example',
        button: __('Insert this cell')
      };
    case 'filtered':
      return {
        sentence: __('No array matches the filter.'),
        remedy: 'clear-filter',
        button: __('Clear the filter')
      };
  }
}

export function createAbsence(act: (remedy: Remedy) => void): {
  readonly element: HTMLElement;
  update(absence: Absence | 'filtered' | null, kernelName: string): void;
} {
  const sentence = element('p');
  const code = element('pre');
  const button = element('button', { type: 'button', class: 'button' });
  const host = element('div', { class: 'absence', role: 'status' }, sentence, code, button);
  let remedy: Remedy | undefined;
  button.addEventListener('click', () => {
    if (remedy !== undefined) act(remedy);
  });
  return {
    element: host,
    update(absence, kernelName) {
      host.hidden = absence === null;
      if (absence === null) return;
      const advice = adviceFor(absence, kernelName);
      remedy = advice.remedy;
      setAttribute(host, 'data-absence', absence);
      setProse(sentence, advice.sentence);
      setText(code, advice.code ?? '');
      code.hidden = advice.code === undefined;
      setText(button, advice.button ?? '');
      button.hidden = remedy === undefined;
    }
  };
}
