/** Footer of the panel: memory in use on each device, by holder, in figures and as a bar. */

import type { DeviceEntry } from '../../../src/pictures/arrays/schema.ts';
import { formatBytes } from '../../../src/base/bytes-text.ts';
import { createButton } from '../views/kit/controls.ts';
import {
  createKeyedList,
  element,
  part,
  type Part,
  setAttribute,
  setLine,
  setText
} from '../views/kit/dom.ts';
import { createPartBar } from '../views/kit/part-bar.ts';
import { deviceSubject, type PlaceSubject } from './subjects.ts';
import { __ } from '../views/kit/phrases.ts';

/** Parts that the legend omits while they are zero. */
const OCCASIONAL: readonly string[] = ['waiting', 'kept'];

export interface DeviceUse extends DeviceEntry {
  /** Bytes that the listed arrays hold on the device. */
  readonly arrays: number;
}

export interface DeviceActions {
  inspect(subject: PlaceSubject): void;
  synchronize(subject: PlaceSubject): void;
}

/** Creates the bars. `choose` is called when commands should act on a device. */
export function createDeviceBars(
  actions: DeviceActions,
  choose: (subject: PlaceSubject) => void
): Part<[devices: readonly DeviceUse[]]> {
  const list = element('ul', { 'aria-label': __('Device memory') });
  const update = createKeyedList<DeviceUse>(
    list,
    ({ label }) => label,
    ({ label }) => createDevice(deviceSubject(label), actions, choose)
  );
  return { element: list, update };
}

function createDevice(
  subject: PlaceSubject,
  actions: DeviceActions,
  choose: (subject: PlaceSubject) => void
): Part<[DeviceUse]> {
  const inspect = createButton('', '', () => actions.inspect(subject), '');
  const synchronize = createButton(
    __('Synchronize'),
    __('Wait until all submitted work is done'),
    () => actions.synchronize(subject),
    ''
  );
  setAttribute(inspect, 'data-action', 'inspect');
  setAttribute(synchronize, 'data-action', 'synchronize');
  setAttribute(synchronize, 'aria-label', __('Synchronize %1', subject.label));
  const total = element('span');
  const labels = {
    used: __('arrays'),
    waiting: __('pending release'),
    kept: __('other kernel use'),
    other: __('other use'),
    free: __('free')
  };
  const names = Object.keys(labels);
  const bar = createPartBar(names);
  setAttribute(bar.element, 'aria-hidden', 'true');
  const entries = Object.entries(labels).map(([name, label]) => {
    const figure = element('span');
    const key = element('i', { 'data-part': name, 'aria-hidden': 'true' });
    return { figure, element: element('span', {}, key, `${label} `, figure) };
  });
  const legend = part('div', 'legend', ...entries.map(entry => entry.element));
  const figures = element('div', {}, bar, legend);
  const sentence = element('p');
  const head = element('header', {}, inspect, synchronize, total);
  const item = element('li', { class: 'device-row' }, head, figures, sentence);
  // Runs before JupyterLab's listener, which evaluates the commands for the chosen subject.
  for (const event of ['focusin', 'contextmenu']) item.addEventListener(event, () => choose(subject));
  return {
    element: item,
    update({ label, name: full, simulated, total: bytes, free, arrays, waiting, held, problem }) {
      setText(inspect, simulated ? __('%1 (simulated)', label) : label);
      setAttribute(inspect, 'title', __('%1: open the card', full));
      setText(total, problem === null ? formatBytes(bytes) : '');
      figures.hidden = problem !== null;
      setLine(sentence, problem === null ? '' : __('✕ The driver does not respond: %1', problem));
      if (problem !== null) return;
      const other = Math.max(0, held - arrays - waiting);
      const shares = [arrays, waiting, other, Math.max(0, bytes - free - arrays - waiting - other), free];
      bar.update(shares);
      for (const [index, { figure, element: entry }] of entries.entries()) {
        setText(figure, formatBytes(shares[index] ?? 0));
        entry.hidden = OCCASIONAL.includes(names[index] ?? '') && shares[index] === 0;
      }
    }
  };
}
