/** The one-line summary: dtype, shape, size, device (marked when simulated), and the lifetime badge. */

import type { Lifetime } from '../../../../src/pictures/array/schema.ts';
import { formatShape } from '../../../../src/layout/shape-text.ts';
import { createBadge, type Badge } from '../kit/badge.ts';
import { part, setAttribute, setText } from '../kit/dom.ts';
import { formatBytes } from '../../../../src/base/bytes-text.ts';
import type { ChangeMarks } from '../kit/change-marks.ts';
import { type Frame, showState } from '../kit/framed.ts';
import type { Panel } from './panel/panel.ts';
import { formatCount, __ } from '../kit/phrases.ts';

export function createHeader(marks: ChangeMarks, frame: Frame): Panel {
  const name = part('code', 'name');
  const dtype = part('strong', 'dtype');
  const shape = part('span', 'shape');
  const bytes = part('span', 'fact');
  const device = part('span', 'device');
  const simulated = createBadge();

  return {
    element: part('div', 'header', name, dtype, shape, bytes, device, simulated, frame.state),
    update(array) {
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
      showState(frame, liveState(array.lifetime), invalidWord(array.lifetime));
    }
  };
}

function liveState(lifetime: Lifetime): Parameters<Badge['show']> {
  if (lifetime === 'freed')
    return ['freed', __('freed'), __('The memory was freed; the pointer must not be used.')];
  if (lifetime === 'lost') return ['lost', __('lost'), __('The device and the values are lost.')];
  return ['live', __('live'), __('The memory is allocated.')];
}

/** Returns the word for a snapshot of invalid memory; undefined otherwise. */
function invalidWord(lifetime: Lifetime): string | undefined {
  if (lifetime === 'freed') return __('snapshot, freed');
  return lifetime === 'lost' ? __('snapshot, lost') : undefined;
}
