/** How many elements lie in each part of a range, counted on the device; what has no place in it is counted apart. */

import type { ArrayDescription } from '../../../../src/description/schema.ts';
import type { HistogramDescription } from '../../../../src/description/statistics-schema.ts';
import { createButton, createCheck, createField } from '../controls.ts';
import { createKeyedList, element, setAttribute, setText } from '../dom.ts';
import { nextCell } from '../grid-keys.ts';
import { formatBytes, formatCount } from './format.ts';
import { createLook } from './look.ts';
import type { PanelContext } from './panel.ts';
import { isHistogram } from './read-description.ts';
import type { LookPanel } from './values-panel.ts';
import type { Channel } from '../view.ts';

interface Bin {
  readonly index: number;
  readonly count: number;
  readonly range: string;
}

export function createHistogramPanel({ phrases }: PanelContext, channel: Channel | undefined): LookPanel {
  let shown: HistogramDescription | undefined;
  let told = false;
  let bins: readonly Bin[] = [];
  let cursor = 0;
  let range: { readonly low: number; readonly high: number } | undefined;

  const logarithmic = createCheck(phrases.__('Logarithmic'), () => draw());
  const low = createField(phrases.__('From'), { size: '9' }, () => setRange());
  const high = createField(phrases.__('to'), { size: '9' }, () => setRange());
  const reset = createButton(
    phrases.__('Whole range'),
    phrases.__('From the least to the greatest value'),
    () => {
      low.input.value = '';
      high.input.value = '';
      range = undefined;
      look.ask();
    }
  );
  const look = createLook({
    phrases,
    channel,
    method: 'histogram',
    parameters: () => ({ ...range }),
    show: ({ content }) => {
      if (!isHistogram(content)) return;
      told = true;
      show(content);
    }
  });
  const tools = element('div', { class: 'stridelab-tools' }, low.element, high.element, reset);
  const bars = element('div', {
    class: 'stridelab-histogram',
    role: 'group',
    'aria-label': phrases.__('Histogram'),
    'data-lm-suppress-shortcuts': 'true'
  });
  const most = element('span', { class: 'stridelab-most' });
  const ends = [element('span'), element('span')] as const;
  const axis = element('div', { class: 'stridelab-axis', 'aria-hidden': 'true' }, ...ends);
  const readout = element('p', { class: 'stridelab-readout' });
  const apart = element('ul', { class: 'stridelab-apart' });
  const caption = element('caption');
  const body = element('tbody');
  const table = element(
    'table',
    { class: 'stridelab-table stridelab-facts' },
    caption,
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        ...[phrases.__('Values'), phrases.__('Elements')].map(text => element('th', { scope: 'col' }, text))
      )
    ),
    body
  );
  const details = element('details', {}, element('summary', {}, phrases.__('As a table')), table);
  details.addEventListener('toggle', () => drawTable());
  const chart = element(
    'div',
    {},
    element('div', { class: 'stridelab-chart' }, logarithmic.element, most, bars, axis),
    readout,
    apart,
    details
  );
  const empty = element('p', { class: 'stridelab-empty' });

  const updateBars = createKeyedList<Bin>(
    bars,
    bin => String(bin.index),
    () => {
      const bar = element('span', { role: 'img' }, element('span'));
      return {
        element: bar,
        update({ index, count, range: name }) {
          setAttribute(bar, 'aria-label', phrases.__('%1: %2 elements', name, formatCount(count)));
          setAttribute(bar, 'data-some', count > 0 ? '' : null);
          bar.tabIndex = index === cursor ? 0 : -1;
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
  const updateRows = createKeyedList<Bin>(
    body,
    bin => String(bin.index),
    () => {
      const heading = element('th', { scope: 'row', class: 'stridelab-key' });
      const value = element('td', { class: 'stridelab-number' });
      return {
        element: element('tr', {}, heading, value),
        update({ range: name, count }) {
          setText(heading, name);
          setText(value, formatCount(count));
        }
      };
    }
  );

  function heightOf(count: number): number {
    const largest = Math.max(...bins.map(bin => bin.count), 1);
    return logarithmic.input.checked ? Math.log1p(count) / Math.log1p(largest) : count / largest;
  }
  function setRange(): void {
    if (low.input.value === '' || high.input.value === '') return;
    range = { low: Number(low.input.value), high: Number(high.input.value) };
    look.ask();
  }
  const place = (to: number, focus: boolean): void => {
    const bar = bars.children[to] as HTMLElement | undefined;
    for (const other of bars.querySelectorAll<HTMLElement>('[tabindex="0"]')) other.tabIndex = -1;
    if (!bar) return;
    cursor = to;
    bar.tabIndex = 0;
    if (focus) bar.focus();
    setText(readout, bar.getAttribute('aria-label') ?? '');
  };
  const barOf = (target: EventTarget | null): number =>
    [...bars.children].findIndex(bar => bar.contains(target as Node));
  bars.addEventListener('focusin', event => place(barOf(event.target), false));
  bars.addEventListener('pointerover', event => {
    const at = barOf(event.target);
    if (at >= 0) setText(readout, bars.children[at]?.getAttribute('aria-label') ?? '');
  });
  bars.addEventListener('keydown', event => {
    const to = nextCell(event, [0, cursor], { height: 1, width: bins.length, page: 0 });
    if (!to) return;
    event.preventDefault();
    event.stopPropagation();
    place(to[1], true);
  });

  function show(histogram: HistogramDescription): void {
    shown = histogram;
    bins = binsOf(histogram);
    cursor = Math.max(0, Math.min(cursor, bins.length - 1));
    draw();
    drawTable();
  }
  function draw(): void {
    if (!shown) return;
    updateBars(bins);
    const { low: from, width, counts, whole } = shown;
    const largest = Math.max(...counts, 0);
    setText(most, phrases.__('highest bar: %1 elements, %2 bins', formatCount(largest), counts.length));
    setText(ends[0], counts.length === 0 ? '' : shortNumber(from));
    setText(ends[1], counts.length === 0 ? '' : shortNumber(from + width * counts.length - (whole ? 1 : 0)));
    const { below, above, nan, positiveInfinity, negativeInfinity, masked } = shown;
    const names: readonly (readonly [string, number])[] = [
      [phrases.__('below'), below],
      [phrases.__('above'), above],
      ['NaN', nan],
      ['−∞', negativeInfinity],
      ['+∞', positiveInfinity],
      [phrases.__('masked'), masked]
    ];
    updateApart(names.filter(([, count]) => count > 0));
    place(cursor, false);
  }
  function drawTable(): void {
    if (!shown) return;
    setText(
      caption,
      phrases.__('Counted on %1; %2 copied to the host', shown.stream, formatBytes(shown.copiedBytes))
    );
    if (details.open) updateRows(bins);
  }

  return {
    element: element('div', {}, tools, look.element, chart, empty),
    opened: () => look.ask(),
    dispose: () => look.dispose(),
    update(array, connected) {
      look.update(array, connected);
      const { statistics } = array;
      // The small one of the picture, until the kernel has told the large one.
      const small = statistics.state === 'measured' ? statistics.histogram : undefined;
      if (small && !(look.live && told)) show(small);
      tools.hidden = !look.live;
      const has = array.lifetime === 'live' && shown !== undefined;
      chart.hidden = !has;
      empty.hidden = has;
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
    const from = low + index * width;
    const to = from + width;
    const last = index === counts.length - 1;
    const range =
      width === 0 || (whole && width === 1)
        ? shortNumber(from)
        : whole
          ? `${shortNumber(from)} … ${shortNumber(to - 1)}`
          : `[${shortNumber(from)}, ${shortNumber(to)}${last ? ']' : ')'}`;
    return { index, count, range };
  });
}
