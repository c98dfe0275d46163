/** The view of the handshake diagram: recorded exchanges. */

import type { Fact } from '../../../src/recording/exchanges/facts.ts';
import {
  asked,
  chartTexts,
  choose,
  header,
  host,
  inDiagram,
  kernel,
  one,
  press,
  recorded,
  select,
  sentence,
  settled,
  show,
  timed
} from './handshake-diagram.ts';

inDiagram();

describe('recorded exchanges', () => {
  test('recording starts and stops here, with a kernel and not in a lesson', async () => {
    const record = (): HTMLElement => host.querySelector<HTMLElement>('.stridelab-actions button')!;
    show({ mode: 'recorded', recording: true, exchanges: [recorded], total: 1 });
    expect(record().textContent).toBe('Stop recording');
    record().click();
    show({ mode: 'recorded', recording: false, exchanges: [recorded], total: 1 });
    kernel.answers = { start: new Error('capacity 0 is no whole number') };
    record().click();
    await Promise.resolve();
    await Promise.resolve();
    expect(asked.map(({ method }) => method)).toEqual(['stop', 'start']);
    expect(host.querySelector('.stridelab-actions')!.textContent).toMatch(/Start recording.*capacity 0/);
    show({ mode: 'recorded', recording: false, exchanges: [recorded], total: 1 }, false);
    expect(record().parentElement!.hidden).toBe(true);
  });

  test('the latest exchange is shown, with names, cell, times and the hazard', () => {
    show({ mode: 'recorded', recording: true, exchanges: [recorded], total: 1 });
    expect(header()).toContain('#4 CAI: weights → view, In [3]');
    expect(header()).toContain('recording');
    const texts = chartTexts();
    for (const text of ['weights', 'view', 'stream #1', 'stream #2', 'before', '4 µs'])
      expect(texts).toContain(text);
    expect(texts).toContain('stream: 0x7f…3344');
    expect(host.querySelectorAll('.stridelab-chart .hazard')).toHaveLength(1);
  });

  test('a newer one is followed until the user selects another', () => {
    const second = { ...recorded, number: 5, consumer: 'other' };
    show({ mode: 'recorded', exchanges: [recorded], total: 1 });
    show({ mode: 'recorded', exchanges: [recorded, second], total: 2 });
    expect(header()).toContain('other');
    choose('Exchange', '4');
    show({ mode: 'recorded', exchanges: [recorded, second, { ...second, number: 6 }], total: 3 });
    expect(header()).toContain('#4');
  });

  test('older ones are requested', async () => {
    show({ mode: 'recorded', exchanges: [recorded], total: 3 });
    kernel.answers = { older: { exchanges: [{ ...recorded, number: 3, producer: 'first' }] } };
    choose('Exchange', 'older');
    await settled();
    expect(asked).toEqual([{ method: 'older', parameters: { before: 4 } }]);
    choose('Exchange', '3');
    expect(header()).toContain('#3 CAI: first');
  });

  test('older ones that are requested twice are listed once', async () => {
    show({ mode: 'recorded', exchanges: [recorded], total: 3 });
    kernel.answers = { older: { exchanges: [{ ...recorded, number: 3 }] } };
    choose('Exchange', 'older');
    choose('Exchange', 'older');
    await settled();
    expect([...select('Exchange').options].map(({ value }) => value)).toEqual(['4', '3', 'older']);
  });

  test('older ones of a recording that was restarted since are not listed among the new ones', async () => {
    show({ mode: 'recorded', exchanges: [recorded], total: 3 });
    kernel.answers = { older: { exchanges: [{ ...recorded, number: 3, producer: 'gone' }] } };
    choose('Exchange', 'older');
    await settled();
    show({ mode: 'recorded', recording: true });
    show({ mode: 'recorded', exchanges: [{ ...recorded, number: 4 }], total: 4 });
    expect(select('Exchange').textContent).not.toContain('gone');
  });

  test('without exchanges there is advice', () => {
    show({ mode: 'recorded' });
    expect(one('.stridelab-empty').textContent).toBe('call exchanges.start() first');
    expect(one('.stridelab-tabs').hidden).toBe(true);
    choose('Show', 'lesson');
    expect(one('.stridelab-tabs').hidden).toBe(false);
  });

  test('a host thread has a lifeline if it waits', () => {
    const facts = timed([{ kind: 'ask-interface' }, { kind: 'host-wait', stream: 'stream #1' }]);
    show({ mode: 'recorded', exchanges: [{ ...recorded, facts, hazard: false }], total: 1 });
    expect(chartTexts()).toContain('host thread');
  });

  test('facts of a newer version are left out, the others are shown', () => {
    const strange = ['telepathy', 'constructor', '__proto__'].map(
      kind => ({ kind, time: 3 }) as unknown as Fact
    );
    show({
      mode: 'recorded',
      exchanges: [{ ...recorded, facts: [...recorded.facts, ...strange] }],
      total: 1
    });
    expect(sentence()).toMatch(/^6 steps/);
  });

  test('hundreds of facts and none are shown', () => {
    const many = Array.from({ length: 300 }, () => recorded.facts[5] as Fact);
    show({ mode: 'recorded', exchanges: [{ ...recorded, facts: many }], total: 1 });
    expect(sentence()).toMatch(/^300 steps/);
    show({ mode: 'recorded', exchanges: [{ ...recorded, facts: [], hazard: false }], total: 1 });
    expect(sentence()).toMatch(/^0 steps/);
    press('ArrowRight');
    expect(sentence()).toMatch(/^0 steps/);
  });

  test('without a kernel it is a snapshot', () => {
    show({ mode: 'recorded', recording: true, exchanges: [recorded], total: 9 }, false);
    expect(header()).toContain('snapshot');
    expect(header()).not.toContain('recording');
    expect([...select('Exchange').options].map(option => option.value)).toEqual(['4']);
  });

  test('names are text, never markup', () => {
    show({ mode: 'recorded', exchanges: [{ ...recorded, producer: '<img src=x>' }], total: 1 });
    expect(host.querySelector('img')).toBeNull();
    expect(header()).toContain('<img src=x>');
  });
});
