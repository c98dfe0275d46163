/** The source of a kernel. Lines that access memory, branch or fault can be chosen: with the pointer, the arrows, or a click. */

import type { LaunchPicture } from '../../../../src/pictures/launch/schema.ts';
import { branchText, costText, siteName } from '../../../../src/pictures/launch/words.ts';
import { createBadge, type BadgeKind } from '../kit/badge.ts';
import { neighbour, onKeys, rove } from '../kit/cursor.ts';
import { element, part, setAttribute, type Part } from '../kit/dom.ts';
import { createPartBar } from '../kit/part-bar.ts';
import { __ } from '../kit/phrases.ts';

/** Creates the list. `choose` is called with the row that is chosen, at first with one that costs more than it must. */
export function createSourceList(choose: (row: number) => void): Part<[picture: LaunchPicture]> {
  const list = element('div', {
    class: 'launch-source',
    role: 'group',
    'aria-label': __('Source of the kernel')
  });
  let buttons: HTMLElement[] = [];
  const select = (button: HTMLElement | undefined): void => {
    for (const other of buttons) setAttribute(other, 'aria-current', other === button ? 'true' : null);
    rove(list, button, false);
    choose(Number(button?.dataset['row'] ?? -1));
  };
  onKeys(list, event => {
    const to = neighbour(event, buttons, 'ArrowUp', 'ArrowDown');
    to?.focus();
    return to !== undefined;
  });
  return {
    element: list,
    update(picture) {
      const rows = picture.rows.map(({ line, text, starts }, row) => {
        const figures = figuresOf(picture, row);
        const apart = starts === true ? ' launch-apart' : '';
        const cells = [
          part('span', 'launch-number', String(line)),
          element('code', {}, text),
          ...(figures.length > 0 ? [part('span', 'launch-figures', ...figures)] : [])
        ];
        if (figures.length === 0) return part('div', `launch-row wide${apart}`, ...cells);
        const button = element(
          'button',
          { class: `launch-row wide${apart}`, type: 'button', tabindex: '-1', 'data-row': String(row) },
          ...cells
        );
        for (const type of ['focus', 'click']) button.addEventListener(type, () => select(button));
        button.addEventListener('pointerenter', () => {
          // A line that was clicked stays while the pointer goes to its lanes.
          if (!list.closest('section')?.querySelector(':focus')) select(button);
        });
        return button;
      });
      list.replaceChildren(...rows);
      buttons = rows.filter(row => row instanceof HTMLButtonElement);
      const worst = picture.sites.find(({ units, least }) => units > least) ?? picture.sites[0];
      select(buttons.find(({ dataset }) => dataset['row'] === String(worst?.row)) ?? buttons[0]);
    }
  };
}

function figuresOf(picture: LaunchPicture, row: number): HTMLElement[] {
  const badgeOf = (kind: BadgeKind, word: string, title?: string): HTMLElement => {
    const badge = createBadge();
    badge.show(kind, word, title);
    return badge.element;
  };
  const here = <Site extends { readonly row: number }>(site: Site): boolean => site.row === row;
  return [
    ...picture.sites.filter(here).map(site => {
      const bar = createPartBar(['used', 'free']);
      bar.update([site.least, site.units - site.least]);
      bar.element.setAttribute('aria-hidden', 'true');
      return part('span', 'launch-figure', bar, `${siteName(picture, site)}: ${costText(picture, site)}`);
    }),
    ...picture.branches
      .filter(here)
      .map(branch => badgeOf(branch.divergent > 0 ? 'busy' : 'ok', branchText(branch))),
    ...picture.faults.filter(here).map(({ kind, message }) => badgeOf('violation', kind, message))
  ];
}
