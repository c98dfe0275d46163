/** Minimum, maximum, mean and a small histogram under the header, with NaN and infinities highlighted; or why they are missing. */

import type { HistogramDescription } from '../../../../src/pictures/array/statistics-schema.ts';
import { createBadge } from '../kit/badge.ts';
import { createButton } from '../kit/controls.ts';
import { element, part, type Part, setAttribute, setText } from '../kit/dom.ts';
import type { ChangeMarks } from '../kit/change-marks.ts';
import type { Panel } from './panel/panel.ts';
import type { Frame } from '../kit/framed.ts';
import { formatCount, __ } from '../kit/phrases.ts';

export function createStatisticsLine(marks: ChangeMarks, frame: Frame): Panel {
  const facts = (['min', 'max', 'mean'] as const).map(name => {
    const value = part('span', 'value');
    const fact = part('span', 'stat', element('span', {}, name), value);
    return { name, value, fact };
  });
  const bars = createBars();
  const nan = createBadge();
  const infinite = createBadge();
  const note = part('span', 'muted');
  const measure = createButton(
    __('Measure'),
    __('Reduce all values on the device, after the pending work'),
    () => {
      setText(note, __('Measuring on the device…'));
      frame.channel?.request('measure').catch((error: unknown) => setText(note, (error as Error).message));
    }
  );
  const line = part(
    'div',
    'statistics',
    part('span', 'strip-title', __('Values')),
    ...facts.map(({ fact }) => fact),
    bars,
    nan,
    infinite,
    note,
    ...(frame.channel ? [measure] : [])
  );
  return {
    element: line,
    update({ statistics, lifetime }) {
      const measured = statistics.state === 'measured' ? statistics : undefined;
      const isLive = frame.channel !== undefined && frame.connected && lifetime === 'live';
      measure.hidden =
        !isLive || !(measured?.stale ?? (statistics.state === 'missing' && statistics.measurable));
      line.hidden = lifetime === 'freed';
      const texts = { min: measured?.minimum, max: measured?.maximum, mean: measured?.mean };
      for (const { name, value, fact } of facts) {
        fact.hidden = !measured || (texts[name] ?? null) === null;
        marks.write(value, texts[name] ?? '', name);
      }
      bars.update(measured?.histogram);
      const lost = measured?.histogram;
      loud(nan, lost?.nan ?? 0, 'NaN', __('Elements that are not a number'));
      const infinities = (lost?.positiveInfinity ?? 0) + (lost?.negativeInfinity ?? 0);
      loud(
        infinite,
        infinities,
        'Inf',
        __('+∞: %1, −∞: %2', lost?.positiveInfinity ?? 0, lost?.negativeInfinity ?? 0)
      );
      const words = statistics.state === 'missing' ? statistics.reason : statistics.note;
      setText(note, measured?.stale ? __('measured before the last use') : words);
    }
  };
}

function loud(badge: ReturnType<typeof createBadge>, count: number, word: string, title: string): void {
  badge.show(count > 0 && 'violation', `${formatCount(count)} ${word}`, title);
}

type Bars = Part<[histogram: HistogramDescription | undefined]>;

function createBars(): Bars {
  const bars = element('span', { class: 'bars', role: 'img' });
  return {
    element: bars,
    update(histogram) {
      const counts = histogram?.counts ?? [];
      bars.hidden = counts.length < 2;
      const most = Math.max(...counts, 1);
      while (bars.children.length > counts.length) bars.lastChild?.remove();
      for (const [index, count] of counts.entries()) {
        const bar = (bars.children[index] ?? bars.appendChild(element('span'))) as HTMLElement;
        bar.style.height = `${(100 * count) / most}%`;
      }
      const label = __('Elements in %1 equal parts: %2', counts.length, counts.join(', '));
      setAttribute(bars, 'aria-label', label);
      setAttribute(bars, 'title', label);
    }
  };
}
