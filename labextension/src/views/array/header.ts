/** The one-line summary: dtype, shape, size, device (loudly marked when simulated), and the lifetime badge. */

import type { ArrayDescription } from '../../../../src/pictures/array/schema.ts';
import { formatShape } from '../../../../src/layout/shape.ts';
import { createBadge } from '../kit/badge.ts';
import { part, setAttribute, setText, type Part } from '../kit/dom.ts';
import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { formatCount } from '../kit/count.ts';
import { showLifetime } from './lifetime.ts';
import type { ChangeMarks } from '../kit/change-marks.ts';
import type { Channel } from '../kit/view.ts';
import { __ } from '../kit/phrases.ts';

/** The header. `connected`: a kernel is attached. */
export type Header = Part<[array: ArrayDescription, connected: boolean]>;

export function createHeader(marks: ChangeMarks, channel: Channel | undefined): Header {
  const name = part('code', 'name');
  const dtype = part('strong', 'dtype');
  const shape = part('span', 'shape');
  const bytes = part('span', 'fact');
  const device = part('span', 'device');
  const simulated = createBadge();
  const lifetime = createBadge('lifetime');

  return {
    element: part('div', 'header', name, dtype, shape, bytes, device, simulated, lifetime),
    update(array, connected) {
      const [first, ...others] = array.names ?? [];
      name.hidden = array.names === undefined;
      setText(name, first ?? __('unnamed array'));
      setAttribute(
        name,
        'title',
        others.length > 0
          ? __('also %1', others.join(', '))
          : first === undefined
            ? __('No variable of the notebook holds it.')
            : null
      );
      marks.write(dtype, array.dtype, __('dtype'));
      marks.write(shape, formatShape(array.shape), __('shape'));
      setAttribute(shape, 'title', __('shape: %1 elements', formatCount(array.size)));
      marks.write(bytes, formatBytes(array.bytes), __('size'));
      setAttribute(bytes, 'title', __('%1 bytes', formatCount(array.bytes)));
      marks.write(device, array.device.label, __('device'));
      setAttribute(device, 'title', array.device.name);
      simulated.show(
        array.device.simulated && 'simulated',
        __('simulated'),
        __('Simulated in host memory: its pointer is not a device pointer.')
      );
      showLifetime(lifetime, array.lifetime, connected, channel);
    }
  };
}
