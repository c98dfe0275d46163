import { IJupyterWidgetRegistry } from '@jupyter-widgets/base';
import type { IWidgetRegistryData } from '@jupyter-widgets/base';
import type { JSONObject } from '@lumino/coreutils';
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import arrayMime from '../../../labextension/src/plugins/array-mime.ts';
import { ArrayRenderer } from '../../../labextension/src/plugins/array-mime.ts';
import widgets from '../../../labextension/src/plugins/widgets.ts';
import { ARRAY_MIME_TYPE } from '../../../src/description/schema.ts';
import { live } from '../fixtures.ts';

test('the widgets plugin needs the registry alone', () => {
  expect([widgets.id, widgets.requires, widgets.optional]).toEqual([
    'stridelab:widgets',
    [IJupyterWidgetRegistry],
    [ITranslator]
  ]);
});

test.each([
  ['with a translator', nullTranslator],
  ['without', null]
])('it registers a model and a view that load when asked, %s', async (_, translator) => {
  const registered: IWidgetRegistryData[] = [];
  const registry = { registerWidget: (data: IWidgetRegistryData) => void registered.push(data) };
  await widgets.activate({} as JupyterFrontEnd, registry, translator);
  const { name, exports } = registered[0] as IWidgetRegistryData;
  expect(name).toBe('stridelab');
  const classes = typeof exports === 'function' ? await exports() : exports;
  expect(Object.keys(classes)).toEqual(['AnyModel', 'AnyView', 'ArrayInspectorModel', 'ArrayInspectorView']);
});

test('the static renderer is safe, and ranks between the live widget and HTML', () => {
  expect(arrayMime.rendererFactory.safe).toBe(true);
  expect(arrayMime.rendererFactory.mimeTypes).toEqual([ARRAY_MIME_TYPE]);
  expect(arrayMime.rank).toBeGreaterThan(-10);
  expect(arrayMime.rank).toBeLessThan(50);
});

test('a static picture is a snapshot without live buttons', async () => {
  const renderer = new ArrayRenderer({ mimeType: ARRAY_MIME_TYPE });
  const data = { [ARRAY_MIME_TYPE]: JSON.parse(JSON.stringify(live)) as JSONObject };
  await renderer.renderModel({ trusted: false, data, metadata: {}, setData: () => undefined });
  expect(renderer.node.querySelector('.stridelab-lifetime')?.textContent).toContain('snapshot');
  const labels = [...renderer.node.querySelectorAll('.stridelab-button')].map(button => button.textContent);
  expect(labels).toEqual(['Copy descriptor as JSON']);
  renderer.dispose();
});
