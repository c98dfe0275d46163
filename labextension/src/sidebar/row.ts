/** One row of the list: an array, or the heading of a group. */

import type { StreamEntry } from '../../../src/pictures/arrays/schema.ts';
import { formatShape } from '../../../src/layout/shape-text.ts';
import { formatBytes } from '../../../src/base/bytes-text.ts';
import { element, part, setAttribute, setText, uniqueId } from '../views/kit/dom.ts';
import { nameOf, type ArrayRow, type GroupRow, type Row } from './arrange.ts';
import { countOf } from './free-sentences.ts';
import type { RowElement } from './virtual-list.ts';
import { formatCount, __ } from '../views/kit/phrases.ts';

export interface RowContext {
  readonly activeKey: string | null;
  /** Bytes of the largest array, which has the longest bar. */
  readonly mostBytes: number;
}

export function createRow(context: () => RowContext): RowElement<Row> {
  const twisty = element('span', { 'aria-hidden': 'true' });
  const name = part('span', 'array-name');
  const flags = element('small');
  const fill = element('i');
  const size = element('span');
  const [shape, dtype, device] = [cell('shape'), cell('dtype'), cell('device')];
  const row = element(
    'div',
    { class: 'array-row', role: 'row', id: uniqueId('array') },
    cell('name', twisty, name, flags),
    // One line of facts in a narrow panel, columns in a wide one.
    element('div', { 'data-cell': 'facts', role: 'none' }, shape, dtype, device),
    cell('size', element('i', { 'aria-hidden': 'true' }, fill), size)
  );

  const showArray = ({ entry, level }: ArrayRow): void => {
    const freed = entry.state === 'freed';
    setAttribute(row, 'aria-level', String(level));
    setAttribute(row, 'data-state', entry.state);
    setText(twisty, '');
    setText(name, nameOf(entry));
    setText(flags, flagsOf(entry).join(' · '));
    setText(shape, formatShape(entry.shape));
    setText(dtype, entry.dtype);
    setText(device, entry.memory === 'device' ? entry.device : `${entry.device} ${entry.memory}`);
    setText(size, formatBytes(entry.bytes));
    fill.style.width = freed ? '0' : barWidth(entry.bytes, context().mostBytes);
    const others = entry.names.slice(1);
    row.title =
      others.length === 0 ? nameOf(entry) : __('%1, the same array as %2', nameOf(entry), others.join(', '));
  };

  const showGroup = ({ label, entries, bytes, open, key, stream }: GroupRow): void => {
    setAttribute(row, 'aria-level', '1');
    setAttribute(row, 'data-state', null);
    setText(twisty, open ? '▾ ' : '▸ ');
    setText(name, label);
    const count = formatCount(entries.length);
    const shared = key.startsWith('block');
    setText(flags, stream === undefined ? '' : stateOfStream(stream.state));
    setText(shape, shared ? __('%1 arrays in one block', count) : countOf(entries.length));
    setText(dtype, '');
    setText(device, shared ? (entries[0]?.device ?? '') : '');
    setText(size, formatBytes(bytes));
    fill.style.width = '0';
    row.title = shared
      ? __('%1 arrays share this memory: %2', count, entries.slice(0, 8).map(nameOf).join(', '))
      : label;
  };

  return {
    element: row,
    update(item, index) {
      const { activeKey } = context();
      setAttribute(row, 'data-kind', item.kind);
      setAttribute(row, 'data-grouping', item.kind === 'group' ? item.grouping : null);
      setAttribute(row, 'data-index', String(index));
      // The head is the first row.
      setAttribute(row, 'aria-rowindex', String(index + 2));
      setAttribute(row, 'aria-selected', String(item.key === activeKey));
      setAttribute(row, 'aria-expanded', item.kind === 'group' ? String(item.open) : null);
      if (item.kind === 'array') showArray(item);
      else showGroup(item);
    }
  };
}

/** States in words, because colour alone must not convey them. */
function flagsOf({ state, readOnly, origin }: ArrayRow['entry']): string[] {
  const flags: string[] = [];
  if (state === 'freed') flags.push(__('✕ freed'));
  if (state === 'busy') flags.push(__('● busy'));
  if (readOnly) flags.push(__('read-only'));
  if (origin !== null) flags.push(__('from %1', origin));
  return flags;
}

function stateOfStream(state: StreamEntry['state']): string {
  if (state === 'busy') return __('● busy');
  return state === 'destroyed' ? __('✕ destroyed') : '';
}

/** Returns the width of a bar in proportion to its bytes; at least 2 px unless it is empty. */
function barWidth(bytes: number, most: number): string {
  return bytes === 0 || most === 0 ? '0' : `max(2px, ${((100 * bytes) / most).toFixed(1)}%)`;
}

function cell(name: string, ...children: readonly Node[]): HTMLElement {
  return element('div', { 'data-cell': name, role: 'gridcell' }, ...children);
}
