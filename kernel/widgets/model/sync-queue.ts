/**
 * Changes on their way to the page: those of one tick leave as one update per widget. A loop that never yields
 * still shows its progress, for what has waited a while leaves with the next change.
 */

const PATIENCE_MS = 40;

export interface Syncing {
  /** Sends what changed. */
  sendChanges(): void;
}

const waiting = new Set<Syncing>();
let since = 0;

export function queueSync(widget: Syncing): void {
  if (waiting.size === 0) {
    since = performance.now();
    queueMicrotask(flushSync);
  }
  waiting.add(widget);
  if (performance.now() - since > PATIENCE_MS) flushSync();
}

/** Sends all changes now; called before anything whose order against them matters. */
export function flushSync(): void {
  for (const widget of waiting) {
    // Removed first: a sender that fails is not asked again.
    waiting.delete(widget);
    widget.sendChanges();
  }
}
