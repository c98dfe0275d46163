/** Legend of the kinds, which is also the filter by kind. */

import { element, part, setAttribute, setText } from '../kit/dom.ts';
import { createButton } from '../kit/controls.ts';
import { SHOWN_KINDS, type KindStyles } from './kinds.ts';

const [WIDTH, HEIGHT] = [20, 12];

export function createLegend(label: string, words: readonly string[], changed: () => void) {
  const off = new Set<number>();
  const items = SHOWN_KINDS.map(kind => {
    // At double resolution.
    const sample = element('canvas', {
      'aria-hidden': 'true',
      width: `${2 * WIDTH}`,
      height: `${2 * HEIGHT}`
    });
    const count = part('span', 'muted');
    const toggle = createButton('', '', () => {
      if (!off.delete(kind)) off.add(kind);
      setAttribute(toggle, 'aria-pressed', String(!off.has(kind)));
      changed();
    });
    setAttribute(toggle, 'aria-pressed', 'true');
    toggle.append(sample, words[kind]!, ' ', count);
    return { kind, toggle, sample, count };
  });
  return {
    element: element(
      'div',
      { class: 'trace-legend', role: 'group', 'aria-label': label },
      ...items.map(({ toggle }) => toggle)
    ),
    /** Shows the number of records of each kind; kinds without records are hidden. */
    update(counts: readonly number[]): void {
      for (const { kind, toggle, count } of items) {
        toggle.hidden = !counts[kind];
        setText(count, String(counts[kind]));
      }
    },
    /** Redraws the samples. */
    draw(styles: KindStyles): void {
      for (const { kind, sample } of items) {
        const context = sample.getContext('2d');
        if (context === null) continue;
        context.setTransform(2, 0, 0, 2, 0, 0);
        context.clearRect(0, 0, WIDTH, HEIGHT);
        styles.fill(context, kind, 1, { x: 0, y: 0, width: WIDTH, height: HEIGHT });
      }
    },
    isOn: (kind: number): boolean => !off.has(kind)
  };
}
