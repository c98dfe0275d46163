/** Adds the printed form and the notebook display of the library's objects. Imported for its side effect. */

import { inspect, type InspectOptions } from 'node:util';
import { addMembers } from '../base/add-members.ts';
import { NDArray } from '../array/array.ts';
import { ClusterTrace } from '../cluster/cluster-trace.ts';
import { ObservedCluster } from '../cluster/observed-cluster.ts';
import { Device } from '../core/device.ts';
import { FreedError } from '../base/errors.ts';
import { Event } from '../core/event.ts';
import { look } from '../core/look.ts';
import { DISPLAY_METHOD, notebookHost, type MimeBundle } from '../notebook/host.ts';
import { Exchanges } from '../recording/exchanges/exchanges.ts';
import { MemoryLog } from '../recording/memory/memory-log.ts';
import { Trace } from '../recording/trace/trace.ts';
import { describeCluster } from './cluster/describe.ts';
import { renderCluster, renderClusterLine } from './cluster/render.ts';
import { FIRST_LESSON, handshakePicture } from './handshake/picture.ts';
import { renderExchanges, renderExchangesText } from './handshake/render.ts';
import type { PictureTexts } from './kit/live-messages.ts';
import { staticBundle } from './kit/static-picture.ts';
import { RecordedLaunch } from '../kernels/launch/recorded.ts';
import { describeLaunch } from './launch/describe.ts';
import { renderLaunch } from './launch/render.ts';
import { describeMemory } from './memory/picture.ts';
import { renderMemory, renderMemoryText } from './memory/render.ts';
import { escape } from './kit/html.ts';
import { alignmentText } from './timeline/alignment.ts';
import { renderTrace, renderTraceText } from './timeline/render.ts';
import { tracePicture } from './timeline/summary.ts';
import { Stream } from '../core/stream.ts';
import { formatBytes } from '../base/bytes-text.ts';
import { describeDevice } from './device/describe.ts';
import { renderDevice } from './device/render.ts';
import { headline } from '../array/headline.ts';
import { renderArrayBundle } from './array/render.ts';
import { conditionOf, describeStream, recentOperations } from './stream/describe.ts';
import { renderStream } from './stream/render.ts';
import { isHeld } from './kit/streams.ts';
import { arrayText, innerArrayText } from './text/array-text.ts';

function bundleOf<Picture>(
  view: string,
  picture: Picture,
  render: (picture: Picture) => PictureTexts
): MimeBundle {
  return staticBundle(view, picture, render(picture));
}

addMembers(NDArray.prototype, {
  toString(this: NDArray): string {
    return arrayText(this);
  },
  [DISPLAY_METHOD](this: NDArray): MimeBundle {
    return renderArrayBundle(this);
  },
  [inspect.custom](this: NDArray, depth: number | null, options: InspectOptions): string {
    // Lists, debuggers and deeply nested values have room for one line.
    if ((depth !== null && depth <= 0) || options.breakLength === Infinity)
      return `NDArray ${headline(this)}${this.freed ? ', freed' : ''}`;
    return depth === options.depth ? arrayText(this) : innerArrayText(this);
  }
});

addMembers(Device.prototype, {
  [DISPLAY_METHOD](this: Device): MimeBundle {
    return bundleOf('DeviceCard', describeDevice(this), renderDevice);
  },
  [inspect.custom](this: Device): string {
    return `Device ${this.toString()}: ${this.name}, ${formatBytes(this.totalMemory)}`;
  }
});

addMembers(Stream.prototype, {
  [DISPLAY_METHOD](this: Stream): MimeBundle {
    return bundleOf('StreamPill', describeStream(this, recentOperations(this)), renderStream);
  },
  [inspect.custom](this: Stream): string {
    const { condition } = look(() => conditionOf(this));
    return `Stream ${this.toString()} on ${this.device.toString()}, handle 0x${this.handle.toString(16)}, ${condition}`;
  }
});

addMembers(Trace.prototype, {
  [DISPLAY_METHOD](this: Trace): MimeBundle {
    const records = this.read();
    return staticBundle('StreamTimeline', tracePicture(records, this.enabled), renderTrace(records));
  },
  [inspect.custom](this: Trace): string {
    return renderTraceText(this.read());
  }
});

addMembers(Exchanges.prototype, {
  [DISPLAY_METHOD](this: Exchanges): MimeBundle {
    const { enabled: recording } = this;
    const { events: exchanges, dropped } = this.read();
    const picture = handshakePicture('recorded', FIRST_LESSON, { exchanges, recording, dropped });
    return staticBundle('HandshakeDiagram', picture, renderExchanges(exchanges, recording));
  },
  [inspect.custom](this: Exchanges): string {
    return renderExchangesText(this.read().events, this.enabled);
  }
});

addMembers(MemoryLog.prototype, {
  [DISPLAY_METHOD](this: MemoryLog): MimeBundle {
    return bundleOf('MemoryView', describeMemory(this, notebookHost()?.variables?.() ?? {}), renderMemory);
  },
  [inspect.custom](this: MemoryLog): string {
    return renderMemoryText(describeMemory(this, {}));
  }
});

addMembers(ObservedCluster.prototype, {
  async [DISPLAY_METHOD](this: ObservedCluster): Promise<MimeBundle> {
    return bundleOf('ClusterView', describeCluster(await this.observe()), renderCluster);
  },
  [inspect.custom](this: ObservedCluster): string {
    return renderClusterLine(describeCluster(this.observation));
  }
});

addMembers(RecordedLaunch.prototype, {
  [DISPLAY_METHOD](this: RecordedLaunch): MimeBundle {
    return bundleOf('LaunchView', describeLaunch(this), renderLaunch);
  },
  [inspect.custom](this: RecordedLaunch): string {
    return renderLaunch(describeLaunch(this)).text;
  }
});

addMembers(ClusterTrace.prototype, {
  async [DISPLAY_METHOD](this: ClusterTrace): Promise<MimeBundle> {
    const records = await this.read();
    const { html, text } = renderTrace(records);
    const note = alignmentText(records.clocks, records.missing);
    const texts = { html: `${html}<p>${escape(note)}</p>`, text: `${text}\n${note}` };
    return staticBundle('StreamTimeline', tracePicture(records, false), texts);
  }
});

addMembers(Event.prototype, {
  [inspect.custom](this: Event): string {
    return `Event on ${this.device.toString()}, handle 0x${this.handle.toString(16)}, ${conditionOfEvent(this)}`;
  }
});

function conditionOfEvent(event: Event): string {
  // A query could let held work run.
  if (isHeld(event)) return 'not queried';
  try {
    return look(() => event.query()) ? 'done' : 'pending';
  } catch (error) {
    return error instanceof FreedError ? 'destroyed' : 'failed';
  }
}
