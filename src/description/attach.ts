/** What arrays, devices, streams and events print, and what a notebook shows for them. Imported for its effect. */

import { inspect, type InspectOptions } from 'node:util';
import { addMembers } from '../add-members.ts';
import { NDArray } from '../array.ts';
import { Device } from '../device.ts';
import { FreedError } from '../errors.ts';
import { Event } from '../event.ts';
import { look } from '../look.ts';
import { DISPLAY_METHOD, type MimeBundle } from '../notebook/host.ts';
import { Stream } from '../stream.ts';
import { formatBytes } from './bytes-text.ts';
import { renderDeviceBundle } from './device/render.ts';
import { headline } from './headline.ts';
import { renderArrayBundle } from './render.ts';
import { conditionOf } from './stream/describe.ts';
import { renderStreamBundle } from './stream/render.ts';
import { isHeld } from './streams.ts';
import { arrayText, innerArrayText } from './text/array-text.ts';

addMembers(NDArray.prototype, {
  toString(this: NDArray): string {
    return arrayText(this);
  },
  [DISPLAY_METHOD](this: NDArray): MimeBundle {
    return renderArrayBundle(this);
  },
  [inspect.custom](this: NDArray, depth: number | null, options: InspectOptions): string {
    // A list, a debugger and what lies deep inside another value have room for one line.
    if ((depth !== null && depth <= 0) || options.breakLength === Infinity)
      return `NDArray ${headline(this)}${this.freed ? ', freed' : ''}`;
    return depth === options.depth ? arrayText(this) : innerArrayText(this);
  }
});

addMembers(Device.prototype, {
  [DISPLAY_METHOD](this: Device): MimeBundle {
    return renderDeviceBundle(this);
  },
  [inspect.custom](this: Device): string {
    return `Device ${this.toString()}: ${this.name}, ${formatBytes(this.totalMemory)}`;
  }
});

addMembers(Stream.prototype, {
  [DISPLAY_METHOD](this: Stream): MimeBundle {
    return renderStreamBundle(this);
  },
  [inspect.custom](this: Stream): string {
    const { condition } = look(() => conditionOf(this));
    return `Stream ${this.toString()} on ${this.device.toString()}, handle 0x${this.handle.toString(16)}, ${condition}`;
  }
});

addMembers(Event.prototype, {
  [inspect.custom](this: Event): string {
    return `Event on ${this.device.toString()}, handle 0x${this.handle.toString(16)}, ${conditionOfEvent(this)}`;
  }
});

function conditionOfEvent(event: Event): string {
  // A question to the driver may be what lets held work run.
  if (isHeld(event)) return 'not asked whether it is done';
  try {
    return look(() => event.query()) ? 'done' : 'pending';
  } catch (error) {
    return error instanceof FreedError ? 'destroyed' : 'failed';
  }
}
