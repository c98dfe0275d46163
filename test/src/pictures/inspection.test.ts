/** The handle that `inspect` returns: at any time, and in every state of the picture. */

import { jest } from '@jest/globals';
import { devices, exchanges, inspect, memoryLog, trace, zeros } from '../../../src/index.ts';
import type { OpenPicture } from '../../../src/notebook/host.ts';
import { attachNotebookHost, DISPLAY_METHOD } from '../../../src/notebook/host.ts';

class Picture implements OpenPicture {
  closed = false;
  readonly done: string[] = [];
  openTab(tab: string): void {
    this.done.push(`tab ${tab}`);
  }
  place(where: string): void {
    this.done.push(`place ${where}`);
  }
  close(): void {
    this.closed = true;
    this.done.push('close');
  }
}

let picture: Picture;
let draw: () => void;

beforeEach(() => {
  picture = new Picture();
  attachNotebookHost({
    display: () => undefined,
    inspect: (_value, opened) => {
      draw = () => opened(picture);
    }
  });
});
afterEach(() => attachNotebookHost(undefined));

test('requests before the picture is drawn run once it is, in order; later ones immediately', () => {
  using w = zeros(3);
  const view = inspect(w).show('values').place('right');
  expect(picture.done).toEqual([]);
  draw();
  view.show('layout');
  expect(picture.done).toEqual(['tab values', 'place right', 'tab layout']);
});

test('closed before it is drawn, twice, and used afterwards', () => {
  using w = zeros(3);
  const view = inspect(w);
  view.close();
  view.close();
  expect(view.closed).toBe(true);
  view.show('bytes').place('below');
  draw();
  expect(picture.done).toEqual(['close']);
});

test('a picture that the page closed accepts no requests', () => {
  using w = zeros(3);
  const view = inspect(w);
  draw();
  expect(view.closed).toBe(false);
  picture.closed = true;
  expect(view.closed).toBe(true);
  view.show('values').place('tab').close();
  expect(picture.done).toEqual([]);
});

test('an unknown tab or place is refused immediately, with the known ones', () => {
  using w = zeros(3);
  expect(() => inspect(w).show('value' as 'values')).toThrow(
    'show: there is no tab "value"; it has descriptor, layout, dlpack, streams, values, histogram, bytes'
  );
  expect(() => inspect(w).place('left' as 'right')).toThrow(
    'place: "left" is not one of right, below, tab, sidebar'
  );
  expect(() => inspect(memoryLog).show('values' as never)).toThrow('this picture has no tabs');
  inspect(trace).show('list').show('summary');
  inspect(exchanges).show('steps');
  // @ts-expect-error a device's picture has no tabs
  expect(() => inspect(devices()[0]!).show('values')).toThrow('no tabs');
});

test('as the last expression it draws nothing, and awaiting it returns it', async () => {
  using w = zeros(3);
  const view = inspect(w);
  expect(view[DISPLAY_METHOD]()).toEqual({});
  expect(await Promise.resolve(view)).toBe(view);
});

test('in a plain program it prints once, and every call is accepted', () => {
  attachNotebookHost(undefined);
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    using w = zeros(3);
    inspect(w).show('values').place('right').close();
    expect(write).toHaveBeenCalledTimes(1);
  } finally {
    write.mockRestore();
  }
});
