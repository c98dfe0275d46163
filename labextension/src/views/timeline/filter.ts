/** Filter that highlights records: a text that they must contain, and the kinds chosen in the legend. */

import { createButton } from '../kit/controls.ts';
import { element, part, setAttribute, setText } from '../kit/dom.ts';
import { ALLOCATION, FREE, SHOWN_KINDS, type KindStyles } from './kinds.ts';
import type { Records } from './records.ts';
import { __ } from '../kit/phrases.ts';

const [WIDTH, HEIGHT] = [20, 12];

export function createFilter(records: Records, words: readonly string[], changed: () => void) {
  let matches = new Uint8Array();
  /** Revision of the records when the filter was last applied. */
  let revision = 0;
  const name = __('Filter by name, label, cell');
  const search = element('input', {
    class: 'button',
    type: 'search',
    placeholder: name,
    size: '24',
    'aria-label': name
  });
  const apply = (): void => {
    const wanted = search.value.trim().toLowerCase();
    ({ revision } = records);
    matches = Uint8Array.from(records.facts, ({ kind, name: title, cell, array, labels }) => {
      const text = [title, words[kind], cell, array, ...labels].join('\n').toLowerCase();
      return Number(legend.isOn(kind === FREE ? ALLOCATION : kind) && text.includes(wanted));
    });
  };
  const filtered = (): void => {
    apply();
    changed();
  };
  const legend = createLegend(__('Kinds: press one to dim it'), words, filtered);
  search.addEventListener('input', filtered);
  return {
    elements: [legend.element, search] as readonly HTMLElement[],
    /** Indexed like facts: 1 if they pass. */
    get matches(): Uint8Array {
      return matches;
    },
    /** Applies the filter to changed records and updates the legend's counts. */
    update(): void {
      if (matches.length !== records.facts.length || revision !== records.revision) apply();
      const counts = words.map(() => 0);
      for (const kind of records.kinds) counts[kind === FREE ? ALLOCATION : kind]! += 1;
      legend.update(counts);
    },
    restyled: legend.draw
  };
}

function createLegend(label: string, words: readonly string[], changed: () => void) {
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
