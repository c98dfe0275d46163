/** The descriptor as a table: every key of the CUDA Array Interface, then what follows from several of them. */

import type { ArrayDescription, DescriptorRow, Verdict } from '../../../../src/description/schema.ts';
import { createBadge } from './badge.ts';
import { createKeyedList, element, setAttribute, setProse, uniqueId } from '../dom.ts';
import type { KeyedChild } from '../dom.ts';
import type { Panel, PanelContext } from './panel.ts';
import type { Phrases } from '../phrases.ts';

export function createDescriptorPanel(context: PanelContext): Panel {
  const { phrases } = context;
  const keys = element('tbody');
  const derivedHeading = element(
    'tr',
    { class: 'stridelab-group' },
    element('th', { scope: 'colgroup', colspan: '4' }, phrases.__('Derived from the keys above'))
  );
  const derivedRows = element('tbody');
  const derivedHead = element('tbody', {}, derivedHeading);
  const createRow = (row: DescriptorRow): KeyedChild<DescriptorRow> => createDescriptorRow(row, context);
  const keyOf = (row: DescriptorRow): string => row.key;
  const updateKeys = createKeyedList(keys, keyOf, createRow);
  const updateDerived = createKeyedList(derivedRows, keyOf, createRow);

  const table = element(
    'table',
    { class: 'stridelab-table stridelab-descriptor' },
    element('caption', {}, phrases.__('The CUDA Array Interface descriptor of this array')),
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        element('th', { scope: 'col' }, phrases.__('Key')),
        element('th', { scope: 'col' }, phrases.__('Value')),
        element('th', { scope: 'col' }, phrases.__('Verdict')),
        element('th', { scope: 'col' }, phrases.__('Meaning'))
      )
    ),
    keys,
    derivedHead,
    derivedRows
  );
  const empty = element(
    'p',
    { class: 'stridelab-empty' },
    phrases.__('The memory was freed: there is no descriptor that a consumer may be given.')
  );
  return {
    element: element('div', {}, table, empty),
    update(array: ArrayDescription) {
      table.hidden = array.descriptor.length === 0;
      empty.hidden = array.descriptor.length > 0;
      const derived = array.descriptor.filter(row => row.derived);
      updateKeys(array.descriptor.filter(row => !row.derived));
      updateDerived(derived);
      derivedHead.hidden = derived.length === 0;
    }
  };
}

/** How many rows break a rule: the number beside the tab's label. */
export function countViolations(array: ArrayDescription): number {
  return array.descriptor.filter(row => row.verdict === 'violation').length;
}

function createDescriptorRow(
  { key, verdict }: DescriptorRow,
  { phrases, marks }: PanelContext
): KeyedChild<DescriptorRow> {
  const ruleId = uniqueId('rule');
  const value = element('td', { class: 'stridelab-value' });
  const meaning = element('span');
  const rule = element('p', { class: 'stridelab-rule', id: ruleId });
  const badge = createBadge();
  const toggle = element(
    'button',
    {
      class: 'stridelab-verdict',
      type: 'button',
      'aria-controls': ruleId,
      'data-lm-suppress-shortcuts': 'true'
    },
    badge.element
  );
  const open = (isOpen: boolean): void => {
    rule.hidden = !isOpen;
    setAttribute(toggle, 'aria-expanded', String(isOpen));
  };
  toggle.addEventListener('click', () => open(rule.hidden !== false));
  // A broken rule is the reason to look, so it does not wait for a click.
  open(verdict === 'violation');

  const row = element(
    'tr',
    {},
    element('th', { scope: 'row', class: 'stridelab-key' }, key),
    value,
    element('td', {}, toggle),
    element('td', { class: 'stridelab-meaning' }, meaning, rule)
  );
  return {
    element: row,
    update(item) {
      marks.write(value, item.value, key);
      setProse(meaning, item.meaning);
      setProse(rule, item.rule);
      setAttribute(row, 'data-verdict', item.verdict);
      badge.show(item.verdict, verdictWord(item.verdict, phrases));
      setAttribute(toggle, 'title', phrases.__('Show or hide the rule'));
    }
  };
}

function verdictWord(verdict: Verdict, phrases: Phrases): string {
  if (verdict === 'ok') return phrases.__('ok');
  return verdict === 'note' ? phrases.__('note') : phrases.__('violation');
}
