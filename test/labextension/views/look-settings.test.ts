/** User settings for the values that an inspector reads. */

import { createLook } from '../../../labextension/src/views/array/look.ts';
import { createFrame, type Frame } from '../../../labextension/src/views/kit/framed.ts';
import type { Channel } from '../../../labextension/src/views/kit/view.ts';
import { pass, until } from '../../setup/until.ts';
import { DEFAULT_VIEW_SETTINGS, useViewSettings } from '../../../labextension/src/views/kit/settings.ts';
import { live } from '../fixtures.ts';

let ended = new AbortController();
function frameOf(request: Channel['request']): Frame {
  ended = new AbortController();
  const channel = { request, onPush: () => () => undefined };
  const frame = createFrame('inspector', channel, ended.signal);
  frame.connected = true;
  return frame;
}

afterEach(() => useViewSettings(DEFAULT_VIEW_SETTINGS));

function openLook(): { readonly asked: string[]; readonly element: HTMLElement } {
  const asked: string[] = [];
  const look = createLook({
    frame: frameOf(method => {
      asked.push(method);
      return Promise.resolve({ content: {}, buffers: [] });
    }),
    method: 'values',
    parameters: () => ({}),
    show: () => undefined
  });
  document.body.append(look.element);
  look.update(live);
  look.open();
  return { asked, element: look.element };
}

test('values are read when their tab opens', () => {
  expect(openLook().asked).toEqual(['values']);
});

test('or only after a click, if so configured', async () => {
  useViewSettings({ ...DEFAULT_VIEW_SETTINGS, autoloadValues: false });
  const { asked, element } = openLook();
  await pass(20, 'nothing must be requested meanwhile');
  expect(asked).toEqual([]);
  expect(element.textContent).toContain('Values are copied only on request');
  element.querySelector('button')?.click();
  expect(asked).toEqual(['values']);
});

test('a removed view requests nothing more', async () => {
  const asked: (() => void)[] = [];
  const look = createLook({
    frame: frameOf(() => new Promise(resolve => asked.push(() => resolve({ content: {}, buffers: [] })))),
    method: 'values',
    parameters: () => ({}),
    show: () => undefined
  });
  look.update(live);
  look.open();
  look.ask();
  ended.abort();
  asked[0]?.();
  await pass(10, 'nothing must be requested meanwhile');
  expect(asked).toHaveLength(1);
});

test('a click during a pending request is not lost', async () => {
  const asked: unknown[] = [];
  const look = createLook({
    frame: frameOf(async (_method, parameters) => {
      asked.push(parameters);
      await pass(5, 'the answer takes a while');
      return { content: { waits: ['stream #1'] }, buffers: [] };
    }),
    method: 'values',
    parameters: () => ({}),
    show: () => undefined
  });
  look.update(live);
  look.open();
  look.ask(true);
  await until(() => asked.length >= 2);
  expect(asked).toEqual([{}, { wait: true }]);
});
