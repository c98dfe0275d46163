/** What people set of the values that an inspector reads. */

import { createLook } from '../../../labextension/src/views/array-inspector/look.ts';
import { englishPhrases } from '../../../labextension/src/views/phrases.ts';
import { DEFAULT_VIEW_SETTINGS, useViewSettings } from '../../../labextension/src/views/settings.ts';
import { live } from '../fixtures.ts';

afterEach(() => useViewSettings(DEFAULT_VIEW_SETTINGS));

function openLook(): { readonly asked: string[]; readonly element: HTMLElement } {
  const asked: string[] = [];
  const channel = {
    request: (method: string) => {
      asked.push(method);
      return Promise.resolve({ content: {}, buffers: [] });
    },
    onPush: () => () => undefined
  };
  const look = createLook({
    phrases: englishPhrases,
    channel,
    method: 'values',
    parameters: () => ({}),
    show: () => undefined
  });
  document.body.append(look.element);
  look.update(live, true);
  look.open();
  return { asked, element: look.element };
}

test('values are read as their tab opens', () => {
  expect(openLook().asked).toEqual(['values']);
});

test('or only on a click, where that is set', async () => {
  useViewSettings({ ...DEFAULT_VIEW_SETTINGS, autoloadValues: false });
  const { asked, element } = openLook();
  await new Promise(resolve => setTimeout(resolve, 20));
  expect(asked).toEqual([]);
  expect(element.textContent).toContain('Nothing is copied before a click');
  element.querySelector('button')?.click();
  expect(asked).toEqual(['values']);
});
