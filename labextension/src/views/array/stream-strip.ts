/** The streams in one line under the header, visible whichever tab is open. */

import type { StreamUseDescription } from '../../../../src/pictures/array/schema.ts';
import { createBadge } from '../kit/badge.ts';
import { createKeyedList, element, part, setLine, setText, type Part } from '../kit/dom.ts';
import type { Panel } from './panel/panel.ts';
import { stateWord, streamKey } from './streams-panel.ts';
import { __ } from '../kit/phrases.ts';

/** Maximum number of streams shown, so that they do not push the tables down; the newest are shown, the rest counted. */
const SHOWN_STREAMS = 4;

export function createStreamStrip(): Panel {
  const list = element('ul', { class: 'stream-list', 'aria-label': __('Streams') });
  const rest = part('span', 'muted');
  const empty = part('span', 'muted');
  const updateList = createKeyedList(list, streamKey, createEntry);
  return {
    element: part('div', 'strip', part('span', 'strip-title', __('Streams')), list, rest, empty),
    update({ streams, lifetime }) {
      const shown = streams.slice(-SHOWN_STREAMS);
      const none = lifetime === 'freed' ? __('none: the memory was freed') : __('none yet');
      updateList(shown);
      list.hidden = shown.length === 0;
      setLine(empty, list.hidden ? none : '');
      const older = streams.length - shown.length;
      setLine(rest, older > 0 ? __('and %1 older', older) : '');
    }
  };
}

function createEntry(): Part<[StreamUseDescription]> {
  const label = part('span', 'stream-label');
  const badge = createBadge();
  const detail = part('span', 'muted');
  return {
    element: element('li', {}, label, badge, detail),
    update(use) {
      setText(label, use.label);
      badge.show(use.state, stateWord(use.state));
      const access = use.access === 'write' ? __('write') : __('read');
      setText(detail, use.exported ? __('%1, exported', access) : access);
    }
  };
}
