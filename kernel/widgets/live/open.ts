/** Opens the live picture of what `inspect` is given. */

import { NDArray } from '../../../src/array.ts';
import { Device } from '../../../src/device.ts';
import { Exchanges } from '../../../src/exchanges.ts';
import type { Inspectable } from '../../../src/inspect.ts';
import { Trace } from '../../../src/trace.ts';
import { Stream } from '../../../src/stream.ts';
import { MemoryLog } from '../../../src/memory/memory-log.ts';
import { ArrayInspector } from './array-inspector.ts';
import { DeviceCard } from './device-card.ts';
import { HandshakeDiagram } from './handshake-diagram.ts';
import type { LiveWidget } from './live-widget.ts';
import { StreamTimeline } from './stream-timeline.ts';
import { StreamPill } from './stream-pill.ts';
import { boundUnwatched } from './unwatched.ts';
import { MemoryView } from './memory-view.ts';

/** Its bundle shows the widget; pages without widgets show the static picture in it. */
export function openPicture(value: Inspectable): LiveWidget<object> {
  const picture = widgetFor(value);
  boundUnwatched(picture);
  return picture;
}

/** Not shown yet. */
export function widgetFor(value: Inspectable): LiveWidget<object> {
  if (value instanceof NDArray) return new ArrayInspector(value);
  if (value instanceof Trace) return new StreamTimeline(value);
  if (value instanceof Device) return new DeviceCard(value);
  if (value instanceof Stream) return new StreamPill(value);
  if (value instanceof Exchanges) return new HandshakeDiagram({}, 'recorded');
  if (value instanceof MemoryLog) return new MemoryView(value);
  throw new TypeError(`inspect: there is no live picture of a ${typeof value}`);
}
