/** Asks before memory goes, and says what goes and what keeps it. */

import { Dialog, showDialog } from '@jupyterlab/apputils';
import { Widget } from '@lumino/widgets';
import type { ArrayEntry } from '../../../src/pictures/arrays/schema.ts';
import { element } from '../views/kit/dom.ts';
import { nameOf } from './entry-name.ts';
import { sentences } from './free-sentences.ts';
import { __ } from '../views/kit/phrases.ts';

/** Whether the person wants `entries` freed; `all` are those that the notebook has. */
export async function confirmFree(
  entries: readonly ArrayEntry[],
  all: readonly ArrayEntry[]
): Promise<boolean> {
  const [first] = entries;
  if (first === undefined) return false;
  const title = entries.length === 1 ? __('Free %1?', nameOf(first)) : __('Free %1 arrays?', entries.length);
  const lines = sentences(entries, all).map(line => element('p', {}, line));
  const { button } = await showDialog({
    title,
    body: new Widget({ node: element('div', {}, ...lines) }),
    buttons: [Dialog.cancelButton({ label: __('Cancel') }), Dialog.warnButton({ label: __('Free') })],
    // A key that is pressed twice must not free anything.
    defaultButton: 0
  });
  return button.accept;
}
