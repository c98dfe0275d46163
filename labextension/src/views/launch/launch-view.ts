/** A launch: the source of the kernel with what each line costs, and for one warp which memory its lanes access. */

import {
  LAUNCH_PICTURE_VERSION,
  type AccessSite,
  type LaunchPicture
} from '../../../../src/pictures/launch/schema.ts';
import { costText, shapeText, siteName, summaryTexts } from '../../../../src/pictures/launch/words.ts';
import { createKeyedList, element, part, setText } from '../kit/dom.ts';
import { framedView } from '../kit/framed.ts';
import { createItemTable } from '../kit/item-table.ts';
import { formatCount, __ } from '../kit/phrases.ts';
import { createSourceList } from './source-list.ts';
import { createWarpPanel } from './warp-panel.ts';

export const createLaunchView = framedView<LaunchPicture>('launch', LAUNCH_PICTURE_VERSION, ({ state }) => {
  let shown: LaunchPicture | undefined;
  const name = element('strong');
  const shape = part('span', 'fact');
  const device = part('span', 'device');
  const summary = part('div', 'strip');
  const showSummary = createLines(summary, 'span');
  const faults = part('ul', 'launch-faults');
  const showFaults = createLines(faults, 'li');
  const panel = createWarpPanel();
  const source = createSourceList(row => {
    if (shown !== undefined) panel.update(shown, row);
  });
  const table = createItemTable<AccessSite>(
    'facts',
    '',
    site => `${site.row} ${site.column} ${site.kind} ${site.array}`,
    [
      [__('Line'), ({ row }) => String(shown?.rows[row]?.line ?? ''), 'number'],
      [__('Access'), site => (shown === undefined ? '' : siteName(shown, site))],
      [__('Warps'), ({ warps }) => formatCount(warps), 'number'],
      [__('Times'), ({ runs }) => formatCount(runs), 'number'],
      [__('Lanes'), ({ lanes }) => formatCount(lanes), 'number'],
      [__('Sectors or passes'), ({ units }) => formatCount(units), 'number'],
      [__('At least'), ({ least }) => formatCount(least), 'number'],
      [__('For a warp'), site => (shown === undefined ? '' : costText(shown, site))]
    ]
  );
  const details = element(
    'details',
    {},
    element('summary', {}, __('All accesses as a table')),
    part('div', 'launch-scroller', table)
  );

  return {
    elements: [
      part('div', 'header', name, shape, device, state),
      summary,
      faults,
      part('div', 'launch-columns', source, panel),
      details
    ],
    label: ({ kernel }) => __('Launch of %1', kernel),
    draw(picture) {
      // The launch is over, so only another run has another picture; a chosen line stays chosen.
      if (picture === shown) return;
      shown = picture;
      setText(name, picture.kernel);
      setText(shape, shapeText(picture));
      setText(device, picture.simulated ? __('%1 (simulated)', picture.device) : picture.device);
      const hasFaults = picture.faults.length > 0;
      state.show(
        hasFaults ? 'violation' : 'ok',
        hasFaults ? __('faults') : __('checked'),
        __('The launch ran with all checks, on copies of its arrays')
      );
      showSummary(summaryTexts(picture));
      showFaults(picture.faults.map(({ message }) => message));
      faults.hidden = !hasFaults;
      source.update(picture);
      details.hidden = picture.sites.length === 0;
      table.update(picture.sites);
    }
  };
});

function createLines(list: HTMLElement, tag: 'li' | 'span'): (texts: readonly string[]) => void {
  return createKeyedList<string>(
    list,
    text => text,
    text => ({ element: element(tag, {}, text), update: () => undefined })
  );
}
