/** The page half of a launch's picture. */

import { createLaunchView } from '../../../labextension/src/views/launch/launch-view.ts';
import type { View } from '../../../labextension/src/views/kit/view.ts';
import type { LaunchPicture } from '../../../src/pictures/launch/schema.ts';
import { launchPicture, type Entry } from '../../setup/launch-record.ts';

const TEXT = `(x, y) => {
  const i = cuda.grid(1);
  y[i] = x[i + 1];
  s[2 * i] = 0;
  if (i < 8) return;
}`;
const ENTRIES: readonly Entry[] = [
  { line: 3, offset: lane => 4 * lane + 4 },
  { line: 3, kind: 'write', array: 1 },
  { line: 3, kind: 'write', array: 1, warp: 1, lanes: 0b1010, offset: lane => 128 + 4 * lane },
  { line: 3, kind: 'write', array: 1, block: 2, offset: lane => 512 + 4 * lane },
  { line: 4, kind: 'write', array: 2, offset: lane => 8 * lane },
  { line: 4, kind: 'write', array: 2, offset: lane => 16 * lane },
  { line: 5, into: 0xff }
];
const PICTURE: LaunchPicture = {
  ...launchPicture(ENTRIES, { text: TEXT }),
  faults: [{ row: 2, kind: 'race', message: 'y[0] is used by two threads <b>at once</b>' }]
};

let host: HTMLElement;
let view: View;

beforeEach(() => {
  host = document.createElement('div');
  document.body.append(host);
  view = createLaunchView(host, {});
});
afterEach(() => {
  view.dispose();
  host.remove();
});

const all = <Kind extends Element = HTMLElement>(selector: string): Kind[] => [
  ...host.querySelectorAll<Kind>(selector)
];
/** The text of what is visible. */
const text = (selector: string): string => {
  const copy = host.querySelector(selector)!.cloneNode(true) as HTMLElement;
  for (const hidden of copy.querySelectorAll('[hidden]')) hidden.remove();
  return copy.textContent;
};
const lines = (): HTMLElement[] => all('button.stridelab-launch-row');
const current = (): string => text('[aria-current]');
const lanes = (): HTMLElement[] => all('.stridelab-launch-lanes button');
const sentence = (): string => text('.stridelab-launch-warp > p');
const readout = (): string => text('.stridelab-launch-warp p.stridelab-muted');
const pickers = (): string[] =>
  all('.stridelab-choices > label')
    .filter(label => !label.hidden)
    .map(label => label.firstChild!.textContent!);
const rows = (table: Element | undefined): string[][] =>
  [...table!.querySelectorAll('tbody tr')].map(row => [...row.children].map(cell => cell.textContent));

function press(target: Element, key: string): void {
  target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
}
function pick(label: string, value: string): void {
  const select = all('.stridelab-choices > label')
    .find(each => each.textContent.startsWith(label))!
    .querySelector('select')!;
  select.value = value;
  select.dispatchEvent(new Event('change'));
}

test('shows the launch, its totals and its faults', () => {
  view.update(PICTURE, true);
  expect(text('.stridelab-header')).toBe(
    'smoothgrid (4, 1, 1), block (64, 1, 1), 256 threadssim:0 (simulated)✕faults'
  );
  expect(all('.stridelab-strip > *').map(({ textContent }) => textContent)).toEqual([
    '1 fault',
    '14 sectors of 32 bytes, 93 % used',
    'Bank conflicts: 6 passes over 32 banks, 2 would do',
    'Divergent branches: 1 of 1'
  ]);
  expect(text('.stridelab-launch-faults')).toBe('y[0] is used by two threads <b>at once</b>');
  expect(host.querySelector('b')).toBeNull();
  expect(host.querySelector('section')?.getAttribute('aria-label')).toBe('Launch of smooth');
});

test('has the source with figures at the lines that access memory, branch or fault', () => {
  view.update(PICTURE, true);
  expect(all('.stridelab-launch-row code').map(({ textContent }) => textContent)).toEqual(
    TEXT.replace(/^ {2}(?=\S)/gm, '  ').split('\n')
  );
  expect(lines().map(({ textContent }) => textContent)).toEqual([
    '3  y[i] = x[i + 1];read x: 5 sectors, 80 %write y: 3 sectors, 100 %✕race',
    '4  s[2 * i] = 0;write s: 3-way bank conflict',
    '5  if (i < 8) return;◐divergent warps: 1 of 1'
  ]);
});

test('arrows choose a line, and the panel follows; the first choice is one that could be cheaper', () => {
  view.update(PICTURE, true);
  expect(current()).toContain('y[i] = x[i + 1];');
  expect(sentence()).toBe('read x by warp 0 of block (0, 0, 0): 5 sectors, 80 %');
  press(lines()[0]!, 'ArrowDown');
  expect(document.activeElement).toBe(lines()[1]);
  expect(sentence()).toBe('write s by warp 0 of block (0, 0, 0): 2-way bank conflict');
  press(lines()[1]!, 'End');
  expect(sentence()).toBe('divergent warps: 1 of 1');
  expect(host.querySelector<HTMLElement>('.stridelab-launch-warp > div')?.hidden).toBe(true);
  press(lines()[2]!, 'ArrowDown');
  expect(current()).toContain('y[i] = x[i + 1];');
  // One line is in the tab order.
  expect(lines().map(({ tabIndex }) => tabIndex)).toEqual([0, -1, -1]);
});

test('the pointer chooses a line until one is clicked', () => {
  view.update(PICTURE, true);
  const over = (line: number): boolean => lines()[line]!.dispatchEvent(new MouseEvent('pointerenter'));
  over(1);
  expect(current()).toContain('s[2 * i] = 0;');
  lines()[0]!.focus();
  over(2);
  expect(current()).toContain('y[i] = x[i + 1];');
});

test('the pickers offer what was recorded, and only what differs', () => {
  view.update(PICTURE, true);
  expect(pickers()).toEqual(['Access']);
  pick('Access', '1');
  expect(pickers()).toEqual(['Access', 'Block', 'Warp']);
  expect(sentence()).toBe('write y by warp 0 of block (0, 0, 0): 4 sectors, 100 %');
  pick('Warp', '1');
  expect(sentence()).toBe('write y by warp 1 of block (0, 0, 0): 1 sector, 100 %');
  expect(
    lanes()
      .filter(lane => !lane.hasAttribute('data-off'))
      .map(lane => lane.textContent)
  ).toEqual(['1', '3']);
  // This block has no warp 1.
  pick('Block', '2');
  expect(sentence()).toBe('write y by warp 0 of block (2, 0, 0): 4 sectors, 100 %');
  press(lines()[0]!, 'ArrowDown');
  expect(pickers()).toEqual(['Time']);
  pick('Time', '1');
  expect(sentence()).toBe('write s by warp 0 of block (0, 0, 0): 4-way bank conflict');
});

test('a lane tells its thread, byte and element, and its line stands out', () => {
  view.update(PICTURE, true);
  expect(readout()).toBe('Point at a lane, or use the arrow keys.');
  lanes()[0]!.focus();
  press(lanes()[0]!, 'ArrowRight');
  expect(document.activeElement).toBe(lanes()[1]);
  expect(readout()).toBe('Lane 1, thread (1, 0, 0): byte 8, element x[2], sector 0');
  expect(lanes()[1]!.getAttribute('aria-label')).toBe(readout());
  expect(all('path[data-marked]')).toEqual([all('path')[1]]);
  press(lanes()[1]!, 'End');
  expect(readout()).toBe('Lane 31, thread (31, 0, 0): byte 128, element x[32], sector 4');
  lanes()[31]!.blur();
  expect(all('path[data-marked]')).toEqual([]);
  press(lines()[0]!, 'ArrowDown');
  lanes()[3]!.focus();
  expect(readout()).toBe('Lane 3, thread (3, 0, 0): byte 24, element s[6], bank 6');
});

test('draws the sectors of the cache lines, and the words that each bank serves', () => {
  view.update(PICTURE, true);
  expect(all('path').length).toBe(32);
  expect(all('.stridelab-sector').map(sector => sector.hasAttribute('data-touched'))).toEqual(
    [1, 1, 1, 1, 1, 0, 0, 0].map(Boolean)
  );
  expect(all('svg text').map(({ textContent }) => textContent)).toEqual(['byte 0', 'byte 128']);
  expect(all('rect[data-group="0"]').length).toBe(8);
  press(lines()[0]!, 'ArrowDown');
  // Sixteen banks serve two words each.
  expect(all('.stridelab-sector[data-touched]').length).toBe(16);
  expect(all('rect[data-group]').length).toBe(32);
  expect(host.querySelector('svg')?.getAttribute('aria-hidden')).toBe('true');
});

test('elements of several axes have an index for each; those of other layouts a number', () => {
  const [x, ...others] = PICTURE.arrays;
  const elementOf = (shape: readonly number[] | null): string => {
    view.update({ ...PICTURE, arrays: [{ ...x!, shape }, ...others] }, true);
    lanes()[8]!.focus();
    return /element (.*), sector/.exec(readout())![1]!;
  };
  expect(elementOf([64])).toBe('x[9]');
  expect(elementOf([8, 4])).toBe('x[2][1]');
  expect(elementOf([2, 3, 4])).toBe('x[0][2][1]');
  expect(elementOf([1, 2, 3, 4])).toBe('x + 9');
  expect(elementOf(null)).toBe('x + 9');
});

test('tables have the same in numbers', () => {
  view.update(PICTURE, true);
  const [ofLanes, ofSites] = all('table');
  expect(rows(ofLanes)[31]).toEqual(['31', '(31, 0, 0)', '128', 'x[32]', 'sector 4']);
  expect(rows(ofSites)).toEqual([
    ['3', 'read x', '1', '1', '32', '5', '4', '5 sectors, 80 %'],
    ['3', 'write y', '3', '3', '66', '9', '9', '3 sectors, 100 %'],
    ['4', 'write s', '1', '2', '64', '6', '2', '3-way bank conflict']
  ]);
});

test('an update with the same picture keeps the choice; another run begins anew', () => {
  view.update(PICTURE, true);
  press(lines()[0]!, 'ArrowDown');
  const line = lines()[1];
  view.update(PICTURE, false);
  expect([lines()[1], current().includes('s[2 * i]')]).toEqual([line, true]);
  view.update(launchPicture([{ line: 2, offset: lane => 128 * lane }]), true);
  expect(sentence()).toBe('read x by warp 0 of block (0, 0, 0): 32 sectors, 13 %');
  expect(text('.stridelab-lifetime')).toBe('✓checked');
  expect(host.querySelector<HTMLElement>('.stridelab-launch-faults')?.hidden).toBe(true);
  // So many cache lines have no room for labels.
  expect(all('svg text')).toEqual([]);
});

test('a launch without accesses has its source alone', () => {
  view.update(launchPicture([]), true);
  expect(lines()).toEqual([]);
  expect(text('.stridelab-launch-columns')).toContain('y[i] = x[i];');
  expect(host.querySelector<HTMLElement>('.stridelab-launch-warp > div')?.hidden).toBe(true);
});

test('a line stands above each helper, also one of the next line', () => {
  view.update(launchPicture([{ line: 3, file: 1 }], { text: '(x, y) => x' }), true);
  expect(all('.stridelab-launch-apart').map(row => row.textContent)).toEqual([
    expect.stringMatching(/^2function twice/)
  ]);
});

test.each([
  [{ version: 1 }, 'version 1, and this page draws version 2'],
  [{ version: 2 }, 'cannot be read'],
  [null, 'has not sent']
])('%p is reported', (data, why) => {
  view.update(data, true);
  expect(text('[role=alert]')).toContain(why);
});
