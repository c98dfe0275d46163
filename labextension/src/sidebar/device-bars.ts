/** The foot of the panel: how full each device is, by whom, in figures and as a bar. */

import type { DeviceEntry } from '../../../src/description/arrays-schema.ts';
import { formatBytes } from '../../../src/description/bytes-text.ts';
import { createKeyedList, element, setAttribute, setText, type KeyedChild } from '../views/dom.ts';
import type { Phrases } from '../views/phrases.ts';

export interface DeviceUse extends DeviceEntry {
  /** Bytes that the listed arrays hold there. */
  readonly arrays: number;
}

export function createDeviceBars(phrases: Phrases): {
  readonly element: HTMLElement;
  update(devices: readonly DeviceUse[]): void;
} {
  const list = element('ul', { 'aria-label': phrases.__('Memory of the devices') });
  const update = createKeyedList<DeviceUse>(
    list,
    ({ label }) => label,
    () => createDevice(phrases)
  );
  return { element: list, update };
}

function createDevice(phrases: Phrases): KeyedChild<DeviceUse> {
  const name = element('b');
  const total = element('span');
  const parts = [
    createPart('arrays', phrases.__('arrays')),
    createPart('others', phrases.__('others')),
    createPart('free', phrases.__('free'))
  ] as const;
  const bar = element(
    'div',
    { 'data-bar': '', 'aria-hidden': 'true' },
    ...parts.slice(0, 2).map(part => part.segment)
  );
  const item = element('li', {}, element('header', {}, name, total), bar, ...parts.map(part => part.legend));
  return {
    element: item,
    update({ label, name: full, simulated, total: bytes, free, arrays }) {
      setText(name, simulated ? phrases.__('%1 (simulated)', label) : label);
      setAttribute(name, 'title', full);
      setText(total, formatBytes(bytes));
      const shares = [arrays, Math.max(0, bytes - free - arrays), free];
      parts.forEach((part, index) => part.update(shares[index] ?? 0, bytes));
    }
  };
}

function createPart(kind: string, label: string) {
  const segment = element('span', { 'data-part': kind });
  const figure = element('span');
  const key = element('span', { 'data-part': kind, 'data-key': '', 'aria-hidden': 'true' });
  const legend = element('span', {}, key, `${label} `, figure);
  return {
    segment,
    legend,
    update(bytes: number, total: number): void {
      setText(figure, formatBytes(bytes));
      segment.style.width = bytes === 0 || total === 0 ? '0' : `max(2px, ${(100 * bytes) / total}%)`;
    }
  };
}
