/** The view of the handshake diagram: lessons, steps, features that need a kernel, and malformed data. */

import { createHandshakeDiagram } from '../../../labextension/src/views/handshake/handshake.ts';
import { HANDSHAKE_VERSION, LANE_ORDER } from '../../../src/pictures/handshake/schema.ts';
import { LANES } from '../../../src/pictures/handshake/words.ts';
import {
  OWN,
  asked,
  button,
  chartTexts,
  choose,
  header,
  lessons,
  host,
  inDiagram,
  kernel,
  one,
  openTab,
  pictureOf,
  press,
  push,
  recorded,
  rowsOf,
  select,
  sentence,
  settled,
  show,
  view
} from './handshake-diagram.ts';

inDiagram();

describe('a lesson', () => {
  test('draws each step once, between named lifelines', () => {
    show();
    expect(header()).toContain('CUDA Array Interface');
    const texts = chartTexts();
    for (const lane of ['producer', "producer's stream", "consumer's stream", 'consumer'])
      expect(texts).toContain(lane);
    expect(texts).not.toContain('host thread');
    expect(texts).toContain('__cuda_array_interface__');
    expect(host.querySelectorAll('.stridelab-chart .wait .line')).toHaveLength(2);
    expect(host.querySelector('.stridelab-chart .hazard')).toBeNull();
    expect(one('.stridelab-chart').getAttribute('aria-label')).toContain('Steps');
  });

  test('lifelines are in order even if keys are sorted, as in a saved notebook', () => {
    show({ lanes: Object.fromEntries(Object.entries(LANES).sort()) as typeof LANES }, false);
    expect(chartTexts().filter(text => Object.values(LANES).includes(text))).toEqual(
      LANE_ORDER.flatMap(lane => (lane === 'host' ? [] : [LANES[lane]]))
    );
  });

  test('is selected with native lists, whose options stay the same elements', () => {
    show();
    const option = select('Protocol').options[0];
    choose('Protocol', 'dlpack');
    expect(header()).toContain('DLPack handshake');
    expect(chartTexts()).toContain('__dlpack_device__()');
    expect(select('Protocol').options[0]).toBe(option);
    choose('Consumer', 'per-thread');
    expect(chartTexts()).toContain('__dlpack__(stream=2)');
    choose('Consumer', 'null');
    expect(chartTexts()).toContain('__dlpack__(stream=None)');
  });

  test('rule 70: the per-thread stream is never named', () => {
    show({ lesson: { ...OWN, producerStream: 'per-thread' } });
    expect(chartTexts()).toContain('stream: 1');
    expect(chartTexts()).toContain('legacy waits for it');
  });

  test('a skipped wait marks the hazard, and describes it in words', () => {
    show();
    one<HTMLInputElement>('input[type=checkbox]').click();
    expect(host.querySelectorAll('.stridelab-chart .hazard')).toHaveLength(1);
    expect(chartTexts().join()).toContain('hazard window');
    expect(header()).toContain('hazard');
    expect(one('.stridelab-header [data-kind=violation]').title).toContain('orders the read after the write');
    choose('Producer', 'null');
    expect(host.querySelector('.stridelab-chart .hazard')).toBeNull();
  });

  test.each(Object.entries(lessons))('%s has a sentence for every step', (_, { facts }) => {
    expect(facts.length).toBeGreaterThan(7);
    const [protocol, producerStream, consumerStream, sync] = _.split(',') as [
      'cai',
      'own',
      'own',
      'true' | 'false'
    ];
    show({ lesson: { protocol, producerStream, consumerStream, sync: sync === 'true' } });
    for (let step = 0; step < facts.length; step++) {
      press('ArrowRight');
      expect(sentence()).toMatch(new RegExp(`^${step + 1} of ${facts.length} .{20}`));
      expect(sentence()).not.toMatch(/%\d|undefined|null|``/);
      expect(sentence()).toContain('Rules: ');
    }
  });
});

describe('stepping', () => {
  test('with arrow keys, Home, End and Escape, which JupyterLab does not receive', () => {
    show();
    press('Home');
    expect(sentence()).toMatch(/^1 of 11/);
    press('ArrowDown');
    press('ArrowRight');
    expect(sentence()).toMatch(/^3 of 11/);
    press('ArrowLeft');
    expect(sentence()).toMatch(/^2 of 11/);
    press('End');
    press('ArrowRight');
    expect(sentence()).toMatch(/^11 of 11/);
    press('Escape');
    expect(sentence()).toMatch(/^11 steps/);
    press('ArrowUp');
    expect(sentence()).toMatch(/^11 of 11/);
  });

  test('with buttons, with the slider, and with a click on the chart', () => {
    show();
    button('Next ▶').click();
    expect(sentence()).toMatch(/^1 of/);
    button('◀ Back').click();
    expect(sentence()).toMatch(/^1 of/);
    const slider = one<HTMLInputElement>('input[type=range]');
    slider.value = '5';
    slider.dispatchEvent(new Event('input'));
    expect(sentence()).toMatch(/^5 of/);
    expect(slider.getAttribute('aria-valuetext')).toBe('5 of 11');
    one<SVGElement>('g[data-step="7"] .row').dispatchEvent(new MouseEvent('click', { bubbles: true }));
    expect(sentence()).toMatch(/^8 of/);
    button('Show all').click();
    expect(sentence()).toMatch(/^11 steps/);
    expect(button('Show all').getAttribute('aria-pressed')).toBe('true');
  });

  test('fades later steps, and creates nothing again', () => {
    show();
    const row = one('g[data-step="9"]');
    press('Home');
    expect(row.getAttribute('data-state')).toBe('later');
    expect(one('g.work[data-step="0"]').getAttribute('data-state')).toBe('now');
    press('End');
    expect(one('g[data-step="9"]')).toBe(row);
    show();
    expect(one('g[data-step="9"]')).toBe(row);
  });
});

describe('the other tabs', () => {
  test('the steps are listed in sentences, with the current one marked', async () => {
    show({ mode: 'recorded', exchanges: [recorded], total: 1 });
    const panel = await openTab('Steps');
    const rows = rowsOf(panel);
    expect(rows).toHaveLength(6);
    expect(rows[1]).toEqual([
      '2',
      '0 ns',
      'The consumer reads __cuda_array_interface__: a snapshot, to be read again after further work.',
      '83'
    ]);
    expect(panel.querySelector('caption')?.textContent).toContain('12 later uses');
    press('Home');
    expect(panel.querySelector('[aria-current=step] th')?.textContent).toBe('1');
    expect([...panel.querySelectorAll('thead th')].map(cell => cell.getAttribute('scope'))).toEqual(
      Array(4).fill('col')
    );
  });

  test('rules 66 to 71 and 151 to 156: each stream argument is explained, and the current one is marked', async () => {
    show();
    const panel = await openTab('Stream argument');
    expect(rowsOf(panel).map(([value]) => value)).toEqual(['None', '0', '1', '2', 'handle ← here']);
    choose('Protocol', 'dlpack');
    expect(rowsOf(panel).map(([value]) => value)).toEqual(['None', '-1', '0', '1', '2', 'handle ← here']);
    one<HTMLInputElement>('input[type=checkbox]').click();
    expect(panel.querySelector('[aria-current] th')?.textContent).toBe('-1 ← here');
  });

  const outcome = {
    wrong: true,
    verdict: '✕ Without the wait 4096 of 4096 elements are wrong.',
    caption: 'Read on sim:0',
    head: ['element', 'written', 'read with the wait', 'read without it'],
    rows: [['0', '1', '1', '✕ 0']],
    report: 'read after write, not ordered'
  };

  test('a run is requested once, and its outcome is shown automatically', async () => {
    show();
    const panel = await openTab('Run without');
    kernel.answers = { run: { run: 7 } };
    button('Run').click();
    button('Run').click();
    await settled();
    expect(asked).toEqual([{ method: 'run', parameters: { choice: OWN, device: 'sim:0' } }]);
    expect(panel.textContent).toContain('Running…');
    push({ content: { run: 6, outcome }, buffers: [] });
    expect(panel.textContent).toContain('Running…');
    push({ content: { run: 7, outcome }, buffers: [] });
    expect(panel.textContent).not.toContain('Running…');
    expect(panel.textContent).toContain('4096 of 4096');
    expect(panel.querySelector('pre')?.textContent).toBe('read after write, not ordered');
    expect(panel.querySelectorAll('td[data-wrong]')).toHaveLength(1);
    choose('Producer', 'legacy');
    expect(panel.querySelector<HTMLElement>('.stridelab-result')?.hidden).toBe(true);
  });

  test('on a GPU the picture warns that the data may be right by luck', async () => {
    show();
    const panel = await openTab('Run without');
    expect(panel.textContent).toContain('as late as possible');
    choose('on', 'cuda:0');
    expect(panel.textContent).toContain('right by luck');
  });

  test('failures are sentences, on either side', async () => {
    show();
    const panel = await openTab('Run without');
    kernel.answers = { run: new Error('The kernel did not answer.') };
    button('Run').click();
    await settled();
    expect(panel.textContent).toContain('The kernel did not answer.');
    kernel.answers = { run: { run: 1 } };
    button('Run').click();
    await settled();
    push({ content: { run: 1, error: 'The run was killed.' }, buffers: [] });
    expect(panel.querySelector('[role=status][data-kind=error]')?.textContent).toBe('The run was killed.');
    expect(button('Run').hasAttribute('aria-disabled')).toBe(false);
  });

  test('without a kernel the run is disabled, and the reason is shown', async () => {
    show({}, false);
    const panel = await openTab('Run without');
    expect(button('Run').getAttribute('aria-disabled')).toBe('true');
    expect(panel.textContent).toContain('No kernel is connected');
    button('Run').click();
    expect(asked).toEqual([]);
    show({}, true);
    expect(panel.textContent).not.toContain('No kernel');
  });
});

describe('malformed data', () => {
  test.each([
    null,
    undefined,
    7,
    'text',
    {},
    { version: HANDSHAKE_VERSION },
    { ...pictureOf(), words: null }
  ])('%#: a sentence', data => {
    view.update(data, true);
    expect(one('.stridelab-problem').hidden).toBe(false);
    expect(one('.stridelab-problem').textContent).toMatch(/cannot be read|has not sent/);
  });

  test('a newer version is reported, and a valid picture is shown again', () => {
    view.update({ ...pictureOf(), version: 99 }, true);
    expect(one('.stridelab-problem').textContent).toContain('version 99');
    show();
    expect(one('.stridelab-problem').hidden).toBe(true);
    expect(chartTexts().length).toBeGreaterThan(10);
  });
});

test('two views of one model each have their own step', () => {
  const other = document.createElement('div');
  document.body.append(other);
  const second = createHandshakeDiagram(other, {});
  show();
  second.update(pictureOf(), false);
  press('Home');
  expect(other.querySelector('.stridelab-sentence')?.textContent).toMatch(/^11 steps/);
  const ids = [...document.querySelectorAll('[id]')].map(node => node.id);
  expect(new Set(ids).size).toBe(ids.length);
  second.dispose();
  other.remove();
});
