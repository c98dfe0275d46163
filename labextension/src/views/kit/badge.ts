/** A short word with a sign before it; the sign conveys the meaning of the colour without colour. */

import { element, part, setAttribute, setText } from './dom.ts';

const SIGNS = {
  live: '●',
  freed: '⊘',
  snapshot: '◷',
  disconnected: '◌',
  simulated: '◇',
  idle: '○',
  busy: '◐',
  destroyed: '⊘',
  lost: '✕',
  ok: '✓',
  note: 'i',
  violation: '✕',
  exported: '↗'
} as const;
export type BadgeKind = keyof typeof SIGNS;

export interface Badge {
  readonly element: HTMLElement;
  /** Shows a kind and word; a false kind hides the badge. */
  show(kind: BadgeKind | false, word?: string, title?: string): void;
}

/** Creates a badge. `name` is an additional class. */
export function createBadge(name = ''): Badge {
  const sign = element('span', { 'aria-hidden': 'true', class: 'badge-sign' });
  const label = element('span');
  const badge = part('span', `badge ${name}`, sign, label);
  return {
    element: badge,
    show(kind, word = '', title) {
      badge.hidden = kind === false;
      if (kind === false) return;
      setAttribute(badge, 'data-kind', kind);
      setAttribute(badge, 'title', title ?? null);
      setText(sign, SIGNS[kind]);
      setText(label, word);
    }
  };
}
