/** Asks before memory goes, and says what goes and what keeps it. */

import { Dialog, showDialog } from '@jupyterlab/apputils';
import { Widget } from '@lumino/widgets';
import type { ArrayEntry } from '../../../src/description/arrays-schema.ts';
import { formatBytes } from '../views/array-inspector/format.ts';
import { element } from '../views/dom.ts';
import type { Phrases } from '../views/phrases.ts';
import { nameOf } from './arrange.ts';

/** Names that a sentence lists; the rest is counted. */
const LISTED = 8;

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

export function sentences(
  entries: readonly ArrayEntry[],
  all: readonly ArrayEntry[],
  phrases: Phrases
): string[] {
  const chosen = new Set(entries.map(({ id }) => id));
  const blocks = new Set(entries.map(({ block }) => block));
  const keepers = all.filter(
    ({ id, block, state }) => !chosen.has(id) && blocks.has(block) && state !== 'freed'
  );
  const kept = new Set(keepers.map(({ block }) => block));
  const going = new Map(
    entries.filter(({ block }) => !kept.has(block)).map(({ block, blockBytes }) => [block, blockBytes])
  );
  const bytes = [...going.values()].reduce((sum, size) => sum + size, 0);
  const lines: string[] = [];
  if (entries.length > 1) lines.push(phrases.__('What goes: %1.', listNames(entries, phrases)));
  if (going.size > 0) lines.push(phrases.__('%1 of memory are given back.', formatBytes(bytes)));
  if (keepers.length > 0)
    lines.push(phrases.__('Memory stays that others still use: %1.', listNames(keepers, phrases)));
  lines.push(phrases.__('Code that uses a freed array throws FreedError.'));
  return lines;
}

function listNames(entries: readonly ArrayEntry[], phrases: Phrases): string {
  const names = entries.slice(0, LISTED).map(nameOf).join(', ');
  const more = entries.length - LISTED;
  return more > 0 ? phrases.__('%1 and %2 more', names, more) : names;
}
