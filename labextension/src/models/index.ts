/** Exports of the module `stridelab` for widget managers; also the whole bundle for static pages. */

import { liveWidget } from './live-widget.ts';

export { AnyModel, AnyView } from './any-widget.ts';
export { MODULE_NAME, MODULE_VERSION } from './version.ts';

export const { Model: ArrayInspectorModel, View: ArrayInspectorView } = liveWidget('ArrayInspector');
export const { Model: StreamTimelineModel, View: StreamTimelineView } = liveWidget('StreamTimeline');
export const { Model: DeviceCardModel, View: DeviceCardView } = liveWidget('DeviceCard');
export const { Model: HandshakeDiagramModel, View: HandshakeDiagramView } = liveWidget('HandshakeDiagram');
export const { Model: StreamPillModel, View: StreamPillView } = liveWidget('StreamPill');
export const { Model: ClusterViewModel, View: ClusterViewView } = liveWidget('ClusterView');
export const { Model: MemoryViewModel, View: MemoryViewView } = liveWidget('MemoryView');
export const { Model: LaunchViewModel, View: LaunchViewView } = liveWidget('LaunchView');
