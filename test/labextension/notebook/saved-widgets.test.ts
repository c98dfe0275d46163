import { reachable } from '../../../labextension/src/notebook/saved-widgets.ts';

test('the saved models are those that outputs show, and all that these refer to in either form', () => {
  const states: Record<string, { state: Record<string, string | string[]> }> = {
    shown: { state: { children: ['IPY_MODEL_box'], text: 'anywidget: a sentence' } },
    box: { state: { inner: 'anywidget:module' } },
    module: { state: { back: 'anywidget:shown', missing: 'anywidget:unknown' } },
    other: { state: {} }
  };
  expect(Object.keys(reachable(['shown'], id => states[id]))).toEqual(['shown', 'box', 'module']);
});
