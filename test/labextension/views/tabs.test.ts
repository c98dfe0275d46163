/** The names that `inspect(...).show` accepts, compared with the tabs that the page draws. */

import { jest } from '@jest/globals';
import { createArrayInspector } from '../../../labextension/src/views/array/inspector.ts';
import { createHandshakeDiagram } from '../../../labextension/src/views/handshake/handshake.ts';
import { createStreamTimeline } from '../../../labextension/src/views/timeline/timeline.ts';
import { ARRAY_TABS, EXCHANGES_TABS, TRACE_TABS } from '../../../src/pictures/kit/tabs.ts';

// jsdom has no canvas.
beforeEach(() => void jest.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null));

test.each([
  ['an array', createArrayInspector, ARRAY_TABS],
  ['exchanges', createHandshakeDiagram, EXCHANGES_TABS],
  ['the trace', createStreamTimeline, TRACE_TABS]
])('each tab of the picture of %s opens by its name', (_, create, names) => {
  const host = document.createElement('div');
  document.body.append(host);
  const view = create(host, {});
  const opened = names.map(name => {
    view.open!(name);
    return host.querySelector('[role=tab][aria-selected=true]');
  });
  expect(opened).toEqual([...host.querySelectorAll('[role=tab]')]);
  view.dispose();
  host.remove();
});
