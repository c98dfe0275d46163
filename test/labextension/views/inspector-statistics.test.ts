/** Statistics of an array: its histogram, and the figures under the header. */

import { createHistogramPanel } from '../../../labextension/src/views/array/histogram-panel.ts';
import { createStatisticsLine } from '../../../labextension/src/views/array/statistics-line.ts';
import type { ArrayDescription } from '../../../src/pictures/array/schema.ts';
import type { HistogramDescription } from '../../../src/pictures/array/statistics-schema.ts';
import { until } from '../../setup/until.ts';
import { live, measured, unmeasured, zeroSize } from '../fixtures.ts';
import {
  all,
  button,
  frame,
  still,
  marks,
  enter,
  host,
  inPanel,
  kernel,
  one,
  open,
  press,
  settle,
  text,
  visible
} from './inspector-panel.ts';

inPanel();

describe('histogram', () => {
  const counted: HistogramDescription = {
    ...measured.histogram,
    counts: [3, 0, 1000],
    low: -1,
    width: 0.5,
    nan: 7,
    below: 2
  };
  beforeEach(() => (kernel.answer = () => ({ ...counted })));

  test('bars announce range and count to the keyboard, and a table lists all', async () => {
    await open(createHistogramPanel(frame), live);
    const bars = all('.stridelab-histogram > span');
    expect(bars.map(bar => bar.getAttribute('aria-label'))).toEqual([
      '[-1, -0.5): 3 elements',
      '[-0.5, 0): 0 elements',
      '[0, 0.5]: 1,000 elements'
    ]);
    bars[0]?.focus();
    press('End');
    expect(document.activeElement).toBe(bars[2]);
    expect(text('.stridelab-readout')).toBe('[0, 0.5]: 1,000 elements');
    press('ArrowLeft');
    expect(bars.map(bar => bar.tabIndex)).toEqual([-1, 0, -1]);
    expect(all('tbody tr').map(row => row.textContent)).toEqual([
      '[-1, -0.5)3',
      '[-0.5, 0)0',
      '[0, 0.5]1,000'
    ]);
    expect(all('.stridelab-apart li').map(item => item.textContent)).toEqual(['below: 2', 'NaN: 7']);
  });

  test('a logarithmic scale keeps order and zero', async () => {
    await open(createHistogramPanel(frame), live);
    const heights = (): number[] =>
      all('.stridelab-histogram > span > span').map(bar => parseFloat(bar.style.height));
    expect(heights()).toEqual([0.3, 0, 100]);
    enter('Logarithmic', 'on');
    const [some, none, most] = heights();
    expect([none, most]).toEqual([0, 100]);
    expect(some).toBeCloseTo((100 * Math.log1p(3)) / Math.log1p(1000));
  });

  const pin = (): string | null => button('Pin range').getAttribute('aria-pressed');

  test('a pinned range is requested from then on, and the elements outside are counted', async () => {
    const panel = await open(createHistogramPanel(frame), live);
    expect(pin()).toBe('false');
    button('Pin range').click();
    await settle();
    expect(pin()).toBe('true');
    // No element of the displayed range lies outside, despite rounding.
    const { low, high } = kernel.asked.at(-1)!.parameters as { low: number; high: number };
    expect([low <= -1, high >= 0.5, high < 0.501]).toEqual([true, true, true]);
    kernel.answer = () => ({ ...counted, below: 1234, above: 5 });
    const used = { ...live, streams: live.streams.map(use => ({ ...use, sequence: 9 })) };
    panel.update(used);
    await until(() => text('[role=status]').includes('1,234'));
    expect(kernel.asked.at(-1)?.parameters).toEqual({ low, high });
    expect(text('[role=status]')).toBe(`Pinned from ${low} to ${high}: 1,234 elements below and 5 above.`);
    // Without the kernel the pinned axis stays too.
    frame.connected = false;
    panel.update(used);
    expect(all('.stridelab-histogram > span')).toHaveLength(3);
    frame.connected = true;
    panel.update(used);
    button('Pin range').click();
    await settle();
    expect([pin(), kernel.asked.at(-1)?.parameters]).toEqual(['false', {}]);
    expect(visible(one('[role=status]'))).toBe(false);
  });

  test('ends are typed: an empty one is the present end of the range', async () => {
    kernel.answer = () => ({ ...counted, whole: true, low: 0, width: 4, below: 0 });
    await open(createHistogramPanel(frame), live);
    enter('From', '-1');
    await settle();
    expect(kernel.asked.at(-1)).toEqual({ method: 'histogram', parameters: { low: -1, high: 11 } });
    enter('to', '2.5');
    await settle();
    expect([pin(), kernel.asked.at(-1)?.parameters]).toEqual(['true', { low: -1, high: 2.5 }]);
    expect(text('[role=status]')).toBe('Pinned from -1 to 2.5: no elements outside.');
    enter('From', '');
    await settle();
    expect(kernel.asked.at(-1)?.parameters).toEqual({ low: 0, high: 2.5 });
  });

  test('equal values are pinned with a margin around them', async () => {
    for (const [whole, low] of [
      [true, 7],
      [false, 0],
      [false, -2.5]
    ] as const) {
      host.replaceChildren();
      kernel.answer = () => ({ ...counted, counts: [4], width: whole ? 1 : 0, whole, low });
      await open(createHistogramPanel(frame), live);
      button('Pin range').click();
      await settle();
      const parameters = kernel.asked.at(-1)!.parameters as { low: number; high: number };
      expect(parameters.low).toBeLessThanOrEqual(low);
      expect(parameters.high).toBeGreaterThan(low);
    }
  });

  test('integers have bins of whole numbers', async () => {
    kernel.answer = () => ({ ...counted, whole: true, low: 0, width: 1 });
    await open(createHistogramPanel(frame), live);
    expect(all('tbody th').map(cell => cell.textContent)).toEqual(['0', '1', '2']);
    kernel.answer = () => ({ ...counted, whole: true, low: 0, width: 4 });
    await open(createHistogramPanel(frame), live);
    expect(all('tbody th').at(-1)?.textContent).toBe('8 … 11');
  });

  test('without a kernel the small histogram of the picture is shown; without one, the reason', async () => {
    await open(createHistogramPanel(still), live, false);
    expect(all('.stridelab-histogram > span')).toHaveLength(16);
    host.replaceChildren();
    await open(createHistogramPanel(still), zeroSize, false);
    expect(visible(one('.stridelab-histogram'))).toBe(false);
    expect(text('.stridelab-empty')).toBe('The array has no elements.');
  });

  test('an invalid answer changes nothing', async () => {
    kernel.answer = () => ({ counts: 'many' });
    await open(createHistogramPanel(frame), live);
    expect(all('.stridelab-histogram > span')).toHaveLength(16);
  });
});

describe('statistics under the header', () => {
  const show = (array: ArrayDescription, connected = true): void => {
    const line = createStatisticsLine(marks, frame);
    host.replaceChildren(line.element);
    frame.connected = connected;
    line.update(array);
  };

  test('extremes, mean, bars with a text, and the stream are shown', () => {
    show(live);
    expect(text('.stridelab-statistics')).toMatch(/min0max11mean5.5.*measured on stream #1, 192 B copied/);
    expect(one('.stridelab-bars').getAttribute('aria-label')).toContain('16 equal parts: 1, 1, 1, 0');
    expect(visible(button('Measure'))).toBe(false);
    expect(all('.stridelab-badge').filter(visible)).toEqual([]);
  });

  test('NaN and infinities are marked as violations', () => {
    const histogram = { ...measured.histogram, nan: 3, positiveInfinity: 1, negativeInfinity: 1 };
    show({ ...live, statistics: { ...measured, histogram } });
    expect(all('.stridelab-badge').map(badge => [badge.dataset['kind'], badge.textContent])).toEqual([
      ['violation', '✕3 NaN'],
      ['violation', '✕2 Inf']
    ]);
  });

  test('without a finite value there are no extremes', () => {
    const histogram = { ...measured.histogram, counts: [], nan: 12 };
    const nothing = { minimum: null, maximum: null, mean: null, note: 'no finite value' };
    show({ ...live, statistics: { ...measured, ...nothing, histogram } });
    expect(text('.stridelab-statistics')).toContain('no finite value');
    expect(all('.stridelab-stat').map(visible)).toEqual([false, false, false]);
    show({ ...live, statistics: { ...measured, mean: null } });
    expect(all('.stridelab-stat').map(visible)).toEqual([true, true, false]);
  });

  test('missing statistics have a reason; a click measures them', async () => {
    kernel.answer = () => ({});
    show({ ...live, statistics: unmeasured('Not measured unasked: it is large.', true) });
    expect(text('.stridelab-statistics')).toContain('Not measured unasked');
    button('Measure').click();
    await settle();
    expect(kernel.asked.map(({ method }) => method)).toEqual(['measure']);
    show({ ...live, statistics: unmeasured('No statistics: a record.', false) });
    expect(visible(button('Measure'))).toBe(false);
    show({ ...live, statistics: { ...measured, stale: true } });
    expect(text('.stridelab-statistics')).toContain('measured before the last use');
    expect(visible(button('Measure'))).toBe(true);
    show({ ...live, statistics: { ...measured, stale: true } }, false);
    expect(visible(button('Measure'))).toBe(false);
  });
});
