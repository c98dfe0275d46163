import { layOut } from '../../../labextension/src/views/memory/layout.ts';
import { createMemoryView } from '../../../labextension/src/views/memory/memory-view.ts';
import type { Allocation, Segment } from '../../../labextension/src/views/memory/history.ts';
import type { Message } from '../../../labextension/src/views/kit/view.ts';
import { until } from '../../setup/until.ts';
import { device, pictureOf, rowsOf, withoutDrawing } from './memory-pictures.ts';

const MEBI = 2 ** 20;

beforeAll(withoutDrawing);
afterEach(() => document.body.replaceChildren());

interface Asked {
  readonly method: string;
  readonly parameters: unknown;
}

function open(data: unknown, connected = true, answer?: (asked: Asked) => Promise<Message>) {
  const asked: Asked[] = [];
  const channel = answer && {
    request: (method: string, parameters?: object) => {
      asked.push({ method, parameters });
      return answer({ method, parameters });
    },
    onPush: () => () => undefined
  };
  const view = createMemoryView(document.body, { channel });
  view.update(data, connected);
  const root = document.body.querySelector('.stridelab-memory-view') as HTMLElement;
  const text = (selector: string): string => root.querySelector(selector)?.textContent ?? `no ${selector}`;
  const rows = (): string[] => [...root.querySelectorAll('tbody tr')].map(row => row.textContent);
  const press = (selector: string, ...keys: string[]): void => {
    for (const key of keys)
      root.querySelector(selector)?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  };
  const button = (label: string): HTMLButtonElement =>
    [...root.querySelectorAll('button')].find(one => one.textContent === label) as HTMLButtonElement;
  return { view, root, text, rows, press, button, asked };
}

const slider = '[role=slider]';
const readout = '.stridelab-mv-readout span';

test('a lost device has a sentence in place of figures', () => {
  const { view, root, text, rows } = open(
    pictureOf({ devices: [{ ...device, problem: 'the device is lost' }] })
  );
  expect(text('.stridelab-mv-usage p')).toBe('The driver does not respond: the device is lost');
  expect(root.querySelector<HTMLElement>('.stridelab-mv-usage ul')?.hidden).toBe(true);
  expect(rows()).not.toEqual([]);
  view.update(pictureOf(), true);
  expect(root.querySelector<HTMLElement>('.stridelab-mv-usage ul')?.hidden).toBe(false);
  expect(root.querySelector<HTMLElement>('.stridelab-mv-usage p')?.hidden).toBe(true);
});

test('bar, cursor and table show what is in use now, largest first', () => {
  const { text, rows } = open(pictureOf());
  expect(text('.stridelab-mv-usage ul')).toContain('3 MiB in use');
  expect(text('.stridelab-mv-usage ul')).toContain('1 MiB reserved');
  expect(text('.stridelab-mv-usage ul')).toContain('0 B other use');
  expect(text('.stridelab-mv-usage ul')).toContain('peak 3 MiB');
  expect(text(readout)).toBe('Event 4 of 4 (400 ms, In [3]): ✕ 1 TiB refused; 2 MiB in use');
  expect(text('caption')).toBe('2 alive at the cursor, 2 MiB');
  expect(rows()).toEqual([
    expect.stringMatching(/^1 MiBa–––before the log/),
    expect.stringMatching(/^1 MiBc \(view d\)float32 \(512, 512\)In \[2\]stream #31.8 sCell \[2\]:1:9/)
  ]);
});

test('each key moves the cursor, and the blocks of that time are shown', () => {
  const { text, rows, press, root } = open(pictureOf());
  press(slider, 'Home');
  expect(text(readout)).toBe('Before the first event: 1 MiB in use');
  expect(rows()).toHaveLength(1);
  press(slider, 'ArrowRight', 'ArrowUp');
  expect(text(readout)).toMatch(/^Event 2 of 4 .*: \+1 MiB c \(view d\); 4 MiB in use$/);
  expect(rows()[0]).toContain('b');
  press(slider, 'ArrowRight');
  expect(text(readout)).toContain('−2 MiB b; 2 MiB in use');
  press(slider, 'PageDown');
  expect(root.querySelector(slider)?.getAttribute('aria-valuenow')).toBe('0');
  press(slider, 'PageUp');
  expect(root.querySelector(slider)?.getAttribute('aria-valuenow')).toBe('4');
  expect(root.querySelector(slider)?.getAttribute('aria-valuetext')).toBe(text(readout));
});

test('with two cursors the table lists the blocks allocated between them that are alive at the later one', async () => {
  const { text, rows, press, button } = open(pictureOf());
  press(slider, 'Home', 'ArrowRight');
  button('Compare from here').click();
  press(slider, 'End');
  await until(() => text('caption') !== 'Loading…');
  expect(text('caption')).toBe('Between A and B: 1 allocated and still alive, 1 MiB; 1 freed, 2 MiB');
  expect(rows()).toHaveLength(1);
  // The reverse drag selects the same range.
  button('End comparison').click();
  button('Compare from here').click();
  press(slider, 'Home', 'ArrowRight');
  expect(text('caption')).toBe('Between A and B: 1 allocated and still alive, 1 MiB; 1 freed, 2 MiB');
});

test('a pool that does not report holes is marked as such, and one that does is not', () => {
  const { view, root } = open(pictureOf());
  expect(root.textContent).not.toContain('does not tell');
  view.update(pictureOf({ devices: [{ ...device, holes: null, largest: null, kept: 3 * 2 ** 20 }] }), true);
  expect(root.textContent).toContain('does not report its holes. 3 MiB is reserved.');
});

test('the keyboard moves through blocks and holes, and the table marks the row', () => {
  const { text, press, root } = open(pictureOf());
  expect(text('[role=option]')).toMatch(/^a, 1 MiB, 0x10000000, slab 1 · 4 MiB$/);
  press('[role=listbox]', 'ArrowRight');
  expect(text('[role=option]')).toMatch(/^hole, 2 MiB, 0x10100000/);
  expect(root.querySelector('tr[aria-current]')).toBeNull();
  press('[role=listbox]', 'End');
  expect(text('[role=option]')).toMatch(/^c \(view d\), 1 MiB, 0x10300000, float32 \(512, 512\), In \[2\]/);
  expect(root.querySelector('tr[aria-current]')?.textContent).toContain('c (view d)');
  expect(text('.stridelab-memory-view p:not([role])')).toBe(
    'Holes: 1, 2 MiB in total, largest 2 MiB. External fragmentation: 0 %'
  );
});

test('a block without a stack has nothing to open, and a truncated name can be read', () => {
  const { root, press } = open(pictureOf());
  press(slider, 'End');
  const rows = [...root.querySelectorAll<HTMLElement>('tbody tr')];
  const opens = rows.map(row => row.querySelector('details')?.hidden === false);
  expect(opens).toContain(true);
  expect(opens).toContain(false);
  expect(rows.map(row => row.querySelector('[title]')?.getAttribute('title'))).toContain('c (view d)');
});

test('an update keeps the cursor, the focus, the open stack and the selection', () => {
  const { view, root, text, press } = open(pictureOf());
  press(slider, 'Home', 'ArrowRight', 'ArrowRight');
  const before = text(readout);
  const row = [...root.querySelectorAll('tbody tr')].find(one =>
    one.textContent.includes('c (view')
  ) as HTMLElement;
  row.click();
  (row.querySelector('details') as HTMLDetailsElement).open = true;
  (root.querySelector(slider) as HTMLElement).focus();
  view.update(pictureOf({ now: 9000 }), true);
  expect(text(readout)).toBe(before);
  expect(row.isConnected).toBe(true);
  expect(row.querySelector('details')?.open).toBe(true);
  expect(row.getAttribute('aria-current')).toBe('true');
  expect(document.activeElement).toBe(root.querySelector(slider));
  // A new start clears the selection.
  view.update(pictureOf({ start: 2 }), true);
  expect(text(readout)).toContain('Event 4 of 4');
});

test('headers sort, by number and by text, in both directions', () => {
  const { rows, button, root } = open(pictureOf());
  button('Variable').click();
  expect(rows().map(row => row.slice(0, 7))).toEqual(['1 MiBa–', '1 MiBc ']);
  button('Variable').click();
  expect(rows()[0]).toContain('c (view d)');
  expect(root.querySelector('[aria-sort]')?.getAttribute('aria-sort')).toBe('descending');
  button('Age').click();
  expect(root.querySelectorAll('[aria-sort]')).toHaveLength(1);
  expect(rows()[0]).toContain('c (view d)');
});

test('a failure has a row, a sentence and a place in time', async () => {
  const { text, button, press } = open(pictureOf());
  await until(() => text('.stridelab-mv-failures li').startsWith('✕'));
  expect(text('.stridelab-mv-failures')).toContain(
    '✕ 1 TiB refusedIn [3], 400 ms. Too large: the device has 1.0 MiB free.'
  );
  press(slider, 'Home');
  button('Show').click();
  expect(text(readout)).toContain('1 TiB refused');
});

describe('data that cannot be shown', () => {
  test.each([
    ['nothing', null],
    ['a number', 5],
    ['no devices', { version: 1 }],
    ['rows that are none', pictureOf({ rows: null as never })],
    ['a device that is none', pictureOf({ devices: [null as never] })]
  ])('%s is a sentence, not half a picture', (_name, data) => {
    const { text, root } = open(data);
    expect(text('[role=alert]')).not.toBe('');
    expect((root.querySelector('[role=slider]') as HTMLElement).closest('[hidden]')).not.toBeNull();
  });

  test('a newer version is reported', () => {
    expect(open({ ...pictureOf(), version: 99 }).text('[role=alert]')).toContain('99');
  });
});

test('no device, no log, no events: each has advice', () => {
  const { view, text } = open(pictureOf({ devices: [], rows: rowsOf([]) }));
  expect(text(readout)).toContain('create an array');
  const off = { state: 'off', next: 0, rows: rowsOf([{ id: 0, bytes: 5, pointer: 1, owner: 'a' }]) } as const;
  view.update(pictureOf({ ...off, devices: [{ ...device, history: [], peak: null }] }), true);
  expect(text(readout)).toContain('memoryLog.start()');
  expect(text('.stridelab-lifetime')).toContain('not recording');
  view.update(pictureOf({ ...off, state: 'recording' }), true);
  expect(text(readout)).toContain('No events yet');
});

test('without a kernel it is a snapshot, and buttons are disabled with the reason', () => {
  const { text, button, asked } = open(pictureOf(), false, () => Promise.reject(new Error('never asked')));
  expect(text('.stridelab-lifetime')).toContain('snapshot');
  expect(button('Refresh').getAttribute('aria-disabled')).toBe('true');
  expect(text('[role=status]')).toContain('No kernel');
  button('Refresh').click();
  expect(asked).toEqual([]);
});

test('a snapshot without room for the past says so, and does not move', () => {
  const { text, root, press } = open(pictureOf({ complete: false, omitted: 40 }), false);
  expect(text(readout)).toContain('This snapshot has only the latest state');
  expect(text('caption')).toContain('40 smaller ones are not in this snapshot');
  expect(root.querySelector(slider)?.getAttribute('aria-disabled')).toBe('true');
  press(slider, 'Home');
  expect(text('caption')).toContain('2 alive at the cursor');
});

test('with a kernel the rows arrive in columns of doubles, then only changes, with new names', async () => {
  const { rows } = pictureOf();
  const toBuffers = (of: typeof rows): DataView[] =>
    [of.allocations, of.segments, of.failures].map(
      numbers => new DataView(Float64Array.from(numbers).buffer)
    );
  const changes = rowsOf([
    { id: 2, pointer: 0x10300000, bytes: MEBI, owner: 'c', made: 1, madeAt: 200, freed: 4, freedAt: 500 },
    { id: 9, pointer: 0x10300000, bytes: MEBI, owner: 'e', made: 5, madeAt: 600 }
  ]);
  const answers: Message[] = [
    {
      content: { start: 1, whole: true, first: 0, next: 4, texts: rows.texts, names: [] },
      buffers: toBuffers(rows)
    },
    {
      content: {
        start: 1,
        whole: false,
        first: 0,
        next: 6,
        texts: [...changes.texts, 'renamed'],
        names: [0, changes.texts.length, 1]
      },
      buffers: toBuffers(changes)
    }
  ];
  const {
    view,
    asked,
    text,
    rows: shown
  } = open(pictureOf({ complete: false }), true, () => Promise.resolve(answers.shift() as Message));
  await new Promise(resolve => setTimeout(resolve));
  expect(asked).toEqual([{ method: 'rows', parameters: { start: -1, after: 0 } }]);
  expect(text(readout)).toContain('Event 4 of 4');
  view.update(pictureOf({ complete: false, next: 6 }), true);
  await new Promise(resolve => setTimeout(resolve));
  expect(asked[1]).toEqual({ method: 'rows', parameters: { start: 1, after: 4 } });
  expect(text(readout)).toMatch(/^Event 6 of 6 .*: \+1 MiB e; 2 MiB in use$/);
  expect(shown()).toEqual([expect.stringContaining('renamed'), expect.stringContaining('e')]);
  // The page keeps its history while the kernel is unreachable.
  view.update(pictureOf({ complete: false, next: 6 }), false);
  expect(text(readout)).toContain('Event 6 of 6');
  expect(asked).toHaveLength(2);
});

test('each of two devices has its own picture, selected with a list', () => {
  const other = { ...device, label: 'sim:1', used: 5 * MEBI };
  const { root, text } = open(pictureOf({ devices: [device, other] }));
  const choice = root.querySelector('select') as HTMLSelectElement;
  expect([...choice.options].map(option => option.text)).toEqual(['sim:0', 'sim:1']);
  choice.selectedIndex = 1;
  choice.dispatchEvent(new Event('change'));
  expect(text('.stridelab-mv-usage ul')).toContain('5 MiB in use');
  expect(text('caption')).toContain('0 alive');
});

describe('layout', () => {
  const block = (id: number, pointer: number, bytes: number, kind = 0): Allocation =>
    ({ id, pointer, bytes, kind, owner: '' }) as Allocation;
  const slab = (pointer: number, bytes: number): Segment => ({ pointer, bytes }) as Segment;

  test('blocks and holes fill a segment; blocks outside one, and borrowed ones, have separate rows', () => {
    const alive = [block(1, 100, 10), block(2, 130, 20), block(3, 900, 5), block(4, 110, 7, 2)];
    const { rows, places } = layOut([slab(200, 50), slab(100, 50)], alive);
    expect(rows.map(({ label }) => label)).toEqual([
      'slab 1 · 50 B',
      'slab 2 · 50 B',
      'single blocks · 5 B',
      'external · 7 B'
    ]);
    expect(places.map(({ row, offset, bytes, block: of }) => [row, offset, bytes, of?.id ?? null])).toEqual([
      [0, 0, 10, 1],
      [0, 10, 20, null],
      [0, 30, 20, 2],
      [1, 0, 50, null],
      [2, 0, 5, 3],
      [3, 0, 7, 4]
    ]);
  });

  test('an empty log has an empty layout', () => {
    expect(layOut([], [])).toEqual({ rows: [], places: [] });
  });
});
