/** The one-line summary: dtype, shape, size, device (loudly marked when simulated), and the lifetime badge. */

import type { ArrayDescription } from '../../../../src/pictures/array/schema.ts';
import { formatShape } from '../../../../src/layout/shape.ts';
import { createBadge } from '../kit/badge.ts';
import { part, setAttribute, setText } from '../kit/dom.ts';
import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { formatCount } from '../kit/count.ts';
import { showLifetime } from './lifetime.ts';
import type { PanelContext } from './panel/panel.ts';
import type { Channel } from '../kit/view.ts';

export interface Header {
  readonly element: HTMLElement;
  /** `connected`: a kernel stands behind the picture. */
  update(array: ArrayDescription, connected: boolean): void;
}

export function createHeader({ phrases, marks }: PanelContext, channel: Channel | undefined): Header {
  const name = part('code', 'name');
  const dtype = part('strong', 'dtype');
  const shape = part('span', 'shape');
  const bytes = part('span', 'fact');
  const device = part('span', 'device');
  const simulated = createBadge();
  const lifetime = createBadge('lifetime');

  return {
    element: part('div', 'header', name, dtype, shape, bytes, device, simulated.element, lifetime.element),
    update(array, connected) {
      const [first, ...others] = array.names ?? [];
      name.hidden = array.names === undefined;
      setText(name, first ?? phrases.__('unnamed array'));
      setAttribute(
        name,
        'title',
        others.length > 0
          ? phrases.__('also %1', others.join(', '))
          : first === undefined
            ? phrases.__('No variable of the notebook holds it.')
            : null
      );
      marks.write(dtype, array.dtype, phrases.__('dtype'));
      marks.write(shape, formatShape(array.shape), phrases.__('shape'));
      setAttribute(shape, 'title', phrases.__('shape: %1 elements', formatCount(array.size)));
      marks.write(bytes, formatBytes(array.bytes), phrases.__('size'));
      setAttribute(bytes, 'title', phrases.__('%1 bytes', formatCount(array.bytes)));
      marks.write(device, array.device.label, phrases.__('device'));
      setAttribute(device, 'title', array.device.name);
      simulated.show(
        array.device.simulated && 'simulated',
        phrases.__('simulated'),
        phrases.__('Simulated in host memory: its pointer is not a device pointer.')
      );
      showLifetime(lifetime, array.lifetime, connected, phrases, channel);
    }
  };
}
