/** Lazily loaded tabs, the DLPack tab, and the comparison with a second array. */

import { createArrayInspector } from '../../../labextension/src/views/array/inspector.ts';
import { pass } from '../../setup/until.ts';
import { createLazyPart } from '../../../labextension/src/views/kit/lazy-part.ts';
import type { Message, View } from '../../../labextension/src/views/kit/view.ts';
import type { ArrayDescription, DescriptorRow } from '../../../src/pictures/array/schema.ts';
import { freed, live, strided } from '../fixtures.ts';

const views: View[] = [];

interface Shown {
  readonly host: HTMLElement;
  readonly view: View;
  readonly asked: [string, unknown][];
  all(selector: string): HTMLElement[];
}

function open(answer?: (method: string, parameters: unknown) => Record<string, unknown>): Shown {
  const host = document.createElement('div');
  document.body.append(host);
  const asked: [string, unknown][] = [];
  const channel = answer && {
    request: async (method: string, parameters?: unknown): Promise<Message> => {
      asked.push([method, parameters]);
      return Promise.resolve({ content: answer(method, parameters), buffers: [] });
    },
    onPush: () => () => undefined
  };
  const view = createArrayInspector(host, { channel });
  views.push(view);
  return { host, view, asked, all: selector => [...host.querySelectorAll<HTMLElement>(selector)] };
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await pass(5, 'answers come in later turns');
};
const press = (shown: Shown, tab: string): void =>
  shown
    .all('[role=tab]')
    .find(({ textContent }) => textContent.startsWith(tab))
    ?.click();

afterEach(() => {
  for (const view of views.splice(0)) view.dispose();
  document.body.replaceChildren();
});

describe('a panel that is loaded when it is opened', () => {
  const element = document.createElement('p');
  const { signal } = new AbortController();

  test('loads once, then shows the latest description and is informed of each opening', async () => {
    const heard: string[] = [];
    const panel = createLazyPart(signal, () => {
      heard.push('load');
      return Promise.resolve({
        element,
        update: ({ dtype }: ArrayDescription) => void heard.push(dtype),
        opened: () => void heard.push('opened')
      });
    });
    panel.update(live);
    panel.update({ ...live, dtype: 'int8' });
    expect(heard).toEqual([]);
    panel.opened();
    panel.opened();
    expect(panel.element.textContent).toBe('Loading…');
    await settled();
    panel.opened();
    expect(heard).toEqual(['load', 'int8', 'opened', 'opened']);
    expect(panel.element.firstElementChild).toBe(element);
  });

  test('a tab that was left before its code loaded requests nothing', async () => {
    let opened = 0;
    const panel = createLazyPart(signal, () =>
      Promise.resolve({ element, update: () => undefined, opened: () => void opened++ })
    );
    const tab = document.createElement('div');
    tab.append(panel.element);
    panel.opened();
    tab.hidden = true;
    await settled();
    expect(opened).toBe(0);
    tab.hidden = false;
    panel.opened();
    expect(opened).toBe(1);
  });

  test('reports that it cannot be loaded, and tries again', async () => {
    let failing = true;
    const panel = createLazyPart(signal, () =>
      failing ? Promise.reject(new Error('no chunk')) : Promise.resolve({ element, update: () => undefined })
    );
    panel.opened();
    await settled();
    expect(panel.element.textContent).toContain('could not be loaded');
    failing = false;
    panel.opened();
    await settled();
    expect(panel.element.firstElementChild).toBe(element);
  });

  test('is discarded if it loads after the end', async () => {
    const ended = new AbortController();
    const panel = createLazyPart(ended.signal, () => Promise.resolve({ element, update: () => undefined }));
    panel.opened();
    ended.abort();
    await settled();
    expect(panel.element.contains(element)).toBe(false);
  });

  test('the layout is such a panel', async () => {
    const shown = open();
    shown.view.update(live, true);
    expect(shown.all('[role=gridcell]')).toEqual([]);
    press(shown, 'Layout');
    for (let turn = 0; turn < 200 && shown.all('[role=gridcell]').length === 0; turn++) await settled();
    expect(shown.all('table [role=gridcell]')).toHaveLength(12);
  });
});

describe('DLPack', () => {
  const capsule = (key: string, value: string): DescriptorRow => ({
    key,
    value,
    meaning: 'Of a capsule.',
    verdict: 'note',
    rule: 'rule 164',
    derived: false
  });
  const tables = ({ all }: Shown): (string | undefined)[] =>
    all('[role=tabpanel]:not([hidden]) .stridelab-protocol')
      .filter(table => !table.hidden)
      .map(table => table.querySelector('caption')?.textContent.slice(0, 10));
  const sentence = ({ all }: Shown): string =>
    all('[role=tabpanel]:not([hidden]) .stridelab-empty')
      .filter(({ hidden }) => !hidden)
      .map(({ textContent }) => textContent)
      .join();

  test('shows the tensor and the stream arguments, and explains who follows capsules', () => {
    const shown = open();
    press(shown, 'DLPack');
    shown.view.update(live, true);
    expect(tables(shown)).toEqual(['The tensor', 'Effect of ']);
    expect(sentence(shown)).toContain('inspect()');
  });

  test('outstanding capsules are counted on the tab, also when the array is freed', () => {
    const shown = open();
    press(shown, 'DLPack');
    shown.view.update({ ...live, capsules: [] }, true);
    expect(sentence(shown)).toContain('No DLPack exports');
    const capsules = [
      capsule('1 dltensor', 'deleted, created 12:00:00 UTC'),
      capsule('2 used_dltensor', 'consumed, created 12:00:01 UTC'),
      capsule('3 dltensor', 'exported, created 12:00:02 UTC')
    ];
    shown.view.update({ ...live, capsules }, true);
    expect(tables(shown)).toEqual(['DLPack exp', 'The tensor', 'Effect of ']);
    expect(sentence(shown)).toBe('');
    expect(shown.host.textContent).toContain('↗ 2 outstanding');
    shown.view.update({ ...live, capsules: [capsule('earlier', '12 outstanding'), ...capsules] }, true);
    expect(shown.host.textContent).toContain('↗ 14 outstanding');
    shown.view.update({ ...freed, capsules }, true);
    expect(sentence(shown)).toContain('2 exports are outstanding');
    expect(tables(shown)).toEqual(['DLPack exp']);
  });
});

describe('comparison', () => {
  const select = ({ all }: Shown): HTMLSelectElement =>
    all('.stridelab-comparison select')[0] as HTMLSelectElement;
  const options = (shown: Shown): string[] => [...select(shown).options].map(({ value }) => value);
  const choose = async (shown: Shown, start: string): Promise<void> => {
    select(shown).dispatchEvent(new Event('focusin', { bubbles: true }));
    await settled();
    select(shown).value = options(shown).find(option => option.startsWith(start)) ?? '';
    select(shown).dispatchEvent(new Event('change', { bubbles: true }));
    for (let turn = 0; turn < 100 && differences(shown).length === 0; turn++) await settled();
  };
  const differences = ({ all }: Shown): string[] =>
    all('.stridelab-comparison [data-differs] th').map(({ textContent }) => textContent);
  const memory = ({ all }: Shown): string => all('.stridelab-comparison p')[0]?.textContent ?? '';
  const answer =
    (other: ArrayDescription) =>
    (method: string): Record<string, unknown> =>
      method === 'arrays' ? { arrays: [{ name: 'b', summary: 'float32 (4, 2)' }] } : { description: other };

  test('with a variable of the notebook: rows that differ have a sign and a word, shared memory is described', async () => {
    const shown = open(answer(strided));
    shown.view.update(live, true);
    await choose(shown, 'b: ');
    expect(shown.asked).toEqual([
      ['arrays', undefined],
      ['describe', { name: 'b' }]
    ]);
    expect(differences(shown)).toEqual(['strides']);
    expect(shown.all('[data-differs] td').map(({ textContent }) => textContent)).toContain('≠ differs');
    expect(memory(shown)).toBe('Same memory block, they overlap: writing one changes the other.');
  });

  test('an answer that arrives after another choice is not shown', async () => {
    const shown = open(() => ({ arrays: [] }));
    const waiting: Record<string, (other: ArrayDescription) => void> = {};
    views.pop()?.dispose();
    shown.host.replaceChildren();
    const channel = {
      request: (method: string, parameters: Record<string, unknown> = {}): Promise<Message> =>
        method === 'arrays'
          ? Promise.resolve({
              content: { arrays: ['b', 'c'].map(name => ({ name, summary: 'an array' })) },
              buffers: []
            })
          : new Promise(resolve => {
              waiting[parameters['name'] as string] = description =>
                resolve({ content: { description }, buffers: [] });
            }),
      onPush: () => () => undefined
    };
    const view = createArrayInspector(shown.host, { channel });
    views.push(view);
    view.update(live, true);
    select(shown).dispatchEvent(new Event('focusin', { bubbles: true }));
    await settled();
    for (const name of ['b: an array', 'c: an array']) {
      select(shown).value = name;
      select(shown).dispatchEvent(new Event('change', { bubbles: true }));
    }
    waiting['c']?.({ ...live, dtype: 'int8' });
    for (let turn = 0; turn < 100 && differences(shown).length === 0; turn++) await settled();
    waiting['b']?.(strided);
    await settled();
    expect(differences(shown)).toEqual(['dtype']);
  });

  test.each([
    [
      { ...strided, storage: { address: '0x7f8a5c000200', bytes: 96, offset: 80 } },
      'Same memory block, no overlap'
    ],
    [
      {
        ...live,
        shape: [6],
        strides: [8],
        size: 6,
        storage: { address: '0x7f8a5c000900', bytes: 48, offset: 0 }
      },
      'Different memory blocks, no overlap'
    ],
    [{ ...live, device: { ...live.device, label: 'cuda:0' } }, 'different devices'],
    [freed, 'is unknown'],
    [{ ...live, storage: { address: '<b>', bytes: 1, offset: 0 } }, 'is unknown']
  ] as const)('memory %#', async (other, words) => {
    const shown = open(answer({ ...other, dtype: 'x' }));
    shown.view.update(live, true);
    await choose(shown, 'b: ');
    expect(memory(shown)).toContain(words);
  });

  test('interleaved elements share no byte', async () => {
    const even = { ...live, dtype: 'even', shape: [6], strides: [8], size: 6 };
    const shown = open(
      answer({ ...even, dtype: 'odd', storage: { address: '0x7f8a5c000200', bytes: 48, offset: 4 } })
    );
    shown.view.update(even, true);
    await choose(shown, 'b: ');
    expect(memory(shown)).toContain('interleaved without overlap');
  });

  test('without a kernel another picture on the page can be selected, not the same one', async () => {
    const [one, two] = [open(), open()];
    one.view.update(live, false);
    two.view.update({ ...strided, dtype: 'int32' }, false);
    expect(one.all('.stridelab-comparison [aria-live]')[0]?.textContent).toContain('Without a kernel');
    await choose(one, 'picture 1');
    expect(options(one)).toEqual(['None', 'picture 1: int32 (4, 2)']);
    expect(differences(one)).toContain('dtype');
    two.view.dispose();
    select(one).dispatchEvent(new Event('focusin', { bubbles: true }));
    await settled();
    expect(options(one)).toEqual(['None']);
  });

  test('a refusal of the kernel and malformed answers are reported', async () => {
    const shown = open(method => {
      if (method === 'arrays') return { arrays: [{ name: 'b', summary: 's' }] };
      throw new Error('The variable b no longer holds an array.');
    });
    shown.view.update(live, true);
    select(shown).dispatchEvent(new Event('focusin', { bubbles: true }));
    await settled();
    select(shown).value = 'b: s';
    select(shown).dispatchEvent(new Event('change', { bubbles: true }));
    await settled();
    expect(shown.all('.stridelab-comparison [aria-live]')[0]?.textContent).toContain(
      'no longer holds an array'
    );
    const odd = open(() => ({}));
    odd.view.update(live, true);
    select(odd).dispatchEvent(new Event('focusin', { bubbles: true }));
    await settled();
    expect(options(odd)).toHaveLength(2);
  });
});
