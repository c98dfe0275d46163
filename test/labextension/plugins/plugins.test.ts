import { IJupyterWidgetRegistry } from '@jupyter-widgets/base';
import type { IWidgetRegistryData } from '@jupyter-widgets/base';
import type { JSONObject } from '@lumino/coreutils';
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import pictures from '../../../labextension/src/plugins/pictures.ts';
import { PictureRenderer } from '../../../labextension/src/views/picture-renderer.ts';
import widgets from '../../../labextension/src/plugins/widgets.ts';
import { PICTURE_MIME_TYPE } from '../../../src/pictures/kit/live-messages.ts';
import { ARRAY_MIME_TYPE } from '../../../src/pictures/kit/live-messages.ts';
import { live } from '../fixtures.ts';

test('the widgets plugin requires the registry only', () => {
  expect([widgets.id, widgets.requires, widgets.optional]).toEqual([
    'stridelab:widgets',
    [IJupyterWidgetRegistry],
    [ITranslator]
  ]);
});

test.each([
  ['with a translator', nullTranslator],
  ['without', null]
])('it registers a model and a view that load on request, %s', async (_, translator) => {
  const registered: IWidgetRegistryData[] = [];
  const registry = { registerWidget: (data: IWidgetRegistryData) => void registered.push(data) };
  await widgets.activate({} as JupyterFrontEnd, registry, translator);
  const { name, exports } = registered[0] as IWidgetRegistryData;
  expect(name).toBe('stridelab');
  const classes = typeof exports === 'function' ? await exports() : exports;
  const names = Object.keys(classes);
  expect(names).toEqual(
    expect.arrayContaining(['AnyModel', 'AnyView', 'ArrayInspectorModel', 'ArrayInspectorView'])
  );
  for (const model of names.filter(found => found.endsWith('Model')))
    expect(names).toContain(model.replace(/Model$/, 'View'));
});

test('the static renderer is safe, and is ranked between the live widget and HTML', () => {
  expect(pictures.rendererFactory.safe).toBe(true);
  expect(pictures.rendererFactory.mimeTypes).toEqual([ARRAY_MIME_TYPE, PICTURE_MIME_TYPE]);
  expect(pictures.rank).toBeGreaterThan(-10);
  expect(pictures.rank).toBeLessThan(50);
});

test('a static picture is a snapshot without live buttons', async () => {
  const renderer = new PictureRenderer({ mimeType: ARRAY_MIME_TYPE });
  const data = { [ARRAY_MIME_TYPE]: JSON.parse(JSON.stringify(live)) as JSONObject };
  await renderer.renderModel({ trusted: false, data, metadata: {}, setData: () => undefined });
  expect(renderer.node.querySelector('.stridelab-lifetime')?.textContent).toContain('snapshot');
  const labels = [...renderer.node.querySelectorAll('.stridelab-button:not([hidden])')].map(
    button => button.textContent
  );
  expect(labels).toEqual(['Copy descriptor as JSON']);
  renderer.dispose();
});

test('a picture of an unknown, newer view is named, and nothing is guessed', async () => {
  const renderer = new PictureRenderer({ mimeType: PICTURE_MIME_TYPE });
  const data = { [PICTURE_MIME_TYPE]: { view: 'Hologram', picture: {} } };
  await renderer.renderModel({ trusted: false, data, metadata: {}, setData: () => undefined });
  expect(renderer.node.textContent).toContain('no picture named Hologram');
  renderer.dispose();
});

test('of two consecutive pictures the later one is shown, whichever code loads first', async () => {
  const renderer = new PictureRenderer({ mimeType: PICTURE_MIME_TYPE });
  const render = (view: string): Promise<void> =>
    renderer.renderModel({
      trusted: false,
      data: { [PICTURE_MIME_TYPE]: { view, picture: null } },
      metadata: {},
      setData: () => undefined
    });
  // The first has code to load, the second does not.
  await Promise.all([render('StreamTimeline'), render('Hologram')]);
  expect(renderer.node.textContent).toContain('no picture named Hologram');
  renderer.dispose();
});
