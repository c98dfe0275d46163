/** Tooltip of the bar under the pointer, or of the one selected with keys. */

import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { formatDuration } from '../../../../src/base/time-text.ts';
import { element, setText, setLine } from '../kit/dom.ts';
import type { Pick, Scene } from './draw.ts';
import { GUTTER } from './layout.ts';
import type { Entry, Records } from './records.ts';
import { formatRate, formatTime } from './time.ts';
import { __ } from '../kit/phrases.ts';

/** Distance between a point and the tooltip, in CSS pixels. */
const AWAY = 14;

export function createTooltip(signal: AbortSignal, records: Records, words: readonly string[]) {
  const name = element('strong');
  const lines = [element('div'), element('div'), element('div')];
  const tip = element('div', { class: 'trace-tooltip', role: 'tooltip', hidden: '' }, name, ...lines);
  const onKey = ({ key }: KeyboardEvent): void => {
    if (key === 'Escape') hide();
  };
  const hide = (): void => {
    tip.hidden = true;
    document.removeEventListener('keydown', onKey, true);
  };
  const show = (number: number, x: number, y: number): void => {
    const slot = records.slotOf(number);
    if (slot === undefined) return hide();
    const entry = records.entryAt(slot);
    setText(name, entry.name);
    for (const [index, text] of textsOf(entry, words).entries()) setLine(lines[index]!, text);
    tip.hidden = false;
    document.addEventListener('keydown', onKey, true);
    const { offsetWidth: width, offsetHeight: height, offsetParent: frame } = tip;
    const [right, bottom] = [frame?.clientWidth ?? 0, frame?.clientHeight ?? 0];
    tip.style.left = `${Math.max(0, Math.min(x + AWAY, right - width))}px`;
    // Above the point if there is no room below.
    tip.style.top = `${y + AWAY + height > bottom && y > AWAY + height ? y - AWAY - height : y + AWAY}px`;
  };
  signal.addEventListener('abort', hide);
  return {
    element: tip,
    show,
    showBar({ number, row }: Pick, { layout, from, to, top }: Scene, width: number): void {
      const slot = records.slotOf(number);
      const laid = layout.rows.findLast(each =>
        row === undefined ? each.row.slots.includes(slot!) : each.key === row
      );
      const index = laid?.row.slots.indexOf(slot!) ?? -1;
      if (laid === undefined || index < 0) return hide();
      const scale = (width - GUTTER) / (to - from);
      const middle = (laid.row.starts[index]! + laid.row.ends[index]!) / 2;
      const x = GUTTER + (Math.max(from, Math.min(middle, to)) - from) * scale;
      show(number, x, laid.y + laid.height / 2 - top);
    },
    hide
  };
}

/** Lines of the tooltip: kind and stream; start and duration; size and rate. */
function textsOf(entry: Entry, words: readonly string[]): [string, string, string] {
  const { kind, lane, host, bytes } = entry;
  const where = lane === undefined ? host?.name : `${lane.name}, ${lane.device}`;
  const [start, duration] = Number.isNaN(entry.start)
    ? [entry.submitted, entry.submitDuration]
    : [entry.start, entry.duration];
  return [
    [words[kind], where].filter(Boolean).join(' · '),
    __('Start %1, duration %2', formatTime(start, 1), formatDuration(duration)),
    bytes > 0 ? [formatBytes(bytes), formatRate(bytes, duration)].filter(Boolean).join(', ') : ''
  ];
}
