import { createArrayPicture } from '../../../labextension/src/views/array/array-picture.ts';
import type { View } from '../../../labextension/src/views/kit/view.ts';
import { freed, live } from '../fixtures.ts';

const TEXT = '[[0. 1.]\n [2. 3.]]\nfloat32 (2, 2) on sim:0 (simulated), 16 B';

let host: HTMLElement;
let picture: View;

const find = (selector: string): HTMLElement | null => host.querySelector<HTMLElement>(selector);
const open = (): void => {
  const fold = find('details') as HTMLDetailsElement;
  fold.open = true;
  fold.dispatchEvent(new Event('toggle'));
};

beforeEach(() => {
  host = document.createElement('div');
  document.body.append(host);
  picture = createArrayPicture(host, {});
});
afterEach(() => {
  picture.dispose();
  host.remove();
});

test('a result begins with its values; the inspector is created when the details below are opened', () => {
  picture.update({ ...live, text: TEXT }, false);
  expect(find('pre')?.textContent).toBe(TEXT);
  expect((find('details') as HTMLDetailsElement).open).toBe(false);
  expect(find('.stridelab-inspector')).toBeNull();
  open();
  expect(find('details .stridelab-inspector .stridelab-header')?.textContent).toContain('float32');
  picture.update({ ...freed, text: 'float32 (2, 2) on sim:0, freed' }, false);
  expect(find('pre')?.textContent).toContain('freed');
  expect(find('.stridelab-inspector .stridelab-header')?.textContent).toContain('freed');
  open();
  expect(host.querySelectorAll('.stridelab-inspector')).toHaveLength(1);
});

test('the values can be reached and scrolled with the keyboard, and have a name', () => {
  picture.update({ ...live, text: TEXT }, false);
  expect(find('pre')?.tabIndex).toBe(0);
  expect(find('pre')?.getAttribute('aria-label')).toBe('Values of the array');
});

test.each([[live], [null], [{ version: 99 }], ['text']])(
  'a description without values, %#, is the inspector alone, which reports what is wrong',
  data => {
    picture.update(data, false);
    expect(find('pre')).toBeNull();
    expect(find('.stridelab-inspector')).not.toBeNull();
  }
);

test('values are text, whatever they contain', () => {
  picture.update({ ...live, text: '["<img src=x onerror=alert(1)>"]' }, false);
  expect(find('img')).toBeNull();
});
