/** What one warp does at a chosen line: its lanes, and the sectors or banks that they access. */

import {
  accessedArray,
  costOf,
  lanesOf,
  offsetsOf,
  sectorOf,
  WARP,
  wordsOf,
  BANKS,
  SECTOR
} from '../../../../src/pictures/launch/memory.ts';
import type {
  AccessSite,
  LaunchArray,
  LaunchPicture,
  WarpAccess
} from '../../../../src/pictures/launch/schema.ts';
import {
  costText,
  positionIn,
  rowTexts,
  siteName,
  tripleText
} from '../../../../src/pictures/launch/words.ts';
import { createSelect } from '../kit/controls.ts';
import { neighbour, onKeys, rove } from '../kit/cursor.ts';
import { element, part, setAttribute, setText, type Part } from '../kit/dom.ts';
import { createItemTable } from '../kit/item-table.ts';
import { __ } from '../kit/phrases.ts';
import { drawAccess } from './drawing.ts';

/** A lane in words. */
interface Lane {
  readonly lane: number;
  readonly thread: string;
  readonly byte: string;
  readonly element: string;
  readonly place: string;
}

type Choice = 'site' | 'block' | 'warp' | 'turn';

export function createWarpPanel(): Part<[picture: LaunchPicture, row: number]> {
  let picture: LaunchPicture | undefined;
  let row = -1;
  /** What the lists ask for; where there is no such access, the first one is shown. */
  const chosen: Record<Choice, number> = { site: 0, block: 0, warp: 0, turn: 0 };
  let lanes: readonly (Lane | undefined)[] = [];
  let drawing: ReturnType<typeof drawAccess> | undefined;

  const picker = (choice: Choice, label: string) => {
    const select = createSelect(value => {
      chosen[choice] = Number(value);
      show();
    });
    return { element: part('label', 'label', label, select), offer: select.offer };
  };
  const pickers = {
    site: picker('site', __('Access')),
    block: picker('block', __('Block')),
    warp: picker('warp', __('Warp')),
    turn: picker('turn', __('Time'))
  };
  const choices = part('div', 'choices', ...Object.values(pickers));
  const sentence = element('p');
  const buttons = Array.from({ length: WARP }, (_, lane) => {
    const button = element(
      'button',
      { type: 'button', tabindex: lane === 0 ? '0' : '-1', 'data-group': String(lane >> 3) },
      String(lane)
    );
    button.addEventListener('focus', () => point(lane));
    button.addEventListener('pointerenter', () => point(lane));
    return button;
  });
  const list = element(
    'div',
    { class: 'launch-lanes', role: 'group', 'aria-label': __('Lanes') },
    ...buttons
  );
  const canvas = part('div', 'launch-drawing');
  const readout = part('p', 'muted');
  const table = createItemTable<Lane>('facts', '', ({ lane }) => String(lane), [
    [__('Lane'), ({ lane }) => String(lane), 'number'],
    [__('Thread'), ({ thread }) => thread],
    [__('Byte'), ({ byte }) => byte, 'number'],
    [__('Element'), each => each.element, 'value'],
    [__('Where'), ({ place }) => place]
  ]);
  const details = element(
    'details',
    {},
    element('summary', {}, __('Lanes as a table')),
    part('div', 'launch-scroller', table)
  );
  // Lanes have a least width, so narrow pictures scroll them.
  const drawn = part('div', 'launch-scroller', part('div', 'wide', list, canvas));
  const body = element('div', {}, choices, drawn, readout, details);

  list.addEventListener('pointerleave', () => point(-1));
  list.addEventListener('focusout', () => point(-1));
  onKeys(list, event => {
    const to = neighbour(event, buttons, 'ArrowLeft', 'ArrowRight');
    rove(list, to ?? (event.target as HTMLElement), to !== undefined);
    return to !== undefined;
  });

  function point(lane: number): void {
    drawing?.mark(lane);
    const known = lanes[lane];
    setText(
      readout,
      known
        ? laneText(known)
        : lane < 0
          ? __('Point at a lane, or use the arrow keys.')
          : __('Lane %1 is not active.', lane)
    );
  }

  function show(): void {
    if (picture === undefined) return;
    const here = picture.sites.filter(site => site.row === row);
    const site = here[chosen.site] ?? here[0];
    body.hidden = site === undefined;
    setText(sentence, rowTexts(picture, row).join(' · '));
    if (site === undefined) return;
    const { block, warp, turn } = chosen;
    const { accesses } = site;
    const inBlock = some(accesses, each => each.block === block);
    const ofWarp = some(inBlock, each => each.warp === warp);
    const access = some(ofWarp, each => each.turn === turn)[0]!;
    const { grid } = picture;
    const offer = (
      choice: Choice,
      numbers: readonly number[],
      value: number,
      textOf: (number: number) => string
    ): void => {
      const distinct = [...new Set(numbers)].sort((one, other) => one - other);
      pickers[choice].offer(
        distinct.map(number => [String(number), textOf(number)]),
        String(value)
      );
      pickers[choice].element.hidden = distinct.length < 2;
    };
    offer('site', [...here.keys()], here.indexOf(site), index => siteName(picture!, here[index]!));
    offer(
      'block',
      accesses.map(each => each.block),
      access.block,
      number => tripleText(positionIn(grid, number))
    );
    offer(
      'warp',
      inBlock.map(each => each.warp),
      access.warp,
      number => String(number)
    );
    offer(
      'turn',
      ofWarp.map(each => each.turn),
      access.turn,
      number => String(number + 1)
    );
    const array = picture.arrays[site.array]!;
    setText(sentence, sentenceOf(picture, site, access));
    lanes = describeLanes(picture, site, access);
    drawing = drawAccess(accessedArray(array, site), access);
    canvas.replaceChildren(drawing.element);
    for (const [lane, button] of buttons.entries()) {
      const known = lanes[lane];
      setAttribute(button, 'data-off', known ? null : '');
      setAttribute(button, 'aria-label', known ? laneText(known) : __('Lane %1 is not active.', lane));
    }
    table.update(lanes.filter(lane => lane !== undefined));
    point(buttons.findIndex(button => button.matches(':focus')));
  }

  return {
    element: part('div', 'launch-warp', sentence, body),
    update(next, nextRow) {
      if (nextRow !== row) chosen.site = 0;
      picture = next;
      row = nextRow;
      show();
    }
  };
}

/** Returns the items that pass; all of them if none does. */
function some<Item>(items: readonly Item[], passes: (item: Item) => boolean): readonly Item[] {
  const passed = items.filter(passes);
  return passed.length === 0 ? items : passed;
}

function sentenceOf(picture: LaunchPicture, site: AccessSite, access: WarpAccess): string {
  const array = accessedArray(picture.arrays[site.array]!, site);
  const cost = costText(picture, { array: site.array, ...costOf(array, offsetsOf(access)) });
  const block = tripleText(positionIn(picture.grid, access.block));
  return __('%1 by warp %2 of block %3: %4', siteName(picture, site), access.warp, block, cost);
}

/** Returns the active lanes in words, at their numbers. */
function describeLanes(picture: LaunchPicture, site: AccessSite, access: WarpAccess): (Lane | undefined)[] {
  const array = picture.arrays[site.array]!;
  const offsets = offsetsOf(access);
  const lanes: (Lane | undefined)[] = [];
  for (const [index, lane] of lanesOf(access).entries()) {
    const offset = offsets[index]!;
    const thread = tripleText(positionIn(picture.block, access.warp * WARP + lane));
    lanes[lane] = {
      lane,
      thread,
      byte: String(offset),
      element: elementText(array, offset),
      place: placeText(accessedArray(array, site), offset)
    };
  }
  return lanes;
}

/** `x[3]`, `a[1][2]`; without known lengths the number of the element in memory. */
function elementText({ name, bytes, shape }: LaunchArray, offset: number): string {
  const number = offset / bytes;
  const [x = 1, y = 1, z = 1] = (shape ?? []).toReversed();
  const index =
    shape?.length === 2 || shape?.length === 3
      ? positionIn([x, y, z], number).slice(0, shape.length).reverse()
      : [number];
  return shape === null || shape.length > 3 ? `${name} + ${number}` : `${name}[${index.join('][')}]`;
}

function placeText(array: LaunchArray, offset: number): string {
  if (array.space === 'shared')
    return __(
      'bank %1',
      wordsOf(array, offset)
        .map(word => word % BANKS)
        .join(', ')
    );
  return __('sector %1', Math.floor((sectorOf(array, offset) * SECTOR - array.base) / SECTOR));
}

const laneText = ({ lane, thread, byte, element: name, place }: Lane): string =>
  __('Lane %1, thread %2: byte %3, element %4, %5', lane, thread, byte, name, place);
