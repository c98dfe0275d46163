/** Queues changes for the page: one update per widget and tick. In a loop that never yields, updates are sent after a short delay. */

const PATIENCE_MS = 40;

export interface Syncing {
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

/** Sends all changes now; called before anything whose order relative to them matters. */
export function flushSync(): void {
  for (const widget of waiting) {
    // Removed first, so that a sender that fails is not called again.
    waiting.delete(widget);
    widget.sendChanges();
  }
}
