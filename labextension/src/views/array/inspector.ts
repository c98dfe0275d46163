/**
 * The array inspector: the whole description in one element. Independent of JupyterLab and the widget base,
 * so that the live widget, the static picture and a plain page share it.
 */

import { DESCRIPTION_VERSION, type ArrayDescription } from '../../../../src/pictures/array/schema.ts';
import { formatShape } from '../../../../src/layout/shape-text.ts';
import { changeSentence, createActions } from './actions.ts';
import { createComparison } from './comparison.ts';
import { createChangeMarks } from '../kit/change-marks.ts';
import { countViolations, createDescriptorPanel } from './descriptor-panel.ts';
import { countOut, createDlpackPanel } from './dlpack-panel.ts';
import { setAttribute } from '../kit/dom.ts';
import { framedView } from '../kit/framed.ts';
import { createLazyPart, type OpenedPart } from '../kit/lazy-part.ts';
import { createHeader } from './header.ts';
import { checkDescription } from './read-description.ts';
import { createStreamStrip } from './stream-strip.ts';
import { createStreamsPanel } from './streams-panel.ts';
import { createTabs, type Tabs } from '../kit/tabs.ts';
import { createStatisticsLine } from './statistics-line.ts';
import { __ } from '../kit/phrases.ts';

/** Without a channel there are no live buttons, and the state reads `snapshot`. */
export const createArrayInspector = framedView<ArrayDescription>('inspector', DESCRIPTION_VERSION, frame => {
  const marks = createChangeMarks();
  const lazy = (load: () => Promise<OpenedPart<[ArrayDescription]>>) => createLazyPart(frame.signal, load);
  const header = createHeader(marks, frame);
  const strip = createStreamStrip();
  const comparison = createComparison(frame);
  const descriptor = createDescriptorPanel(marks, comparison.element);
  const layout = lazy(async () =>
    (await import(/* webpackChunkName: "layout" */ './layout/layout-panel.ts')).createLayoutPanel()
  );
  const dlpack = createDlpackPanel(marks);
  const streams = createStreamsPanel(marks);
  const statistics = createStatisticsLine(marks, frame);
  const values = lazy(async () => (await import('./values-panel.ts')).createValuesPanel(marks, frame));
  const histogram = lazy(async () => (await import('./histogram-panel.ts')).createHistogramPanel(frame));
  const bytes = lazy(async () => (await import('./bytes-panel.ts')).createBytesPanel(frame));
  const tabs = createTabs(__('Parts of the array'), [
    { name: 'descriptor', label: __('Descriptor'), content: descriptor },
    { name: 'layout', label: __('Layout'), content: layout },
    { name: 'dlpack', label: __('DLPack'), content: dlpack },
    { name: 'streams', label: __('Streams'), content: streams },
    { name: 'values', label: __('Values'), content: values },
    { name: 'histogram', label: __('Histogram'), content: histogram },
    { name: 'bytes', label: __('Bytes'), content: bytes }
  ]);
  const actions = createActions(frame);
  const panels = [
    ...[header, statistics, strip, descriptor, comparison, layout],
    ...[dlpack, streams, values, histogram, bytes, actions]
  ];
  return {
    elements: [header, statistics, strip, tabs, actions],
    label: labelOf,
    draw(array) {
      checkDescription(array);
      setAttribute(frame.root, 'data-lifetime', frame.connected ? array.lifetime : 'snapshot');
      for (const panel of panels) panel.update(array);
      noteTabs(tabs, array);
      const changed = marks.take();
      if (changed.length > 0) actions.say(changeSentence(changed));
    },
    open: tabs.open
  };
});

function labelOf({ names: [name] = [], dtype, shape }: ArrayDescription): string {
  return name === undefined
    ? __('Array of %1, shape %2', dtype, formatShape(shape))
    : __('Array %1 of %2, shape %3', name, dtype, formatShape(shape));
}

function noteTabs(tabs: Tabs, array: ArrayDescription): void {
  const violations = countViolations(array);
  tabs.setNote('descriptor', violations > 0 ? __('✕ %1 violated', violations) : '', 'violation');
  const out = countOut(array);
  tabs.setNote('dlpack', out > 0 ? __('↗ %1 outstanding', out) : '');
  const busy = array.streams.filter(use => use.state === 'busy').length;
  if (busy > 0) tabs.setNote('streams', __('◐ %1 of %2 busy', busy, array.streams.length), 'busy');
  else tabs.setNote('streams', array.streams.length > 0 ? String(array.streams.length) : '');
}
