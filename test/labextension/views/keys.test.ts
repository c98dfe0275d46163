import { keepKeys } from '../../../labextension/src/views/kit/keys.ts';
import { nextCell } from '../../../labextension/src/views/kit/cursor.ts';

let host: HTMLElement;

/** Whether a key press in an element of `html` propagates out of the picture. */
function leaves(html: string, init: KeyboardEventInit): boolean {
  host.innerHTML = html;
  let left = false;
  const note = (): void => void (left = true);
  document.body.addEventListener('keydown', note, { once: true });
  host.firstElementChild!.dispatchEvent(
    new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init })
  );
  document.body.removeEventListener('keydown', note);
  return left;
}

beforeEach(() => {
  host = document.createElement('div');
  keepKeys(host);
  document.body.replaceChildren(host);
});

const BUTTON = '<button>Press</button>';
const FIELD = '<input type="text">';
const BOX = '<input type="checkbox">';
const CHOICE = '<select><option>a</option></select>';
const FOLD = '<summary>more</summary>';
const TEXT = '<p>text</p>';

test.each([
  ['a button', BUTTON, ['Enter', ' '], ['ArrowDown', 'd', 'Escape', 'F2']],
  ['a fold', FOLD, ['Enter', ' '], ['ArrowDown', 'b']],
  [
    'a field',
    FIELD,
    ['d', ' ', 'Enter', 'ArrowDown', 'Home', 'Backspace', 'Delete'],
    ['Escape', 'F2', 'Tab']
  ],
  ['a box', BOX, [' ', 'ArrowUp'], ['d', 'Escape']],
  ['a choice', CHOICE, ['ArrowDown', 'a', ' '], ['Escape']],
  ['a text', TEXT, [], ['Enter', 'ArrowDown', 'd', ' ']]
])('%s handles the keys that it uses', (_what, html, kept, passed) => {
  for (const key of kept) expect([key, leaves(html, { key })]).toEqual([key, false]);
  for (const key of passed) expect([key, leaves(html, { key })]).toEqual([key, true]);
});

test.each([BUTTON, FIELD, BOX, CHOICE, FOLD, TEXT])('in %s shortcuts are JupyterLab’s', html => {
  expect(leaves(html, { key: 's', ctrlKey: true })).toBe(true);
  expect(leaves(html, { key: 's', metaKey: true })).toBe(true);
  expect(leaves(html, { key: 'C', ctrlKey: true, shiftKey: true })).toBe(true);
  expect(leaves(html, { key: 'A', altKey: true, shiftKey: true })).toBe(true);
});

test('a field edits: select all, copy, undo and moves by word are handled by it', () => {
  for (const key of ['a', 'c', 'v', 'z', 'y', 'ArrowLeft', 'Backspace'])
    expect([key, leaves(FIELD, { key, ctrlKey: true })]).toEqual([key, false]);
  for (const key of ['b', 'f', 'Enter'])
    expect([key, leaves(FIELD, { key, ctrlKey: true })]).toEqual([key, true]);
});

test('a key that a handler used is not passed on', () => {
  host.addEventListener('keydown', event => event.preventDefault(), { capture: true });
  expect(leaves(TEXT, { key: 'm' })).toBe(false);
});

test('arrows move between the cells of a grid; with Ctrl, Shift or Alt they are shortcuts', () => {
  const move = (init: KeyboardEventInit): unknown =>
    nextCell(new KeyboardEvent('keydown', init), [1, 1], { height: 3, width: 3, page: 2 });
  expect(move({ key: 'ArrowDown' })).toEqual([2, 1]);
  expect(move({ key: 'End', ctrlKey: true })).toEqual([2, 2]);
  for (const init of [{ shiftKey: true, ctrlKey: true }, { altKey: true }, { metaKey: true }])
    expect(move({ key: 'ArrowUp', ...init })).toBeUndefined();
});
