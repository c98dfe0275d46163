/** Sentences about several arrays: their number, what freeing them would free, and what was freed. */

import type { ArrayEntry, FreeOutcome } from '../../../src/pictures/arrays/schema.ts';
import { formatBytes } from '../../../src/base/bytes-text.ts';
import { nameOf } from './arrange.ts';
import { formatCount, __ } from '../views/kit/phrases.ts';

/** Maximum number of names in a sentence; further ones are counted. */
const LISTED = 8;

/** Describes what freeing `entries` would do; `all` are the notebook's arrays. */
export function sentences(entries: readonly ArrayEntry[], all: readonly ArrayEntry[]): string[] {
  const chosen = new Set(entries.map(({ id }) => id));
  const blocks = new Set(entries.map(({ block }) => block));
  const keepers = all.filter(
    ({ id, block, state }) => !chosen.has(id) && blocks.has(block) && state !== 'freed'
  );
  const kept = new Set(keepers.map(({ block }) => block));
  const going = new Map(
    entries.filter(({ block }) => !kept.has(block)).map(({ block, blockBytes }) => [block, blockBytes])
  );
  const bytes = [...going.values()].reduce((sum, size) => sum + size, 0);
  const lines: string[] = [];
  if (entries.length > 1) lines.push(__('Arrays: %1.', listNames(entries)));
  if (going.size > 0) lines.push(__('This frees %1 of memory.', formatBytes(bytes)));
  if (keepers.length > 0) lines.push(__('Memory stays in use by other arrays: %1.', listNames(keepers)));
  lines.push(__('Code that uses a freed array throws FreedError.'));
  return lines;
}

function listNames(entries: readonly ArrayEntry[]): string {
  const names = entries.slice(0, LISTED).map(nameOf).join(', ');
  const more = entries.length - LISTED;
  return more > 0 ? __('%1 and %2 more', names, more) : names;
}

export function outcomeText({ freed, bytes, remaining }: FreeOutcome): string {
  const done =
    freed === 1
      ? __('Freed 1 array and %1 of memory.', formatBytes(bytes))
      : __('Freed %1 arrays and %2 of memory.', freed, formatBytes(bytes));
  if (remaining.length === 0) return done;
  const names = remaining.slice(0, 5).join(', ');
  return `${done} ${__('Memory still in use by: %1.', names)}`;
}

export function countOf(count: number): string {
  return count === 1 ? __('1 array') : __('%1 arrays', formatCount(count));
}
