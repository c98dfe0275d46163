/** A table of protocol fields: each key with its value, the verdict, its meaning, and the rule on demand. */

import type { DescriptorRow, Verdict } from '../../../../src/pictures/array/schema.ts';
import { neighbour, onKeys, rove } from '../kit/cursor.ts';
import {
  createKeyedList,
  createTable,
  element,
  part,
  setAttribute,
  setProse,
  uniqueId,
  type Part
} from '../kit/dom.ts';
import { createBadge } from '../kit/badge.ts';
import { createButton } from '../kit/controls.ts';
import type { ChangeMarks } from '../kit/change-marks.ts';
import { __ } from '../kit/phrases.ts';

/** Creates the table. `key` is the heading of the first column. Derived rows form a separate group below. */
export function createRowTable(caption: string, key: string, marks: ChangeMarks) {
  const keys = element('tbody');
  const derivedHead = element(
    'tbody',
    {},
    part('tr', 'group', element('th', { scope: 'colgroup', colspan: '4' }, __('Derived from the keys above')))
  );
  const derivedRows = element('tbody');
  const createRow = (row: DescriptorRow): Part<[DescriptorRow]> => createDescriptorRow(row, marks);
  const keyOf = (row: DescriptorRow): string => row.key;
  const updateKeys = createKeyedList(keys, keyOf, createRow);
  const updateDerived = createKeyedList(derivedRows, keyOf, createRow);
  const headings = [key, __('Value'), __('Verdict'), __('Meaning')];
  const table = createTable('protocol', caption, headings, keys, derivedHead, derivedRows);
  // The verdicts are one tab stop: arrows move between rows. It stays a table, which screen readers read as one.
  const verdicts = (): HTMLElement[] => [...table.querySelectorAll<HTMLElement>('.stridelab-verdict')];
  table.addEventListener('focusin', ({ target }) => {
    if (verdicts().includes(target as HTMLElement)) rove(table, target as HTMLElement, false);
  });
  onKeys(table, event => {
    const to = neighbour(event, verdicts(), 'ArrowUp', 'ArrowDown');
    to?.focus();
    return to !== undefined;
  });
  return {
    element: table,
    update(rows: readonly DescriptorRow[]): void {
      const derived = rows.filter(row => row.derived);
      table.hidden = rows.length === 0;
      updateKeys(rows.filter(row => !row.derived));
      updateDerived(derived);
      derivedHead.hidden = derived.length === 0;
      if (!table.querySelector('[tabindex="0"]')) rove(table, verdicts()[0], false);
    }
  };
}

function createDescriptorRow({ key, verdict }: DescriptorRow, marks: ChangeMarks): Part<[DescriptorRow]> {
  const ruleId = uniqueId('rule');
  const keyId = uniqueId('key');
  const value = part('td', 'value');
  const meaning = element('span');
  const rule = element('p', { class: 'rule', id: ruleId });
  const badge = createBadge();
  const title = __('Show or hide the rule; arrow keys go to the other rows');
  const toggle = createButton(badge, title, () => open(rule.hidden !== false), 'verdict');
  toggle.tabIndex = -1;
  setAttribute(toggle, 'aria-controls', ruleId);
  // Screen readers could not distinguish buttons that all read "ok".
  setAttribute(toggle, 'aria-describedby', keyId);
  const open = (isOpen: boolean): void => {
    rule.hidden = !isOpen;
    setAttribute(toggle, 'aria-expanded', String(isOpen));
  };
  // Broken rules are expanded without a click.
  open(verdict === 'violation');

  const row = element(
    'tr',
    {},
    element('th', { scope: 'row', class: 'key', id: keyId }, key),
    value,
    element('td', {}, toggle),
    part('td', 'meaning', meaning, rule)
  );
  return {
    element: row,
    update(item) {
      marks.write(value, item.value, key);
      setProse(meaning, item.meaning);
      setProse(rule, item.rule);
      setAttribute(row, 'data-verdict', item.verdict);
      badge.show(item.verdict, verdictWord(item.verdict));
    }
  };
}

function verdictWord(verdict: Verdict): string {
  if (verdict === 'ok') return __('ok');
  return verdict === 'note' ? __('note') : __('violation');
}
