/** Opens the live picture for the argument of `inspect`. */

import { NDArray } from '../../../src/array/array.ts';
import { ObservedCluster } from '../../../src/cluster/observed-cluster.ts';
import { Device } from '../../../src/core/device.ts';
import { RecordedLaunch } from '../../../src/kernels/launch/recorded.ts';
import { Exchanges } from '../../../src/recording/exchanges/exchanges.ts';
import type { Inspectable } from '../../../src/pictures/inspect.ts';
import { Trace } from '../../../src/recording/trace/trace.ts';
import { Stream } from '../../../src/core/stream.ts';
import { MemoryLog } from '../../../src/recording/memory/memory-log.ts';
import { ArrayInspector } from './array/array-inspector.ts';
import { ClusterView } from './cluster/cluster-view.ts';
import { DeviceCard } from './device/device-card.ts';
import { HandshakeDiagram } from './handshake/handshake-diagram.ts';
import { LaunchView } from './launch/launch-view.ts';
import type { LiveWidget } from './kit/live-widget.ts';
import { StreamTimeline } from './timeline/stream-timeline.ts';
import { StreamPill } from './stream/stream-pill.ts';
import { boundUnwatched } from './kit/unwatched.ts';
import { MemoryView } from './memory/memory-view.ts';

/** Opens the picture. Its bundle shows the widget; pages without widgets show the static picture in it. */
export function openPicture(value: Inspectable): LiveWidget<object> {
  const picture = widgetFor(value);
  boundUnwatched(picture);
  return picture;
}

/** Creates the widget of a value, without showing it. */
export function widgetFor(value: Inspectable): LiveWidget<object> {
  if (value instanceof NDArray) return new ArrayInspector(value);
  if (value instanceof Trace) return new StreamTimeline(value);
  if (value instanceof Device) return new DeviceCard(value);
  if (value instanceof Stream) return new StreamPill(value);
  if (value instanceof Exchanges) return new HandshakeDiagram({}, 'recorded');
  if (value instanceof MemoryLog) return new MemoryView(value);
  if (value instanceof ObservedCluster) return new ClusterView(value);
  if (value instanceof RecordedLaunch) return new LaunchView(value);
  throw new TypeError(
    `inspect: a ${typeof value} has no live picture; expected an array, a stream, a device, trace, exchanges, memoryLog, a cluster or a recorded launch`
  );
}
