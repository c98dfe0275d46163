/** The streams in one line under the header, so that their state is seen whichever tab is open. */

import type { StreamUseDescription } from '../../../../src/pictures/array/schema.ts';
import { createBadge } from '../kit/badge.ts';
import { createKeyedList, element, part, setText } from '../kit/dom.ts';
import type { KeyedChild } from '../kit/dom.ts';
import type { Panel, PanelContext } from './panel/panel.ts';
import { stateWord, streamKey } from './streams-panel.ts';

/** More streams than this would push the tables down; the newest are shown, and the rest are counted. */
const SHOWN_STREAMS = 4;

export function createStreamStrip(context: PanelContext): Panel {
  const { phrases } = context;
  const list = element('ul', { class: 'stream-list', 'aria-label': phrases.__('Streams') });
  const rest = part('span', 'muted');
  const empty = part('span', 'muted');
  const updateList = createKeyedList(list, streamKey, () => createEntry(context));
  return {
    element: part('div', 'strip', part('span', 'strip-title', phrases.__('Streams')), list, rest, empty),
    update({ streams, lifetime }) {
      setText(
        empty,
        lifetime === 'freed' ? phrases.__('none: the memory was freed') : phrases.__('none yet')
      );
      const shown = streams.slice(-SHOWN_STREAMS);
      updateList(shown);
      list.hidden = shown.length === 0;
      empty.hidden = shown.length > 0;
      const hiddenCount = streams.length - shown.length;
      rest.hidden = hiddenCount === 0;
      setText(rest, phrases.__('and %1 older', hiddenCount));
    }
  };
}

function createEntry({ phrases }: PanelContext): KeyedChild<StreamUseDescription> {
  const label = part('span', 'stream-label');
  const badge = createBadge();
  const detail = part('span', 'muted');
  return {
    element: element('li', {}, label, badge.element, detail),
    update(use) {
      setText(label, use.label);
      badge.show(use.state, stateWord(use.state, phrases));
      const access = use.access === 'write' ? phrases.__('write') : phrases.__('read');
      setText(detail, use.exported ? phrases.__('%1, exported', access) : access);
    }
  };
}
