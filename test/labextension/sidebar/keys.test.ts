/** One key press triggers one action: keys of the list, and buttons. */

import { createArrayList, type ListActions } from '../../../labextension/src/sidebar/array-list.ts';
import { findView } from '../../../labextension/src/views/catalogue.ts';
import { live } from '../fixtures.ts';
import { entry } from './entries.ts';

function press(target: Element, key: string, init: KeyboardEventInit = {}): boolean {
  return target.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init })
  );
}

afterEach(() => document.body.replaceChildren());

test('a key that is held down acts once, but moves repeatedly', () => {
  const done: string[] = [];
  const actions: ListActions = {
    sort: () => undefined,
    fold: key => void done.push(`fold ${key}`),
    inspect: () => void done.push('inspect'),
    free: () => void done.push('free'),
    copyName: () => void done.push('copy'),
    moved: () => void done.push('moved')
  };
  const list = createArrayList(actions);
  document.body.append(list.element);
  const rows = ['a', 'b', 'c'].map(
    name => ({ kind: 'array', key: name, level: 1, entry: entry(name) }) as const
  );
  list.update(rows, 'name', false);
  list.focus();
  done.length = 0;
  for (const key of ['Enter', 'Delete', 'c']) {
    const more = { ctrlKey: key === 'c' };
    expect(press(list.element, key, more)).toBe(false);
    // While held down the key remains ours: no other handler may act on it.
    for (let turn = 0; turn < 5; turn++)
      expect(press(list.element, key, { ...more, repeat: true })).toBe(false);
  }
  expect(done).toEqual(['inspect', 'free', 'copy']);
  press(list.element, 'ArrowDown');
  press(list.element, 'ArrowDown', { repeat: true });
  expect(list.active?.key).toBe('c');
  list.dispose();
});

test('Enter held down presses a button of a picture once; fields keep their keys', async () => {
  const host = document.createElement('div');
  document.body.append(host);
  const view = (await findView('ArrayInspector')!())(host, {});
  view.update(live, false);
  const button = host.querySelector('.stridelab-verdict')!;
  const field = document.createElement('input');
  host.append(field);
  expect(press(button, 'Enter')).toBe(true);
  expect(press(button, 'Enter', { repeat: true })).toBe(false);
  expect(press(field, 'Enter', { repeat: true })).toBe(true);
  view.dispose();
});
