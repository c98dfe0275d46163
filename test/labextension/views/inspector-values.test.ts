/** Values and bytes of an array, page by page. */

import { jest } from '@jest/globals';
import { createBytesPanel } from '../../../labextension/src/views/array/bytes-panel.ts';
import { pass } from '../../setup/until.ts';
import { createValuesPanel } from '../../../labextension/src/views/array/values-panel.ts';
import type { Parameters } from '../../../src/pictures/kit/live-messages.ts';
import type { ArrayDescription } from '../../../src/pictures/array/schema.ts';
import { busy, freed, large, live, unmeasured, zeroDimensional, zeroSize } from '../fixtures.ts';
import {
  all,
  button,
  frame,
  still,
  marks,
  enter,
  host,
  inPanel,
  kernel,
  one,
  open,
  press,
  settle,
  text,
  visible
} from './inspector-panel.ts';

inPanel();

describe('values', () => {
  /** Three matrices of 40 by 20, whose elements encode their position. */
  const array: ArrayDescription = { ...large, shape: [3, 40, 20], size: 2400 };
  const page = (_: string, { index, leading, row, column, rows }: Parameters): Parameters => {
    const [first, at, across] = (index ?? [(leading as number[])[0], row ?? 0, column ?? 0]) as number[];
    const firstRow = (at ?? 0) - ((at ?? 0) % (rows as number));
    const firstColumn = (across ?? 0) - ((across ?? 0) % 8);
    const cells = Array.from({ length: Math.min(16, 40 - firstRow) }, (_row, r) =>
      Array.from(
        { length: Math.min(8, 20 - firstColumn) },
        (_column, c) => `${firstRow + r}.${firstColumn + c}`
      )
    );
    const cursor = index === undefined ? null : [at, across];
    return {
      ...{ height: 40, width: 20, row: firstRow, column: firstColumn, cells, cursor, leading: [first] },
      ...{ copiedBytes: 1024, stream: 'stream #1' }
    };
  };
  beforeEach(() => (kernel.answer = page));

  test('are requested when the tab is opened, and the caption gives their position', async () => {
    const panel = createValuesPanel(marks, frame);
    host.append(panel.element);
    panel.update(array);
    expect(kernel.asked).toEqual([]);
    await open(panel, array);
    expect(kernel.asked).toMatchObject([{ method: 'values', parameters: { leading: [0], rows: 16 } }]);
    expect(text('caption')).toBe(
      'Matrix [0, :, :]; rows 0–15 of 40; columns 0–7 of 20; 1 KiB copied to the host on stream #1'
    );
    expect(all('thead th').map(cell => cell.textContent)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
    expect(all('tbody tr')[3]?.querySelector('th')?.textContent).toBe('3');
  });

  test('the cursor moves beyond the page, and the focus with it', async () => {
    await open(createValuesPanel(marks, frame), array);
    const inOrder = (): string[] => all('td[tabindex="0"]').map(cell => cell.textContent ?? '');
    expect(inOrder()).toEqual(['0.0']);
    one('td[tabindex="0"]').focus();
    for (const [key, cell] of [
      ['ArrowDown', '1.0'],
      ['ArrowRight', '1.1'],
      ['End', '1.19'],
      ['PageDown', '17.19'],
      ['Home', '17.0'],
      ['ArrowUp', '16.0'],
      ['ArrowUp', '15.0']
    ] as const) {
      press(key);
      await settle();
      expect([document.activeElement?.textContent, ...inOrder()]).toEqual([cell, cell]);
    }
    press('End', { ctrlKey: true });
    await settle();
    expect(document.activeElement?.textContent).toBe('39.19');
    expect(text('.stridelab-readout')).toBe('[0, 39, 19] = 39.19');
    press('Tab');
    expect(document.activeElement?.textContent).toBe('39.19');
  });

  test('after a page that the kernel shortened comes the next element, not the next requested one', async () => {
    kernel.answer = (_, { row, column }) => {
      const [firstRow, firstColumn] = [(row as number | undefined) ?? 0, (column as number | undefined) ?? 0];
      const at = firstRow - (firstRow % 2);
      const cells = [0, 1].map(r => [0, 1, 2].map(c => `${at + r}.${firstColumn - (firstColumn % 3) + c}`));
      return {
        ...page('', { leading: [0], rows: 2 }),
        row: at,
        column: firstColumn - (firstColumn % 3),
        cells
      };
    };
    await open(createValuesPanel(marks, frame), array);
    const first = (): string | null | undefined => one('tbody td[tabindex]').textContent;
    for (const [name, cell] of [
      ['Next rows', '2.0'],
      ['Next columns', '2.3'],
      ['Next rows', '4.3'],
      ['Previous rows', '2.3'],
      ['Previous columns', '2.0']
    ] as const) {
      button(name).click();
      await settle();
      expect(first()).toBe(cell);
    }
  });

  test('a late answer does not move the cursor back', async () => {
    const panel = await open(createValuesPanel(marks, frame), array);
    one('td[tabindex="0"]').focus();
    // Requested by the tab, and still in transit when the key requests another page.
    panel.opened();
    press('PageDown');
    await settle();
    await settle();
    expect(document.activeElement?.textContent).toBe('16.0');
    panel.opened();
    enter('axis 0', '2');
    await settle();
    await settle();
    expect(text('caption')).toContain('Matrix [2, :, :]; rows 16–31');
  });

  test('an index can be entered, an axis selected, and buttons turn pages to the last one', async () => {
    await open(createValuesPanel(marks, frame), array);
    enter('Go to index', '2, 33, 7');
    await settle();
    expect(text('.stridelab-readout')).toBe('[2, 33, 7] = 33.7');
    expect(button('Next rows').getAttribute('aria-disabled')).toBe('true');
    expect(all('.stridelab-axes input').map(input => (input as HTMLInputElement).value)).toEqual(['2']);
    enter('axis 0', '1');
    await settle();
    expect(text('caption')).toContain('Matrix [1, :, :]; rows 32–39');
    button('Previous rows').click();
    await settle();
    expect(text('caption')).toContain('rows 16–31');
    const before = kernel.asked.length;
    button('Previous columns').click();
    expect(kernel.asked).toHaveLength(before);
  });

  describe('as many columns as fit', () => {
    /** Widths of the panel and of each cell, in pixels. */
    let [room, cell] = [0, 0];
    let resized = (): void => undefined;
    const native = globalThis.ResizeObserver;
    beforeEach(() => {
      globalThis.ResizeObserver = class extends native {
        constructor(callback: ResizeObserverCallback) {
          super(callback);
          resized = () => callback([], this);
        }
      };
      jest.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockImplementation(() => room);
      jest.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockImplementation(() => cell);
      kernel.answer = (_, { columns, row = 0, column = 0, index }) => {
        const [across, wide] = [
          (index as number[] | undefined)?.[0] ?? (column as number),
          columns as number
        ];
        const first = across - (across % wide);
        const cells = [0, 1].map(r =>
          Array.from({ length: Math.min(wide, 100 - first) }, (__, c) => `${r}.${first + c}`)
        );
        return {
          height: 2,
          width: 100,
          row,
          column: first,
          cells,
          cursor: null,
          leading: [],
          copiedBytes: 8,
          stream: 's'
        };
      };
    });
    afterEach(() => {
      globalThis.ResizeObserver = native;
      jest.restoreAllMocks();
    });
    const asked = (): unknown[] => kernel.asked.map(({ parameters }) => parameters['columns']);
    const wide: ArrayDescription = { ...live, shape: [2, 100], size: 200 };

    test('is determined by the widest cell of the page, and again when the width changes; the cursor stays visible', async () => {
      [room, cell] = [1040, 40];
      await open(createValuesPanel(marks, frame), wide);
      await settle();
      expect(asked().at(-1)).toBe(25);
      one('tbody td').focus();
      for (let step = 0; step < 30; step += 1) press('ArrowRight');
      await settle();
      expect(document.activeElement?.textContent).toBe('0.30');
      room = 440;
      resized();
      await settle();
      expect([asked().at(-1), document.activeElement?.textContent]).toEqual([10, '0.30']);
      const before = asked().length;
      resized();
      await settle();
      expect(asked()).toHaveLength(before);
      // A hidden tab has no width.
      room = 0;
      resized();
      expect(asked()).toHaveLength(before);
    });

    test('columns that became wider stay so: paging back and forth does not change where pages begin', async () => {
      [room, cell] = [1040, 40];
      await open(createValuesPanel(marks, frame), wide);
      await settle();
      cell = 80;
      button('Next columns').click();
      await settle();
      await settle();
      expect(asked().at(-1)).toBe(12);
      cell = 40;
      button('Previous columns').click();
      await settle();
      await settle();
      expect(asked().at(-1)).toBe(12);
    });
  });

  test('a page blocked by pending work says so, and is waited for after a click only', async () => {
    kernel.answer = (method, parameters) =>
      parameters['wait'] === true ? page(method, parameters) : { waits: ['stream #2'] };
    await open(createValuesPanel(marks, frame), { ...array, preview: null });
    expect(text('.stridelab-look')).toContain('Reading would wait for stream #2.');
    expect(visible(one('table'))).toBe(false);
    button('Show anyway').click();
    await settle();
    expect(kernel.asked.at(-1)?.parameters['wait']).toBe(true);
    expect(visible(one('table'))).toBe(true);
    expect(visible(one('.stridelab-look'))).toBe(false);
  });

  test("the kernel's refusal is shown as a sentence", async () => {
    kernel.answer = () => {
      throw new Error('There is no element [9].');
    };
    await open(createValuesPanel(marks, frame), array);
    expect(text('.stridelab-look')).toContain('There is no element [9].');
    expect(one('.stridelab-look').dataset['kind']).toBe('error');
  });

  test('a use of the array requests the open page again, and changes are marked', async () => {
    let version = 0;
    kernel.answer = (method, parameters) => {
      const told = page(method, parameters);
      const cells = (told['cells'] as string[][]).map(row => [...row]);
      (cells[2] as string[])[1] = `v${version}`;
      return { ...told, cells };
    };
    const panel = await open(createValuesPanel(marks, frame), array);
    const streams = busy.streams.map(use => ({ ...use, state: 'idle' as const }));
    // The inspector closes a picture.
    marks.take();
    expect(all('.stridelab-changed')).toEqual([]);
    version = 1;
    panel.update({ ...array, streams });
    await pass(500, 'marks of changes expire after a time');
    expect(all('.stridelab-changed').map(cell => cell.textContent)).toEqual(['v1']);
    host.hidden = true;
    panel.update(array);
    await pass(500, 'marks of changes expire after a time');
    expect(kernel.asked).toHaveLength(2);
  });

  test('special values have signs, colours have a legend', async () => {
    kernel.answer = (method, parameters) => ({
      ...page(method, parameters),
      cells: [['NaN', 'Infinity', '-Infinity', '-0', '--', '-2', '4', '0']]
    });
    await open(createValuesPanel(marks, frame), { ...array, statistics: unmeasured('', true) });
    const cells = all('td[tabindex]');
    expect(cells.map(cell => cell.textContent)).toEqual(['NaN', '∞', '−∞', '−0', '--', '-2', '4', '0']);
    expect(cells.map(cell => cell.dataset['special'])).toEqual([
      ...['nan', 'inf', 'inf', 'zero', 'masked'],
      ...[undefined, undefined, undefined]
    ]);
    expect(visible(one('.stridelab-scale'))).toBe(false);
    enter('Colour', 'on');
    expect(
      cells.slice(5).map(cell => [cell.dataset['tint'], cell.style.getPropertyValue('--share')])
    ).toEqual([
      ['negative', '50%'],
      ['positive', '100%'],
      [undefined, '0%']
    ]);
    expect(cells.slice(5).map(cell => cell.dataset['far'])).toEqual(['', '', undefined]);
    expect(text('.stridelab-scale')).toBe('−4+4');
    expect(one('.stridelab-scale').dataset['scale']).toBe('diverging');
    enter('Colour', 'off');
    expect(all('td[data-tint]')).toEqual([]);
  });

  test('non-negative values have a scale from zero to the largest; if all are zero there is none', async () => {
    kernel.answer = (method, parameters) => ({
      ...page(method, parameters),
      cells: [['0', '5', '10', 'NaN']]
    });
    await open(createValuesPanel(marks, frame), {
      ...array,
      dtype: 'uint8',
      statistics: unmeasured('', true)
    });
    enter('Colour', 'on');
    const tints = all('td[tabindex]').map(({ dataset: { tint, far } }) => [tint, far]);
    expect(tints).toEqual([
      ['amount', undefined],
      ['amount', ''],
      ['amount', ''],
      [undefined, undefined]
    ]);
    expect(text('.stridelab-scale')).toBe('0+10');
    expect(one('.stridelab-scale').dataset['scale']).toBe('sequential');
    host.replaceChildren();
    kernel.answer = (method, parameters) => ({ ...page(method, parameters), cells: [['0', '0']] });
    await open(createValuesPanel(marks, frame), { ...array, statistics: unmeasured('', true) });
    expect(visible(one('input[type=checkbox]'))).toBe(false);
  });

  test('without a kernel the first values of the picture are shown, marked as a snapshot', async () => {
    for (const [panel, connected] of [
      [createValuesPanel(marks, still), false],
      [createValuesPanel(marks, frame), false]
    ] as const) {
      host.replaceChildren();
      await open(panel, live, connected);
      expect(all('tbody tr').map(row => row.textContent)).toEqual(['00123', '14567', '2891011']);
      expect(text('.stridelab-look')).toContain('snapshot');
      expect(visible(one('.stridelab-tools'))).toBe(false);
    }
    expect(kernel.asked).toEqual([]);
  });

  test('one axis is folded, no axis has no numbers', async () => {
    const panel = createValuesPanel(marks, still);
    await open(
      panel,
      { ...live, shape: [20], size: 20, preview: { ...large.preview!, rows: [['5', '6']] } },
      false
    );
    expect(all('thead th').map(cell => cell.textContent)).toEqual(['+0', '+1']);
    expect(text('caption')).toMatch(/^elements 0–1 of 20; .* copied/);
    host.replaceChildren();
    await open(createValuesPanel(marks, still), zeroDimensional, false);
    expect(all('th').map(cell => cell.textContent)).toEqual(['', '']);
    expect(text('.stridelab-readout')).toBe('[] = 42');
  });

  test.each([
    [zeroSize, 'no elements'],
    [freed, 'freed'],
    [{ ...live, lifetime: 'freed' as const }, 'freed'],
    [{ ...live, preview: null }, 'No values were copied']
  ])('without values, %#, the reason is shown', async (nothing, reason) => {
    await open(createValuesPanel(marks, still), nothing, false);
    expect(visible(one('table'))).toBe(false);
    expect(text('.stridelab-empty')).toContain(reason);
  });
});

describe('bytes', () => {
  /** float32 1 and -2 with four unrelated bytes in between, in 20 bytes. */
  const memory = ['0000803f', 'deadbeef', '000000c0', '48692100', 'ffffffff'].join('').match(/../g) ?? [];
  beforeEach(
    () =>
      (kernel.answer = (_, { row = 0 }) => ({
        ...{
          height: 2,
          width: 16,
          row: Number(row) > 1 ? 1 : 0,
          column: 0,
          cells: [memory.slice(0, 16), memory.slice(16)]
        },
        ...{ cursor: null, copiedBytes: 20, stream: 'stream #1', address: '0x7f00' },
        elements: [
          [0, [0], '1'],
          [8, [1], '-2']
        ],
        number: { bytes: 4, sign: 1, exponent: 8, bias: 127 }
      }))
  );
  const array: ArrayDescription = { ...live, shape: [2], strides: [8], size: 2 };
  const own = (): string[] => all('[data-own]').map(cell => cell.textContent ?? '');

  test('colours show the value of a byte, for bytes of the array only', async () => {
    await open(createBytesPanel(frame), array);
    expect(all('td[data-tint]')).toEqual([]);
    enter('Colour', 'on');
    expect(all('td[data-tint="amount"]').map(cell => cell.style.getPropertyValue('--share'))).toEqual([
      ...['0%', '0%', '50%', '25%'],
      ...['0%', '0%', '0%', '75%']
    ]);
    expect(text('.stridelab-scale')).toBe('00ff');
  });

  test('offset, address, sixteen bytes and their text are shown; bytes outside the array are marked', async () => {
    await open(createBytesPanel(frame), array);
    expect(kernel.asked).toMatchObject([{ method: 'bytes', parameters: { index: [0], rows: 16 } }]);
    const [first, second] = all('tbody tr');
    expect(first?.textContent).toBe(`+00000x7f00${memory.slice(0, 16).join('')}···?········Hi!·`);
    expect(second?.textContent).toContain('+00100x7f10ffffffff');
    expect(all('td[tabindex]:not([data-outside])').map(cell => cell.textContent)).toEqual([
      ...['00', '00', '80', '3f'],
      ...['00', '00', '00', 'c0']
    ]);
    expect(text('caption')).toContain('20 B copied to the host on stream #1');
  });

  test('the bytes of the element under the cursor are marked and decoded', async () => {
    await open(createBytesPanel(frame), array);
    expect(own()).toEqual(['00', '00', '80', '3f']);
    expect(text('.stridelab-lens')).toMatch(
      /\[0\] = 1.*0x3f800000.*0sign.*01111111exponent: 127 − 127 = 0.*mantissa/
    );
    one('td[tabindex="0"]').focus();
    press('ArrowRight', { ctrlKey: true });
    expect(own()).toEqual(['00', '00', '00', 'c0']);
    expect(text('.stridelab-lens')).toMatch(/\[1\] = -2.*0xc0000000.*1sign/);
    press('ArrowLeft');
    expect(own()).toEqual([]);
    expect(text('.stridelab-lens')).toContain('Outside this array');
    button('◂ Element').click();
    expect(own()).toEqual(['00', '00', '80', '3f']);
  });

  test('the cursor stays on existing bytes', async () => {
    await open(createBytesPanel(frame), array);
    one('td[tabindex="0"]').focus();
    for (const key of ['End', 'ArrowDown', 'ArrowDown']) {
      press(key);
      await settle();
    }
    expect(document.activeElement?.textContent).toBe('ff');
    expect(all('td[tabindex="0"]')).toHaveLength(1);
  });

  test('without a kernel the reason is shown', async () => {
    await open(createBytesPanel(still), live, false);
    expect(visible(one('table'))).toBe(false);
    expect(text('.stridelab-empty')).toContain('not saved');
    host.replaceChildren();
    await open(createBytesPanel(frame), freed);
    expect(text('.stridelab-empty')).toContain('freed');
  });
});
