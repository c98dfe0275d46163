/** The card of a device: name, memory in use, properties, libraries, and access to peers. */

import {
  DEVICE_PICTURE_VERSION,
  type DeviceFact,
  type DevicePicture,
  type DeviceUseSample,
  type LibraryPicture,
  type LibraryState,
  type PeerPicture,
  type Reach
} from '../../../../src/pictures/device/schema.ts';
import { createBadge, type BadgeKind } from '../kit/badge.ts';
import { element, part, setAttribute, setText, setLine } from '../kit/dom.ts';
import { createItemTable } from '../kit/item-table.ts';
import { framedView } from '../kit/framed.ts';
import { showNoKernel } from '../kit/no-kernel.ts';
import type { View, ViewOptions } from '../kit/view.ts';
import { createMemoryBar } from './memory-bar.ts';
import type { UseChart } from './use-chart.ts';
import { __ } from '../kit/phrases.ts';

const LIBRARY_SIGNS: Readonly<Record<LibraryState, BadgeKind>> = {
  'in use': 'live',
  found: 'idle',
  missing: 'destroyed'
};

export function createDeviceCard(host: HTMLElement, { channel }: ViewOptions): View {
  const name = element('strong');
  const label = part('span', 'device');
  const roles = part('span', 'fact');
  const simulated = createBadge();
  const lifetime = createBadge('lifetime');
  const uuid = element('code');
  const manager = element('code');
  const simulation = part('p', 'problem');
  const bar = createMemoryBar();
  const use = createLazyChart();
  const facts = createItemTable<DeviceFact>('', __('Facts'), fact => fact.name, [
    ['', fact => fact.name],
    ['', fact => fact.value, 'value'],
    ['', fact => fact.meaning, 'muted']
  ]);
  const libraries = createItemTable<LibraryPicture>('', __('External libraries'), library => library.name, [
    [__('Library'), library => `${library.name} ${library.version}`.trim()],
    [__('State'), ({ state }) => [LIBRARY_SIGNS[state], stateWord(state)]],
    [__('Needed for'), library => library.purpose],
    [__('Where'), library => library.detail, 'muted']
  ]);
  const peers = createItemTable<PeerPicture>('', __('Memory of other devices'), peer => peer.label, [
    [__('Device'), peer => peer.label],
    [__('Access to it'), peer => reachBadge(peer.reach)],
    [__('Access from it'), peer => reachBadge(peer.reached)],
    [__('Name'), peer => peer.name, 'muted']
  ]);
  const content = [
    part('div', 'header', name, label, roles, simulated, lifetime),
    simulation,
    bar,
    use,
    part(
      'div',
      'strip',
      element('span', {}, part('span', 'muted', __('UUID')), ' ', uuid),
      element('span', {}, part('span', 'muted', __('memory manager')), ' ', manager)
    ),
    part('div', 'columns', element('div', {}, facts), element('div', {}, libraries, peers))
  ];

  return framedView<DevicePicture>(
    host,
    'device-card',
    DEVICE_PICTURE_VERSION,
    content,
    (picture, connected, root) => {
      setAttribute(root, 'aria-label', __('Device %1', picture.label));
      setText(name, picture.name);
      setText(label, picture.label);
      const words = [
        picture.isDefault ? __('default device') : '',
        picture.slice === null ? '' : __('MIG slice %1', picture.slice)
      ];
      setText(roles, words.filter(Boolean).join(', '));
      simulated.show(picture.simulated !== null && 'simulated', __('simulated'));
      setLine(
        simulation,
        picture.simulated
          ? __(
              'Simulated in host memory. Schedule %1: %2',
              picture.simulated.schedule,
              picture.simulated.meaning
            )
          : ''
      );
      if (connected) lifetime.show('live', __('live'), __('Refreshed every second while visible'));
      else showNoKernel(lifetime, channel);
      setText(uuid, picture.uuid);
      setText(manager, picture.manager.join(' › '));
      bar.update(picture.memory, picture.problem);
      use.update(picture.use ?? []);
      facts.update(picture.facts);
      libraries.update(picture.libraries);
      peers.update(picture.peers);
      peers.element.hidden = picture.peers.length === 0;
    }
  );
}

/** Chart of use over time, whose code is loaded with the second sample: static cards have none. */
function createLazyChart(): Pick<UseChart, 'element' | 'update'> {
  const place = element('div');
  let chart: UseChart | undefined;
  let latest: readonly DeviceUseSample[] = [];
  let isLoading = false;
  const load = async (): Promise<void> => {
    isLoading = true;
    try {
      const { createUseChart } = await import('./use-chart.ts');
      chart = createUseChart();
      place.append(chart.element);
      chart.update(latest);
    } catch {
      // The next sample retries.
    }
    isLoading = false;
  };
  return {
    element: place,
    update(samples) {
      latest = samples;
      if (chart !== undefined) chart.update(samples);
      else if (samples.length > 1 && !isLoading) void load();
    }
  };
}

function stateWord(state: LibraryState): string {
  if (state === 'missing') return __('not found');
  return state === 'found' ? __('found') : __('in use');
}

function reachBadge(reach: Reach): [kind: BadgeKind, word: string, title: string] {
  if (reach === 'direct') return ['ok', __('direct'), __('Over NVLink or PCIe')];
  if (reach === 'never') return ['destroyed', __('never'), __('Another driver, or a device that was lost')];
  return ['idle', __('copies'), __('Copied through host memory')];
}
