/** Asks before memory goes, and says what goes and what keeps it. */

import { Dialog, showDialog } from '@jupyterlab/apputils';
import { Widget } from '@lumino/widgets';
import type { ArrayEntry } from '../../../src/pictures/arrays/schema.ts';
import { element } from '../views/kit/dom.ts';
import type { Phrases } from '../views/kit/phrases.ts';
import { nameOf } from './entry-name.ts';
import { sentences } from './free-sentences.ts';

/** Whether the person wants `entries` freed; `all` are those that the notebook has. */
export async function confirmFree(
  entries: readonly ArrayEntry[],
  all: readonly ArrayEntry[],
  phrases: Phrases
): Promise<boolean> {
  const [first] = entries;
  if (first === undefined) return false;
  const title =
    entries.length === 1
      ? phrases.__('Free %1?', nameOf(first))
      : phrases.__('Free %1 arrays?', entries.length);
  const lines = sentences(entries, all, phrases).map(line => element('p', {}, line));
  const { button } = await showDialog({
    title,
    body: new Widget({ node: element('div', {}, ...lines) }),
    buttons: [
      Dialog.cancelButton({ label: phrases.__('Cancel') }),
      Dialog.warnButton({ label: phrases.__('Free') })
    ],
    // A key that is pressed twice must not free anything.
    defaultButton: 0
  });
  return button.accept;
}
