/** Confirmation dialog for freeing memory, which lists what is freed and what is kept alive. */

import { Dialog, showDialog } from '@jupyterlab/apputils';
import { Widget } from '@lumino/widgets';
import type { ArrayEntry } from '../../../src/pictures/arrays/schema.ts';
import { element } from '../views/kit/dom.ts';
import { __ } from '../views/kit/phrases.ts';
import { nameOf } from './arrange.ts';
import { sentences } from './free-sentences.ts';

/** Asks whether to free `entries`; `all` are the notebook's arrays. */
export async function confirmFree(
  entries: readonly ArrayEntry[],
  all: readonly ArrayEntry[]
): Promise<boolean> {
  const [first] = entries;
  if (first === undefined) return false;
  const title = entries.length === 1 ? __('Free %1?', nameOf(first)) : __('Free %1 arrays?', entries.length);
  return askToFree(title, sentences(entries, all));
}

export async function askToFree(title: string, lines: readonly string[]): Promise<boolean> {
  const { button } = await showDialog({
    title,
    body: new Widget({ node: element('div', {}, ...lines.map(line => element('p', {}, line))) }),
    buttons: [Dialog.cancelButton({ label: __('Cancel') }), Dialog.warnButton({ label: __('Free') })],
    // Pressing Enter twice must not free anything.
    defaultButton: 0
  });
  return button.accept;
}
