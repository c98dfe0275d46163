/** The view of the handshake diagram: lessons, recorded exchanges, steps, what needs a kernel, and data that makes no sense. */

import { createHandshakeDiagram } from '../../../labextension/src/views/handshake/handshake.ts';
import { englishPhrases } from '../../../labextension/src/views/phrases.ts';
import type { Channel, Message, View } from '../../../labextension/src/views/view.ts';
import { isHazard } from '../../../src/description/handshake/hazard.ts';
import { lessonFacts } from '../../../src/description/handshake/lesson.ts';
import {
  HANDSHAKE_VERSION,
  LANE_ORDER,
  LESSON_STREAMS,
  lessonKey,
  type ExchangeDescription,
  type Fact,
  type FactContent,
  type HandshakePicture,
  type Lesson,
  type LessonChoice
} from '../../../src/description/handshake/schema.ts';
import {
  CAI_STREAMS,
  DLPACK_STREAMS,
  LANES,
  RUNS,
  STEP_WORDS
} from '../../../src/description/handshake/words.ts';

/** As the kernel half makes them. */
const lessonFactsOfAll: Fact[] = [];
const lessons: Record<string, Lesson> = {};
for (const protocol of ['cai', 'dlpack'] as const)
  for (const producerStream of LESSON_STREAMS)
    for (const consumerStream of LESSON_STREAMS)
      for (const sync of [true, false]) {
        const choice = { protocol, producerStream, consumerStream, sync };
        const facts = lessonFacts(choice);
        lessons[lessonKey(choice)] = {
          facts: facts.map(fact => lessonFactsOfAll.push(fact) - 1),
          hazard: isHazard(facts)
        };
      }

const OWN: LessonChoice = { protocol: 'cai', producerStream: 'own', consumerStream: 'own', sync: true };

const timed = (contents: readonly FactContent[]): Fact[] =>
  contents.map((content, index) => ({ ...content, time: 100 + index * 2 }));

const recorded: ExchangeDescription = {
  number: 4,
  protocol: 'cai',
  language: 'javascript',
  producer: 'weights',
  consumer: 'view',
  cell: 'In [3]',
  device: 'sim:0',
  facts: timed([
    { kind: 'work', stream: 'stream #1', access: 'write', pending: true },
    { kind: 'ask-interface' },
    { kind: 'descriptor', version: 3, stream: '0x7f0011223344', names: 'stream #1', event: false },
    { kind: 'no-wait', reason: 'sync-false' },
    { kind: 'view', stream: 'stream #2' },
    { kind: 'use', side: 'consumer', stream: 'stream #2', access: 'read' }
  ]),
  hazard: true,
  more: 12
};

function pictureOf(changes: Partial<HandshakePicture> = {}): HandshakePicture {
  return {
    version: HANDSHAKE_VERSION,
    mode: 'lesson',
    lesson: OWN,
    recording: false,
    exchanges: [],
    total: 0,
    dropped: 0,
    advice: 'call `exchanges.start()` first',
    words: STEP_WORDS,
    lanes: LANES,
    streamArguments: { cai: CAI_STREAMS, dlpack: DLPACK_STREAMS },
    lessons,
    lessonFacts: lessonFactsOfAll,
    runs: [
      { device: 'sim:0', about: RUNS.simulated },
      { device: 'cuda:0', about: RUNS.gpu }
    ],
    ...changes
  };
}

let host: HTMLElement;
let view: View;
let push: (message: Message) => void = () => undefined;
const asked: { method: string; parameters: unknown }[] = [];
let answers: Record<string, unknown> = {};
const channel: Channel = {
  request(method, parameters) {
    asked.push({ method, parameters });
    const answer = answers[method];
    return answer instanceof Error
      ? Promise.reject(answer)
      : Promise.resolve({ content: (answer ?? {}) as Message['content'], buffers: [] });
  },
  onPush(listener) {
    push = listener;
    return () => (push = () => undefined);
  }
};

beforeEach(() => {
  asked.length = 0;
  answers = {};
  host = document.createElement('div');
  document.body.append(host);
  view = createHandshakeDiagram(host, { phrases: englishPhrases, channel });
});
afterEach(() => {
  view.dispose();
  host.remove();
});

const show = (changes: Partial<HandshakePicture> = {}, connected = true): void =>
  view.update(pictureOf(changes), connected);
const one = <Found extends Element = HTMLElement>(selector: string): Found => {
  const found = host.querySelector<Found>(selector);
  if (found === null) throw new Error(`nothing matches ${selector}`);
  return found;
};
const sentence = (): string => one('.stridelab-sentence').textContent ?? '';
const header = (): string => one('.stridelab-header').textContent ?? '';
const chartTexts = (): string[] =>
  [...host.querySelectorAll('.stridelab-chart text')].map(node => node.textContent ?? '');
const select = (label: string): HTMLSelectElement =>
  [...host.querySelectorAll('label')].find(node => node.textContent?.startsWith(label))
    ?.lastElementChild as HTMLSelectElement;
function choose(label: string, value: string): void {
  select(label).value = value;
  select(label).dispatchEvent(new Event('change'));
}
const press = (key: string): void => {
  one('.stridelab-stepper input').dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
};
const button = (label: string): HTMLButtonElement =>
  [...host.querySelectorAll('button')].find(node => node.textContent === label) as HTMLButtonElement;
const settled = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 20));
async function openTab(label: string): Promise<HTMLElement> {
  const tab = [...host.querySelectorAll<HTMLElement>('[role=tab]')].find(node =>
    node.textContent?.startsWith(label)
  );
  tab?.click();
  const { createDetails } = await import('../../../labextension/src/views/handshake/details.ts');
  expect(createDetails).toBeDefined();
  await settled();
  return one('[role=tabpanel]:not([hidden])');
}
const rowsOf = (panel: HTMLElement): string[][] =>
  [...panel.querySelectorAll('tbody tr')].map(row => [...row.children].map(cell => cell.textContent ?? ''));

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

  test('lifelines stand in their order where keys are sorted, as in a saved notebook', () => {
    show({ lanes: Object.fromEntries(Object.entries(LANES).sort()) as typeof LANES }, false);
    expect(chartTexts().filter(text => Object.values(LANES).includes(text))).toEqual(
      LANE_ORDER.flatMap(lane => (lane === 'host' ? [] : [LANES[lane]]))
    );
  });

  test('is chosen by native lists, whose options stay the same elements', () => {
    show();
    const option = select('Protocol').options[0];
    choose('Protocol', 'dlpack');
    expect(header()).toContain('Handshake by DLPack');
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

  test('a skipped wait paints the hazard, and says so in words', () => {
    show();
    one<HTMLInputElement>('input[type=checkbox]').click();
    expect(host.querySelectorAll('.stridelab-chart .hazard')).toHaveLength(1);
    expect(chartTexts().join()).toContain('hazard window');
    expect(header()).toContain('nothing orders the read after the write');
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
  test('by arrow keys, Home, End and Escape, which Lab does not see', () => {
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
    expect(one('.stridelab-stepper').dataset['lmSuppressShortcuts']).toBe('true');
  });

  test('by buttons, by the slider, and by a click on the chart', () => {
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
    button('All steps').click();
    expect(sentence()).toMatch(/^11 steps/);
    expect(button('All steps').getAttribute('aria-pressed')).toBe('true');
  });

  test('fades what comes later, and builds nothing anew', () => {
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

describe('recorded exchanges', () => {
  test('recording starts and stops here, with a kernel and not in a lesson', async () => {
    const record = (): HTMLElement => host.querySelector<HTMLElement>('.stridelab-actions button')!;
    show({ mode: 'recorded', recording: true, exchanges: [recorded], total: 1 });
    expect(record().textContent).toBe('Stop recording');
    record().click();
    show({ mode: 'recorded', recording: false, exchanges: [recorded], total: 1 });
    answers = { start: new Error('capacity 0 is no whole number') };
    record().click();
    await Promise.resolve();
    await Promise.resolve();
    expect(asked.map(({ method }) => method)).toEqual(['stop', 'start']);
    expect(host.querySelector('.stridelab-actions')!.textContent).toMatch(/Start recording.*capacity 0/);
    show({ mode: 'recorded', recording: false, exchanges: [recorded], total: 1 }, false);
    expect(record().parentElement!.hidden).toBe(true);
  });

  test('the latest is shown, with names, cell, times and the hazard', () => {
    show({ mode: 'recorded', recording: true, exchanges: [recorded], total: 1 });
    expect(header()).toContain('#4 CAI: weights → view, In [3]');
    expect(header()).toContain('recording');
    const texts = chartTexts();
    for (const text of ['weights', 'view', 'stream #1', 'stream #2', 'before', '4 µs'])
      expect(texts).toContain(text);
    expect(texts).toContain('stream: 0x7f…3344');
    expect(host.querySelectorAll('.stridelab-chart .hazard')).toHaveLength(1);
  });

  test('a newer one is followed until somebody chooses', () => {
    const second = { ...recorded, number: 5, consumer: 'other' };
    show({ mode: 'recorded', exchanges: [recorded], total: 1 });
    show({ mode: 'recorded', exchanges: [recorded, second], total: 2 });
    expect(header()).toContain('other');
    choose('Exchange', '4');
    show({ mode: 'recorded', exchanges: [recorded, second, { ...second, number: 6 }], total: 3 });
    expect(header()).toContain('#4');
  });

  test('older ones are asked for', async () => {
    show({ mode: 'recorded', exchanges: [recorded], total: 3 });
    answers = { older: { exchanges: [{ ...recorded, number: 3, producer: 'first' }] } };
    choose('Exchange', 'older');
    await settled();
    expect(asked).toEqual([{ method: 'older', parameters: { before: 4 } }]);
    choose('Exchange', '3');
    expect(header()).toContain('#3 CAI: first');
  });

  test('older ones that are asked for twice are listed once', async () => {
    show({ mode: 'recorded', exchanges: [recorded], total: 3 });
    answers = { older: { exchanges: [{ ...recorded, number: 3 }] } };
    choose('Exchange', 'older');
    choose('Exchange', 'older');
    await settled();
    expect([...select('Exchange').options].map(({ value }) => value)).toEqual(['4', '3', 'older']);
  });

  test('older ones of a recording that was begun anew since are not listed among the new ones', async () => {
    show({ mode: 'recorded', exchanges: [recorded], total: 3 });
    answers = { older: { exchanges: [{ ...recorded, number: 3, producer: 'gone' }] } };
    choose('Exchange', 'older');
    await settled();
    show({ mode: 'recorded', recording: true });
    show({ mode: 'recorded', exchanges: [{ ...recorded, number: 4 }], total: 4 });
    expect(select('Exchange').textContent).not.toContain('gone');
  });

  test('nothing recorded: what to do', () => {
    show({ mode: 'recorded' });
    expect(one('.stridelab-empty').textContent).toBe('call exchanges.start() first');
    expect(one('.stridelab-tabs').hidden).toBe(true);
    choose('Show', 'lesson');
    expect(one('.stridelab-tabs').hidden).toBe(false);
  });

  test('a host thread has a lifeline where it waits', () => {
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

  test('hundreds of facts and none', () => {
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

describe('the other tabs', () => {
  test('the steps in sentences, with the one that is looked at', async () => {
    show({ mode: 'recorded', exchanges: [recorded], total: 1 });
    const panel = await openTab('Steps');
    const rows = rowsOf(panel);
    expect(rows).toHaveLength(6);
    expect(rows[1]).toEqual([
      '2',
      '0 ns',
      'The consumer reads __cuda_array_interface__: a snapshot, to be read anew after further work.',
      '83'
    ]);
    expect(panel.querySelector('caption')?.textContent).toContain('12 later uses');
    press('Home');
    expect(panel.querySelector('[aria-current=step] th')?.textContent).toBe('1');
    expect([...panel.querySelectorAll('thead th')].map(cell => cell.getAttribute('scope'))).toEqual(
      Array(4).fill('col')
    );
  });

  test('rules 66 to 71 and 151 to 156: what each stream argument means, and which one is here', async () => {
    show();
    const panel = await openTab('The stream argument');
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
    head: ['element', 'written', 'read after the wait', 'read without it'],
    rows: [['0', '1', '1', '✕ 0']],
    report: 'read after write, not ordered'
  };

  test('a run: asked once, its outcome comes by itself', async () => {
    show();
    const panel = await openTab('Skip the wait');
    answers = { run: { run: 7 } };
    button('Run it').click();
    button('Run it').click();
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

  test('on a GPU it says that the data may be right by luck', async () => {
    show();
    const panel = await openTab('Skip the wait');
    expect(panel.textContent).toContain('as late as it may');
    choose('on', 'cuda:0');
    expect(panel.textContent).toContain('right by luck');
  });

  test('failures are sentences, whoever fails', async () => {
    show();
    const panel = await openTab('Skip the wait');
    answers = { run: new Error('The kernel did not answer.') };
    button('Run it').click();
    await settled();
    expect(panel.textContent).toContain('The kernel did not answer.');
    answers = { run: { run: 1 } };
    button('Run it').click();
    await settled();
    push({ content: { run: 1, error: 'The run was killed.' }, buffers: [] });
    expect(panel.querySelector('[role=status][data-kind=error]')?.textContent).toBe('The run was killed.');
    expect(button('Run it').hasAttribute('aria-disabled')).toBe(false);
  });

  test('without a kernel the run is off, and the reason is there', async () => {
    show({}, false);
    const panel = await openTab('Skip the wait');
    expect(button('Run it').getAttribute('aria-disabled')).toBe('true');
    expect(panel.textContent).toContain('No kernel stands behind this picture');
    button('Run it').click();
    expect(asked).toEqual([]);
    show({}, true);
    expect(panel.textContent).not.toContain('No kernel');
  });
});

describe('data that makes no sense', () => {
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
    expect(one('.stridelab-problem').textContent).toMatch(/cannot be read/);
  });

  test('a newer version says so, and a good picture comes back', () => {
    view.update({ ...pictureOf(), version: 99 }, true);
    expect(one('.stridelab-problem').textContent).toContain('version 99');
    show();
    expect(one('.stridelab-problem').hidden).toBe(true);
    expect(chartTexts().length).toBeGreaterThan(10);
  });
});

test('two views of one model each have their own place', () => {
  const other = document.createElement('div');
  document.body.append(other);
  const second = createHandshakeDiagram(other, { phrases: englishPhrases });
  show();
  second.update(pictureOf(), false);
  press('Home');
  expect(other.querySelector('.stridelab-sentence')?.textContent).toMatch(/^11 steps/);
  const ids = [...document.querySelectorAll('[id]')].map(node => node.id);
  expect(new Set(ids).size).toBe(ids.length);
  second.dispose();
  other.remove();
});
