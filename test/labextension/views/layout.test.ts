import { createLayoutPanel } from '../../../labextension/src/views/array/layout/layout-panel.ts';
import type { ArrayDescription } from '../../../src/pictures/array/schema.ts';
import { freed, large, live, strided, zeroDimensional, zeroSize } from '../fixtures.ts';

let panel: ReturnType<typeof createLayoutPanel>;

const all = (selector: string): HTMLElement[] => [...panel.element.querySelectorAll<HTMLElement>(selector)];
const one = (selector: string): HTMLElement => all(selector)[0] as HTMLElement;
const show = (array: ArrayDescription): void => panel.update(array);
const numbers = (): string[] => all('table [role=gridcell]').map(cell => cell.textContent);
const bytes = (): (string | null)[][] =>
  all('.stridelab-strip-bytes [role=gridcell]').map(cell => [
    cell.textContent,
    cell.getAttribute('data-kind')
  ]);
const elementCell = (number: string): HTMLElement =>
  all('table [role=gridcell]').find(cell => cell.textContent === number) as HTMLElement;
const byteCell = (label: string): HTMLElement =>
  all('.stridelab-strip-bytes [role=gridcell]').find(cell =>
    cell.ariaLabel?.startsWith(label)
  ) as HTMLElement;
const sentence = (): string => one('.stridelab-sum-box p').textContent;
const formula = (): string => one('.stridelab-sum').textContent;
const press = (key: string, more: KeyboardEventInit = {}): void =>
  void document.activeElement?.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more })
  );
const hover = (cell: Element): void => void cell.dispatchEvent(new Event('pointerover', { bubbles: true }));
const focused = (): string | null | undefined => document.activeElement?.getAttribute('aria-label');
const apply = (kind: string, text: string): void => {
  const select = one('select') as HTMLSelectElement;
  select.value = kind;
  select.dispatchEvent(new Event('change'));
  const input = one('input[aria-label=Arguments]') as HTMLInputElement;
  input.value = text;
  input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
};
const facts = (): string[][] =>
  all('.stridelab-compare tbody tr').map(row => [...row.children].map(cell => cell.textContent));

const layoutOf = (
  shape: readonly number[],
  strides: readonly number[],
  storage: ArrayDescription['storage'],
  itemsize = 4
): ArrayDescription => ({
  ...live,
  shape,
  strides,
  storage,
  itemsize,
  size: shape.reduce((product, length) => product * length, 1)
});
const block = (total: number, offset = 0) => ({ address: '0x7f0000000000', bytes: total, offset });

beforeEach(() => {
  panel = createLayoutPanel();
  document.body.append(panel.element);
});
afterEach(() => panel.element.remove());

describe('the two sides', () => {
  test('rule 17: a contiguous array has its elements in memory in their order', () => {
    show(live);
    expect(numbers()).toEqual(Array.from({ length: 12 }, (_, i) => String(i)));
    expect(bytes().slice(0, 12)).toEqual(numbers().map(number => [number, 'element']));
    expect(bytes().at(-1)).toEqual(['', 'outside']);
  });

  test('rules 18, 23: gaps and negative strides are shown', () => {
    show(layoutOf([2, 2], [16, -8], block(32, 8)));
    expect(bytes().slice(0, 8)).toEqual([
      ['1', 'element'],
      ['', 'gap'],
      ['0', 'element'],
      ['', 'gap'],
      ['3', 'element'],
      ['', 'gap'],
      ['2', 'element'],
      ['', 'gap']
    ]);
    expect(one('.stridelab-axis-table').textContent).toMatch(/forwards.*backwards/);
  });

  test('rules 22, 30: stride 0 counts its repetitions, overlapping elements share bytes', () => {
    show(layoutOf([3, 2], [0, 4], block(8)));
    expect(bytes().slice(0, 2)).toEqual([
      ['0', 'shared'],
      ['1', 'shared']
    ]);
    expect(one('.stridelab-axis-table').textContent).toContain('repeats 3 times');
    show(layoutOf([3], [2], block(8)));
    expect(bytes().slice(0, 4)).toEqual([
      ['0', 'element'],
      ['1', 'shared'],
      ['2', 'shared'],
      ['', 'element']
    ]);
  });

  test('rows are aligned even if the block does not begin at a line', () => {
    show(layoutOf([8], [4], { address: '0x7f0000000070', bytes: 32, offset: 0 }));
    expect(one('[role=rowheader]').textContent).toBe('−112');
    expect(bytes()[0]).toEqual(['', 'outside']);
    expect(all('[role=row]').filter(row => row.hasAttribute('data-line'))).toHaveLength(2);
  });

  test('hovering over an element marks its bytes, and the reverse', () => {
    show(strided);
    hover(elementCell('5'));
    expect(all('.stridelab-strip-bytes [data-here]').map(cell => cell.textContent)).toEqual(['5']);
    expect(formula()).toBe('base 32 + i 2·4 + j 1·(-32) = byte 8');
    hover(byteCell('Bytes 32 to 35'));
    expect(all('table [data-here]').map(cell => cell.textContent)).toEqual(['0']);
    expect(sentence()).toBe('Bytes 32 to 35: element [0, 0] 0x7f8a5c000220');
    hover(byteCell('Bytes 16 to 31'));
    expect(sentence()).toContain('no element');
    expect(formula()).toContain('No element');
    one('.stridelab-block').dispatchEvent(new Event('pointerleave'));
    expect(sentence()).toContain('element [0, 1]');
  });

  test('every element of shared bytes is marked', () => {
    show(layoutOf([3, 2], [0, 4], block(8)));
    hover(byteCell('Bytes 4 to 7'));
    expect(sentence()).toContain('3 elements, first [0, 1]');
    expect(all('[data-here], [data-shares]').map(cell => cell.textContent)).toEqual(['1', '3', '5', '1']);
  });
});

describe('keyboard', () => {
  test('arrows, Home and End move through the elements, one of which is in the tab order', () => {
    show(live);
    elementCell('1').focus();
    const walk = ['ArrowDown', 'End', 'ArrowRight', 'ArrowLeft', 'Home', 'ArrowUp', 'ArrowUp'].map(key => {
      press(key);
      return document.activeElement?.textContent;
    });
    expect(walk).toEqual(['5', '7', '7', '6', '4', '0', '0']);
    press('End', { ctrlKey: true });
    expect([document.activeElement?.textContent, formula()]).toEqual([
      '11',
      'base 0 + i 2·16 + j 3·4 = byte 44'
    ]);
    expect(all('table [tabindex="0"]')).toEqual([document.activeElement]);
  });

  test('the window of a large array follows, PageDown and the field change the outer axis', () => {
    show(large);
    elementCell('1').focus();
    press('End');
    expect(focused()).toContain('element [0, 0, 511]');
    press('PageDown');
    expect(focused()).toContain('element [1, 0, 511]');
    const field = one('input[type=number]') as HTMLInputElement;
    expect(field.value).toBe('1');
    field.value = '99';
    field.dispatchEvent(new Event('change'));
    expect(formula()).toContain('i 7·2097152');
    expect(all('table [role=gridcell]').length).toBeLessThan(400);
  });

  test('the same keys move through the bytes, by row and by window', () => {
    show(large);
    byteCell('Bytes 0 to 7').focus();
    press('ArrowRight');
    expect(focused()).toBe('Bytes 8 to 15: element [0, 0, 1], number 1');
    press('ArrowDown');
    expect(focused()).toBe('Bytes 136 to 143: element [0, 0, 17], number 17');
    press('PageDown');
    expect(focused()).toBe('Bytes 1160 to 1167: element [0, 0, 145], number 145');
    press('Home');
    press('ArrowLeft');
    expect(focused()).toBe('Bytes 1144 to 1151: element [0, 0, 143], number 143');
    press('End', { ctrlKey: true });
    expect(focused()).toContain('element [7, 511, 511]');
  });

  test('zooming out ends with the whole block, and returns to the same byte', () => {
    show(large);
    byteCell('Bytes 8 to 15').focus();
    for (let step = 0; step < 20; step++) press('-');
    expect(all('[role=row]').length).toBeLessThanOrEqual(8);
    expect(bytes().every(([, kind]) => kind === 'other' || kind === 'element' || kind === 'shared')).toBe(
      true
    );
    for (let step = 0; step < 20; step++) press('+');
    expect(
      bytes()
        .slice(0, 4)
        .map(([text]) => text)
    ).toEqual(['0', '1', '2', '3']);
  });

  test('unused keys are left to the page', () => {
    show(live);
    elementCell('1').focus();
    const event = new KeyboardEvent('keydown', { key: 'a', bubbles: true, cancelable: true });
    document.activeElement?.dispatchEvent(event);
    expect(event.defaultPrevented).toBe(false);
  });
});

describe('what if', () => {
  const named: ArrayDescription = { ...live, names: ['w', 'alias'] };

  test('the chain begins with the name of the variable, and follows another one; without a variable this is shown', () => {
    show(named);
    apply('transpose', '1, 0');
    expect(one('.stridelab-what-if code').textContent).toBe('w.transpose(1, 0)');
    show({ ...live, names: ['layers[0]'] });
    expect(one('.stridelab-what-if code').textContent).toBe('layers[0].transpose(1, 0)');
    show({ ...live, names: [] });
    expect(one('.stridelab-what-if code').textContent).toBe('(unnamed array).transpose(1, 0)');
  });

  test('Copy as TypeScript copies an expression that reaches the array', async () => {
    const copied: string[] = [];
    Object.defineProperty(navigator, 'clipboard', {
      value: { writeText: (text: string) => Promise.resolve(copied.push(text)) },
      configurable: true
    });
    const copy = async (array: ArrayDescription): Promise<string> => {
      show(array);
      all('button')
        .find(button => button.textContent === 'Copy as TypeScript')
        ?.click();
      await new Promise(resolve => setTimeout(resolve));
      return one('[role="status"]').textContent;
    };
    expect(await copy(named)).toBe('Copied.');
    apply('transpose', '1, 0');
    expect(await copy(named)).toBe('Copied.');
    expect(await copy({ ...live, names: [] })).toBe('Copied.');
    expect(copied).toEqual([
      'w',
      'w.transpose(1, 0)',
      'import { asCudaArray } from "stridelab";\n' +
        'const unnamed = asCudaArray({ __cuda_array_interface__: { shape: [3, 4], typestr: "<f4", data: [0x7f8a5c000200n, false], strides: [16, 4], version: 3, stream: 0x5581f0a3c2d0n } });\n' +
        'unnamed.transpose(1, 0)'
    ]);
    expect(await copy({ ...live, names: [], typestr: 'none' })).toContain('assign it to a variable first');
    expect(copied).toHaveLength(3);
    Reflect.deleteProperty(navigator, 'clipboard');
  });

  test('a chain is drawn, compared with the array, written as TypeScript, and undone', () => {
    show(named);
    expect(facts()).toEqual([['This array', '(3, 4)', '(16, 4)', '0', '0 to 47', 'C', '1', '2']]);
    apply('transpose', '1, 0');
    apply('slice', ':, ::-2');
    expect(one('.stridelab-what-if code').textContent).toBe('w.transpose(1, 0).slice(null, "::-2")');
    expect(facts()[1]).toEqual([
      'What if',
      '≠ (4, 2)',
      '≠ (4, -32)',
      '≠ 32',
      '0 to 47',
      '≠ strided',
      '1',
      '≠ 2 (best 1)'
    ]);
    expect(
      bytes()
        .slice(0, 6)
        .map(([text]) => text)
    ).toEqual(['1', '3', '5', '7', '', '0']);
    all('button')
      .find(button => button.textContent === 'Undo')
      ?.click();
    expect(one('.stridelab-what-if code').textContent).toBe('w.transpose(1, 0)');
  });

  test('an impossible operation is explained, and changes nothing', () => {
    show(named);
    apply('transpose', '');
    apply('reshape', '12');
    expect(one('[role="status"]').textContent).toContain('without a copy');
    expect(one('.stridelab-what-if code').textContent).toBe('w.transpose()');
    apply('slice', 'x');
    expect(one('[role="status"]').getAttribute('data-kind')).toBe('error');
  });

  test('a valid example is suggested for each operation', () => {
    show(live);
    for (const kind of ['transpose', 'slice', 'reshape', 'broadcastTo']) {
      const select = one('select') as HTMLSelectElement;
      select.value = kind;
      select.dispatchEvent(new Event('change'));
      all('button')
        .find(button => button.textContent === 'Apply')
        ?.click();
      expect([kind, one('[role="status"]').textContent]).toEqual([
        kind,
        kind === 'reshape' ? expect.stringContaining('without a copy') : ''
      ]);
    }
  });

  test('a chain that no longer fits the array is dropped, one that fits is kept', () => {
    show(live);
    apply('slice', ':, 1');
    show({ ...live, storage: block(96, 48) });
    expect(facts()[1]?.slice(0, 4)).toEqual(['What if', '≠ (3,)', '≠ (16,)', '≠ 52']);
    show(layoutOf([12], [4], block(48)));
    expect(facts()).toHaveLength(1);
  });
});

describe('unusual arrays', () => {
  test('no axes: one element is drawn', () => {
    show(zeroDimensional);
    expect([numbers(), formula()]).toEqual([['0'], 'base 0 = byte 0']);
  });

  test('no elements: a sentence is shown', () => {
    show(zeroSize);
    expect(one('.stridelab-empty').textContent).toContain('No elements');
    expect(one('.stridelab-strip-bytes').closest('[hidden]')).not.toBeNull();
    apply('transpose', '');
    expect(facts()[1]?.[1]).toBe('≠ (4, 0)');
  });

  test('freed: drawn with its last layout, without an address', () => {
    show({ ...freed, shape: [4], strides: [-4], size: 4 });
    expect(one('.stridelab-empty').textContent).toContain('freed');
    expect(sentence()).toBe('Bytes 8 to 11: element [1] ');
  });

  test.each([
    { ...live, strides: [4] },
    { ...live, shape: [-3, 4] },
    { ...live, shape: [1.5, 8] },
    { ...live, size: 13 },
    { ...live, itemsize: 0 },
    { ...live, shape: [2 ** 40, 2 ** 40], size: 2 ** 80 }
  ])('malformed numbers are reported, not drawn %#', array => {
    show(array);
    expect(one('.stridelab-empty').textContent).toContain('do not describe');
    show(live);
    expect(numbers()).toHaveLength(12);
    expect(one('.stridelab-empty').textContent).toBe('');
  });

  test('an invalid address, and one past 2^53, are handled', () => {
    show({ ...live, storage: { ...block(48), address: '<b>' } });
    expect(numbers()).toHaveLength(12);
    show({ ...live, storage: { ...block(48), address: '0xffffffffffffff10' } });
    expect(sentence()).toContain('0xffffffffffffff14');
  });
});
