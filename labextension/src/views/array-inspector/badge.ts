/** A small word with a sign before it; the sign repeats what the colour says, for those who do not see it. */

import { element, part, setAttribute, setText } from '../dom.ts';

export type BadgeKind =
  | 'live'
  | 'freed'
  | 'snapshot'
  | 'disconnected'
  | 'simulated'
  | 'idle'
  | 'busy'
  | 'destroyed'
  | 'lost'
  | 'ok'
  | 'note'
  | 'violation'
  | 'exported';

const SIGNS: Readonly<Record<BadgeKind, string>> = {
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
};

export interface Badge {
  readonly element: HTMLElement;
  show(kind: BadgeKind, word: string, title?: string): void;
  hide(): void;
}

export function createBadge(): Badge {
  const sign = element('span', { 'aria-hidden': 'true', class: 'stridelab-badge-sign' });
  const label = element('span');
  const badge = part('span', 'badge', sign, label);
  return {
    element: badge,
    show(kind, word, title) {
      badge.hidden = false;
      setAttribute(badge, 'data-kind', kind);
      setAttribute(badge, 'title', title ?? null);
      setText(sign, SIGNS[kind]);
      setText(label, word);
    },
    hide() {
      badge.hidden = true;
    }
  };
}
