/** The kernel half of a launch's picture, with a fake page. */

import { openPicture } from '../../../kernel/widgets/pictures/open.ts';
import { arange, DISPLAY_METHOD } from '../../../src/index.ts';
import { PICTURE_MIME_TYPE, WIDGET_VIEW_TYPE } from '../../../src/pictures/kit/live-messages.ts';
import type { LaunchPicture } from '../../../src/pictures/launch/schema.ts';
import { kernelOf } from '../../src/kernels/kernel-of.ts';
import { page, withPage } from './page.ts';

withPage();

test('a launch opens as a widget whose bundle also has the static picture', () => {
  const twice = kernelOf(1, '(x) => { x[cuda.grid(1)] *= 2; }', {}, { name: 'twice' });
  const x = arange(64, { dtype: 'float32', device: 'sim:0' });
  const widget = openPicture(twice.picture({ grid: 1, block: 64 }, x));
  const picture = widget.picture as LaunchPicture;
  expect(picture.sites.map(({ kind, units }) => [kind, units])).toEqual([
    ['read', 8],
    ['write', 8]
  ]);
  const bundle = widget[DISPLAY_METHOD]();
  expect(bundle[PICTURE_MIME_TYPE]).toEqual({ view: 'LaunchView', picture });
  expect(bundle['text/plain']).toContain('read x: 4 sectors, 100 %');
  expect(bundle[WIDGET_VIEW_TYPE]).toBeDefined();

  // Nothing runs again when a page shows it.
  page.change(widget, { _view_count: 1 });
  expect(widget.picture).toBe(picture);
  expect(x.item(3)).toBe(3);
});
