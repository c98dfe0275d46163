/** Histogram of the elements, counted on the device; elements outside its range are counted separately. */

import 'stridelab-panels-style';
import type { ArrayDescription } from '../../../../src/pictures/array/schema.ts';
import type { HistogramDescription } from '../../../../src/pictures/array/statistics-schema.ts';
import { createField } from '../kit/controls.ts';
import { createKeyedList, element, part, setAttribute, setText } from '../kit/dom.ts';
import { nextCell, onKeys, rove } from '../kit/cursor.ts';
import { createItemTable } from '../kit/item-table.ts';
import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { createLook } from './look.ts';
import { createPinnedRange } from './pinned-range.ts';
import { checkHistogram } from './read-description.ts';
import type { Frame } from '../kit/framed.ts';
import type { LookPanel } from './panel/panel.ts';
import { formatCount, __ } from '../kit/phrases.ts';

interface Bin {
  readonly index: number;
  readonly count: number;
  readonly from: string;
  readonly to: string;
  readonly range: string;
}

export function createHistogramPanel(frame: Frame): LookPanel {
  let shown: HistogramDescription | undefined;
  let told = false;
  let bins: readonly Bin[] = [];
  let cursor = 0;

  const logarithmic = createField(__('Logarithmic'), { type: 'checkbox' }, () => draw());
  const range = createPinnedRange(() => look.ask());
  const look = createLook({
    frame,
    method: 'histogram',
    parameters: () => range.parameters,
    show({ content }) {
      checkHistogram(content, '');
      told = true;
      show(content as unknown as HistogramDescription);
    }
  });
  const tools = part('div', 'tools', ...range.elements, logarithmic);
  const bars = element('div', { class: 'histogram', role: 'group', 'aria-label': __('Histogram') });
  const most = part('span', 'muted');
  const ends = [element('span'), element('span')] as const;
  const readout = part('p', 'readout');
  const apart = part('ul', 'apart');
  const caption = element('caption', {}, __('Histogram'));
  const table = createItemTable<Bin>('bins', caption, bin => String(bin.index), [
    [__('Values'), bin => bin.range],
    [__('Elements'), bin => formatCount(bin.count), 'number']
  ]);
  const details = element('details', {}, element('summary', {}, __('As a table')), table);
  const chart = element(
    'div',
    {},
    part('div', 'counts', most, bars, part('div', 'axis', ...ends)),
    readout,
    range.sentence,
    apart,
    details
  );
  const empty = part('p', 'empty');

  const updateBars = createKeyedList<Bin>(
    bars,
    bin => String(bin.index),
    () => {
      const bar = element('span', { role: 'img', tabindex: '-1' }, element('span'));
      return {
        element: bar,
        update({ count, range: name }) {
          const told = count === 1 ? __('1 element') : __('%1 elements', formatCount(count));
          setAttribute(bar, 'aria-label', `${name}: ${told}`);
          setAttribute(bar, 'data-some', count > 0 ? '' : null);
          (bar.firstElementChild as HTMLElement).style.height = `${100 * heightOf(count)}%`;
        }
      };
    }
  );
  const updateApart = createKeyedList<readonly [string, number]>(
    apart,
    ([name]) => name,
    () => {
      const item = element('li');
      return {
        element: item,
        update: ([name, count]) => void setText(item, `${name}: ${formatCount(count)}`)
      };
    }
  );
  function heightOf(count: number): number {
    const largest = Math.max(...bins.map(bin => bin.count), 1);
    return logarithmic.input.checked ? Math.log1p(count) / Math.log1p(largest) : count / largest;
  }
  const place = (to: number, focus: boolean): void => {
    cursor = to;
    rove(bars, bars.children[to] as HTMLElement | undefined, focus);
    read(to);
  };
  const read = (at: number): void => {
    const label = bars.children[at]?.getAttribute('aria-label');
    if (label) setText(readout, label);
  };
  const barOf = (target: EventTarget | null): number =>
    [...bars.children].findIndex(bar => bar.contains(target as Node));
  bars.addEventListener('focusin', event => place(barOf(event.target), false));
  bars.addEventListener('pointerover', event => read(barOf(event.target)));
  onKeys(bars, event => {
    const to = nextCell(event, [0, cursor], { height: 1, width: bins.length, page: 0 });
    if (to) place(to[1], true);
    return to !== undefined;
  });

  function show(histogram: HistogramDescription): void {
    shown = histogram;
    range.show(histogram);
    bins = binsOf(histogram);
    cursor = Math.max(0, Math.min(cursor, bins.length - 1));
    draw();
  }
  function draw(): void {
    if (!shown) return;
    updateBars(bins);
    table.update(bins);
    const { counts, below, above, nan, positiveInfinity, negativeInfinity, masked, stream } = shown;
    setText(
      most,
      __('Bins: %1; elements in the largest: %2', counts.length, formatCount(Math.max(0, ...counts)))
    );
    setText(ends[0], bins[0]?.from ?? '');
    setText(ends[1], bins.at(-1)?.to ?? '');
    const names: readonly (readonly [string, number])[] = [
      [__('below'), below],
      [__('above'), above],
      ['NaN', nan],
      ['−∞', negativeInfinity],
      ['+∞', positiveInfinity],
      [__('masked'), masked]
    ];
    updateApart(names.filter(([, count]) => count > 0));
    setText(caption, __('Counted on %1; %2 copied to the host', stream, formatBytes(shown.copiedBytes)));
    place(cursor, false);
  }

  return {
    element: element('div', {}, tools, look, chart, empty),
    opened: () => look.open(),
    update(array) {
      look.update(array);
      const { statistics } = array;
      // Show the picture's small histogram until the kernel has sent the large one.
      const small = statistics.state === 'measured' ? statistics.histogram : undefined;
      if (small && !(told && (look.live || range.isPinned))) show(small);
      tools.hidden = !look.live;
      const has = array.lifetime === 'live' && shown !== undefined;
      chart.hidden = !has;
      empty.hidden = has || look.live;
      setText(empty, reasonOf(array));
    }
  };
}

function reasonOf({ statistics }: ArrayDescription): string {
  return statistics.state === 'missing' ? statistics.reason : '';
}

function shortNumber(value: number): string {
  return String(Number(value.toPrecision(6)));
}

function binsOf({ counts, low, width, whole }: HistogramDescription): Bin[] {
  return counts.map((count, index) => {
    const from = shortNumber(low + index * width);
    const to = shortNumber(low + (index + 1) * width - (whole ? 1 : 0));
    const end = index === counts.length - 1 ? ']' : ')';
    const range = from === to ? from : whole ? `${from} … ${to}` : `[${from}, ${to}${end}`;
    return { index, count, from, to, range };
  });
}
