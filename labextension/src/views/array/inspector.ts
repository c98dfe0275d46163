/**
 * The array inspector: the whole description in one element. Independent of JupyterLab and the widget base,
 * so that the live widget, the static picture and a plain page share it.
 */

import type { ArrayDescription } from '../../../../src/pictures/array/schema.ts';
import { formatShape } from '../../../../src/layout/shape.ts';
import { changeSentence, createActions } from './actions.ts';
import { createComparison } from './comparison.ts';
import { createChangeMarks } from '../kit/change-marks.ts';
import { countViolations, createDescriptorPanel } from './descriptor-panel.ts';
import { countOut, createDlpackPanel } from './dlpack-panel.ts';
import { element, part, setAttribute, setLine } from '../kit/dom.ts';
import { createLazyPanel } from './lazy-panel.ts';
import { createHeader } from './header.ts';
import { readDescription } from './read-description.ts';
import { createStreamStrip } from './stream-strip.ts';
import { createStreamsPanel } from './streams-panel.ts';
import { createTabs, type Tabs } from '../kit/tabs.ts';
import type { View, ViewOptions } from '../kit/view.ts';
import { createStatisticsLine } from './statistics-line.ts';
import { __ } from '../kit/phrases.ts';

/** Creates the inspector. Without a channel there are no live buttons, and the lifetime reads `snapshot`. */
export function createArrayInspector(host: HTMLElement, { channel }: ViewOptions): View {
  const marks = createChangeMarks();
  const header = createHeader(marks, channel);
  const strip = createStreamStrip();
  const comparison = createComparison(channel);
  const descriptor = createDescriptorPanel(marks, comparison.element);
  const layout = createLazyPanel(async () =>
    (await import(/* webpackChunkName: "layout" */ './layout/layout-panel.ts')).createLayoutPanel()
  );
  const dlpack = createDlpackPanel(marks);
  const streams = createStreamsPanel(marks);
  const statistics = createStatisticsLine(marks, channel);
  const values = createLazyPanel(async () =>
    (await import('./values-panel.ts')).createValuesPanel(marks, channel)
  );
  const histogram = createLazyPanel(async () =>
    (await import('./histogram-panel.ts')).createHistogramPanel(channel)
  );
  const bytes = createLazyPanel(async () => (await import('./bytes-panel.ts')).createBytesPanel(channel));
  const tabs = createTabs(__('Parts of the array'), [
    { name: 'descriptor', label: __('Descriptor'), content: descriptor.element },
    { name: 'layout', label: __('Layout'), content: layout.element, opened: layout.opened },
    { name: 'dlpack', label: __('DLPack'), content: dlpack.element },
    { name: 'streams', label: __('Streams'), content: streams.element },
    { name: 'values', label: __('Values'), content: values.element, opened: values.opened },
    {
      name: 'histogram',
      label: __('Histogram'),
      content: histogram.element,
      opened: histogram.opened
    },
    { name: 'bytes', label: __('Bytes'), content: bytes.element, opened: bytes.opened }
  ]);
  const panels = [
    ...[statistics, strip, descriptor, comparison, layout],
    ...[dlpack, streams, values, histogram, bytes]
  ];
  const actions = createActions(channel);
  const picture = part('div', 'picture', header, statistics, strip, tabs, actions);
  const problem = element('p', { class: 'problem', role: 'alert' });
  const root = element('section', { class: 'view inspector' }, problem, picture);
  host.append(root);

  return {
    update(data, connected) {
      const result = readDescription(data);
      const isArray = 'array' in result;
      picture.hidden = !isArray;
      setLine(problem, isArray ? '' : result.problem);
      if (!isArray) return;
      const { array } = result;
      setAttribute(root, 'aria-label', labelOf(array));
      setAttribute(root, 'data-lifetime', connected ? array.lifetime : 'snapshot');
      header.update(array, connected);
      for (const panel of panels) panel.update(array, connected);
      noteTabs(tabs, array);
      actions.update(array, connected);
      const changed = marks.take();
      if (changed.length > 0) actions.say(changeSentence(changed));
    },
    open: tabs.open,
    dispose() {
      marks.dispose();
      for (const panel of [comparison, layout, values, histogram, bytes]) panel.dispose();
    }
  };
}

function labelOf(array: ArrayDescription): string {
  const [name] = array.names ?? [];
  const shape = formatShape(array.shape);
  return name === undefined
    ? __('Array of %1, shape %2', array.dtype, shape)
    : __('Array %1 of %2, shape %3', name, array.dtype, shape);
}

function noteTabs(tabs: Tabs, array: ArrayDescription): void {
  const violations = countViolations(array);
  tabs.setNote('descriptor', violations > 0 ? __('✕ %1 violated', violations) : '', 'violation');
  const out = countOut(array);
  tabs.setNote('dlpack', out > 0 ? __('↗ %1 out', out) : '');
  const busy = array.streams.filter(use => use.state === 'busy').length;
  if (busy > 0) tabs.setNote('streams', __('◐ %1 of %2 busy', busy, array.streams.length), 'busy');
  else tabs.setNote('streams', array.streams.length > 0 ? String(array.streams.length) : '');
}
