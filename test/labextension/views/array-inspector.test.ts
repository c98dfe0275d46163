import { createArrayInspector } from '../../../labextension/src/views/array/inspector.ts';
import type { View } from '../../../labextension/src/views/kit/view.ts';
import type { ArrayDescription } from '../../../src/pictures/array/schema.ts';
import type { MeasuredStatistics } from '../../../src/pictures/array/statistics-schema.ts';
import { busy, freed, large, live, lost, strided, violating, zeroSize } from '../fixtures.ts';

let host: HTMLElement;
let inspector: View;

const show = (array: unknown, connected = true): void => inspector.update(array, connected);
const all = (selector: string): HTMLElement[] => [...host.querySelectorAll<HTMLElement>(selector)];
const one = (selector: string): HTMLElement => {
  const [found, ...more] = all(selector);
  if (!found || more.length > 0) throw new Error(`${all(selector).length} elements match ${selector}`);
  return found;
};
const text = (selector: string): string => one(selector).textContent ?? '';
const tab = (label: string): HTMLElement =>
  all('[role=tab]').find(candidate => candidate.textContent?.startsWith(label)) as HTMLElement;
const cellsOf = (row: HTMLElement): string[] => [...row.children].map(cell => cell.textContent ?? '');
const descriptorRow = (key: string): HTMLElement =>
  all('.stridelab-descriptor tbody tr').find(
    row => row.firstElementChild?.textContent === key
  ) as HTMLElement;

beforeEach(() => {
  host = document.createElement('div');
  document.body.append(host);
  inspector = createArrayInspector(host, {
    channel: { request: () => Promise.resolve({ content: {}, buffers: [] }), onPush: () => () => undefined }
  });
});

afterEach(() => {
  inspector.dispose();
  host.remove();
});

describe('header', () => {
  test('shows dtype, shape, bytes, device, whether it is simulated, and the lifetime', () => {
    show(live);
    expect(text('.stridelab-header')).toMatch(/float32\(3, 4\)48 Bsim:0.*simulated.*live/);
  });

  test('a real device is not marked simulated', () => {
    show(large);
    expect(one('.stridelab-header .stridelab-badge:not(.stridelab-lifetime)').hidden).toBe(true);
    expect(text('.stridelab-header')).toContain('16 MiB');
  });

  test.each([
    [live, true, 'live'],
    [freed, true, 'freed'],
    [live, false, 'snapshot'],
    [freed, false, 'snapshot, freed'],
    [lost, true, 'lost'],
    [lost, false, 'snapshot, lost']
  ] as const)('lifetime %#', (array, connected, word) => {
    show(array, connected);
    expect(text('.stridelab-lifetime > span:last-child')).toBe(word);
  });
});

describe('descriptor', () => {
  test('keys come first, derived rows in a separate body', () => {
    show(live);
    const bodies = all('.stridelab-descriptor tbody').map(body => body.querySelectorAll('tr').length);
    expect(bodies).toEqual([6, 1, 4]);
    expect(cellsOf(descriptorRow('strides')).slice(0, 2)).toEqual(['strides', 'None']);
  });

  test('a strided view shows its strides with a note', () => {
    show(strided);
    expect(descriptorRow('strides').textContent).toContain('(4, -32)');
    const toggle = descriptorRow('strides').querySelector('button');
    expect(toggle?.textContent).toContain('note');
    expect(document.getElementById(toggle?.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
      'strides'
    );
  });

  test('the rule opens by its button', () => {
    show(live);
    const row = descriptorRow('strides');
    const button = row.querySelector('button') as HTMLButtonElement;
    const rule = row.querySelector(`#${button.getAttribute('aria-controls') ?? ''}`) as HTMLElement;
    expect([rule.hidden, button.getAttribute('aria-expanded')]).toEqual([true, 'false']);
    button.click();
    expect([rule.hidden, button.getAttribute('aria-expanded')]).toEqual([false, 'true']);
    expect(rule.textContent).toContain('rule 19');
  });

  test('verdicts are one tab stop; arrows, Home and End move between rows, also after rows were removed', () => {
    show(live);
    const verdicts = (): HTMLElement[] => all('.stridelab-descriptor .stridelab-verdict');
    const stops = (): string[] =>
      verdicts()
        .filter(({ tabIndex }) => tabIndex === 0)
        .map(verdict => verdict.closest('tr')?.firstElementChild?.textContent ?? '');
    const keys = live.descriptor.filter(row => !row.derived).map(({ key }) => key);
    const press = (key: string): boolean =>
      (document.activeElement as HTMLElement).dispatchEvent(
        new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
      );
    expect(stops()).toEqual([keys[0]]);
    verdicts()[0]?.focus();
    for (const [key, wanted] of [
      ['ArrowDown', keys[1]],
      ['ArrowUp', keys[0]],
      ['End', live.descriptor.at(-1)?.key],
      ['Home', keys[0]]
    ] as const) {
      expect(press(key)).toBe(false);
      expect(document.activeElement?.closest('tr')?.firstElementChild?.textContent).toBe(wanted);
      expect(stops()).toEqual([wanted]);
    }
    // Other keys belong to the page.
    expect([press('ArrowRight'), press('Tab'), press('Enter')]).toEqual([true, true, true]);
    show({ ...live, descriptor: live.descriptor.slice(1) });
    expect(stops()).toEqual([keys[1]]);
    const other = verdicts()[3];
    other?.focus();
    show({ ...live, descriptor: live.descriptor.slice(1) });
    expect(verdicts().filter(({ tabIndex }) => tabIndex === 0)).toEqual([other]);
  });

  test('code in a sentence is marked up as code', () => {
    const [first, ...rest] = live.descriptor;
    show({ ...live, descriptor: [{ ...first, meaning: 'What `len` <gives>.' }, ...rest] });
    const meaning = one('.stridelab-meaning code').parentElement;
    expect([meaning?.textContent, meaning?.children.length]).toEqual(['What len <gives>.', 1]);
  });

  test('a violation has a word, is open, and is shown on the tab', () => {
    show(violating);
    const row = descriptorRow('stream');
    expect(row.querySelector('button')?.textContent).toContain('violation');
    expect(row.querySelector<HTMLElement>('.stridelab-rule')?.hidden).toBe(false);
    expect(tab('Descriptor').textContent).toContain('1 violated');
  });

  test('tables have names for themselves, their columns and rows', () => {
    show(busy);
    for (const table of all('table')) expect(table.querySelector('caption')?.textContent).not.toBe('');
    for (const heading of all('th')) expect(heading.getAttribute('scope')).toMatch(/^(col|row|colgroup)$/);
  });
});

test('a freed array has no descriptor and no device', () => {
  show(freed);
  expect(one('.stridelab-descriptor').hidden).toBe(true);
  expect(all('.stridelab-empty')[0]?.textContent).toContain('freed');
  expect(all('.stridelab-protocol').filter(table => !table.hidden)).toEqual([]);
  expect(text('.stridelab-strip')).toContain('freed');
  expect(all('.stridelab-button').at(-1)?.getAttribute('aria-disabled')).toBe('true');
});

test('rule 88: for a lost device name and descriptor stay, and nothing is shown as pending or readable', () => {
  show(lost);
  expect(descriptorRow('shape').hidden).toBe(false);
  expect(text('.stridelab-statistics')).toContain('the device is lost');
  expect(tab('Streams').textContent).not.toContain('busy');
  expect(text('.stridelab-strip')).toContain('lost');
  expect(
    all('.stridelab-advice')
      .map(each => each.textContent)
      .join()
  ).toContain('will not run');
});

test('an array that no variable held is marked, with advice', () => {
  show({ ...freed, collected: true });
  expect(all('.stridelab-empty')[0]?.textContent).toContain('const x = …; inspect(x)');
});

describe('streams', () => {
  test('two busy streams are both named in the strip, on the tab, and with their operations', () => {
    show(busy);
    expect(tab('Streams').textContent).toContain('2 of 2 busy');
    expect(text('.stridelab-strip')).toMatch(/stream #1.*busy.*write, exported.*stream #2.*busy.*read/);
    expect(all('.stridelab-streams tbody tr').map(row => cellsOf(row).slice(4, 6))).toEqual([
      ['4', '3'],
      ['7', '5']
    ]);
    expect(text('.stridelab-advice')).toContain('pending on stream #1, stream #2');
  });

  test('an array without a stream has a sentence', () => {
    show(zeroSize);
    expect(one('.stridelab-streams').hidden).toBe(true);
    expect(
      all('.stridelab-empty')
        .filter(node => !node.hidden)
        .map(node => node.textContent)
    ).toContainEqual(expect.stringContaining('No stream'));
  });

  test('many streams do not fill the strip', () => {
    const streams = Array.from({ length: 7 }, (_, id) => ({ ...busy.streams[0], id, label: `stream ${id}` }));
    show({ ...live, streams });
    expect(all('.stridelab-strip li')).toHaveLength(4);
    expect(text('.stridelab-strip')).toContain('and 3 older');
  });
});

test('other work on a stream is not a change of the array', () => {
  show(live);
  show({ ...live, streams: live.streams.map(use => ({ ...use, completed: use.completed + 1 })) });
  expect(text('[role=status]')).toBe('');
  expect(all('.stridelab-changed')).toEqual([]);
});

describe('keyboard', () => {
  const press = (key: string): void => {
    document.activeElement?.dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
    );
  };

  test('arrows, Home and End move through the tabs and around their ends', () => {
    show(live);
    tab('Descriptor').focus();
    const seen = ['ArrowLeft', 'ArrowRight', 'ArrowRight', 'End', 'Home'].map(key => {
      press(key);
      return document.activeElement?.firstElementChild?.textContent;
    });
    expect(seen).toEqual(['Bytes', 'Descriptor', 'Layout', 'Bytes', 'Descriptor']);
  });

  test('exactly one tab is selected and in the tab order, and only its panel is shown', () => {
    show(live);
    tab('Streams').click();
    expect(all('[role=tab][aria-selected=true]')).toEqual([tab('Streams')]);
    expect(all('[role=tab]').filter(candidate => candidate.tabIndex === 0)).toEqual([tab('Streams')]);
    const [panel, ...more] = all('[role=tabpanel]').filter(candidate => !candidate.hidden);
    expect(more).toEqual([]);
    expect([panel?.id, panel?.getAttribute('aria-labelledby')]).toEqual([
      tab('Streams').getAttribute('aria-controls'),
      tab('Streams').id
    ]);
  });
});

describe('updates', () => {
  test('keep focus, selected tab, open rules and the same nodes', () => {
    show(live);
    tab('Streams').click();
    const streamRow = all('.stridelab-streams tbody tr')[0];
    const button = descriptorRow('strides').querySelector('button') as HTMLButtonElement;
    button.click();
    button.focus();
    show(busy);
    show(strided);
    expect(document.activeElement).toBe(button);
    expect(button.getAttribute('aria-expanded')).toBe('true');
    expect(tab('Streams').getAttribute('aria-selected')).toBe('true');
    expect(all('.stridelab-streams tbody tr')).toEqual([streamRow]);
  });

  test('changes are marked and announced, the first picture is not', () => {
    show(live);
    expect(all('.stridelab-changed')).toEqual([]);
    expect(text('[role=status]')).toBe('');
    show(busy);
    expect(all('.stridelab-changed').length).toBeGreaterThan(0);
    expect(text('[role=status]')).toBe(
      'Changed: stream #1 is busy, stream #1 operation 4, stream #2 is new.'
    );
  });

  test('the same description again changes nothing', () => {
    show(live);
    const before = host.innerHTML;
    show(JSON.parse(JSON.stringify(live)));
    expect(host.innerHTML).toBe(before);
  });
});

describe('untrusted data', () => {
  const attack = '<img src=x onerror=alert(1)>';
  const poison = (value: unknown): unknown => {
    if (typeof value === 'string') return attack;
    if (Array.isArray(value)) return value.map(poison);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, poison(inner)]));
  };

  test('markup in any text stays text', () => {
    const poisoned = poison(busy) as ArrayDescription;
    show({
      ...poisoned,
      lifetime: 'live',
      statistics: { ...poisoned.statistics, state: 'measured' } as MeasuredStatistics,
      descriptor: poisoned.descriptor.map(row => ({ ...row, verdict: 'ok' })),
      tensor: poisoned.tensor.map(row => ({ ...row, verdict: 'ok' })),
      streamArguments: poisoned.streamArguments.map(row => ({ ...row, verdict: 'ok' })),
      streams: poisoned.streams.map(use => ({ ...use, state: 'busy', access: 'read' }))
    });
    expect(host.textContent).toContain(attack);
    expect(host.querySelector('img')).toBeNull();
  });

  test.each([
    [undefined, 'has not sent'],
    [{ ...live, version: 99 }, 'version 99'],
    [{ ...live, streams: [{ ...busy.streams[0], state: 'sleeping' }] }, 'streams[0].state'],
    [{ ...live, device: { label: 'cuda:0' } }, 'device.name'],
    [{ ...live, shape: [3, 'x'] }, 'shape[1]'],
    ['text', 'the description']
  ])('is refused with a sentence %#', (data, sentence) => {
    show(data);
    expect(one('.stridelab-picture').hidden).toBe(true);
    expect(text('[role=alert]')).toContain(sentence);
  });

  test('a valid picture is shown after an invalid one', () => {
    show({});
    show(live);
    expect([one('.stridelab-picture').hidden, one('[role=alert]').hidden]).toEqual([false, true]);
  });
});
