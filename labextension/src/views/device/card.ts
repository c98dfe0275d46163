/** The card of a device: who it is, how full its memory is, what it can do, which libraries there are for it and whom it reaches. */

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
import {
  createKeyedList,
  createTable,
  element,
  type KeyedChild,
  part,
  setAttribute,
  setText
} from '../kit/dom.ts';
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
  const facts = part('span', 'fact');
  const simulated = createBadge();
  const lifetime = createBadge('lifetime');
  const uuid = element('code');
  const manager = element('code');
  const simulation = part('p', 'problem');
  const bar = createMemoryBar();
  const use = createLazyChart();
  const factRows = element('tbody');
  const updateFacts = createKeyedList<DeviceFact>(factRows, fact => fact.name, createFact);
  const libraryRows = element('tbody');
  const libraryHeads = [__('Library'), __('State'), __('Needed for'), __('Where')];
  const updateLibraries = createKeyedList<LibraryPicture>(
    libraryRows,
    library => library.name,
    () => createLibrary()
  );
  const peerRows = element('tbody');
  const peerHeads = [__('Device'), __('Access to it'), __('Access from it'), __('Name')];
  const peers = createTable('', __('Memory of other devices'), peerHeads, peerRows);
  const updatePeers = createKeyedList<PeerPicture>(
    peerRows,
    peer => peer.label,
    () => createPeer()
  );
  const content = [
    part('div', 'header', name, label, facts, simulated.element, lifetime.element),
    simulation,
    bar.element,
    use.element,
    part(
      'div',
      'strip',
      element('span', {}, part('span', 'muted', __('UUID')), ' ', uuid),
      element('span', {}, part('span', 'muted', __('memory manager')), ' ', manager)
    ),
    part(
      'div',
      'columns',
      element('div', {}, createTable('', __('Facts'), [], factRows)),
      element('div', {}, createTable('', __('External libraries'), libraryHeads, libraryRows), peers)
    )
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
      const roles = [
        picture.isDefault ? __('default device') : '',
        picture.slice === null ? '' : __('MIG slice %1', picture.slice)
      ];
      setText(facts, roles.filter(Boolean).join(', '));
      simulated.show(picture.simulated !== null && 'simulated', __('simulated'));
      simulation.hidden = !picture.simulated;
      setText(
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
      updateFacts(picture.facts);
      updateLibraries(picture.libraries);
      updatePeers(picture.peers);
      peers.hidden = picture.peers.length === 0;
    }
  );
}

/** The use over time, whose code is loaded with the second sample: static cards have none. */
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
      // The next sample tries again.
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

function createFact(): KeyedChild<DeviceFact> {
  const name = element('th', { scope: 'row' });
  const value = part('td', 'value');
  const meaning = part('td', 'muted');
  return {
    element: element('tr', {}, name, value, meaning),
    update(fact) {
      setText(name, fact.name);
      setText(value, fact.value);
      setText(meaning, fact.meaning);
    }
  };
}

function createLibrary(): KeyedChild<LibraryPicture> {
  const name = element('th', { scope: 'row' });
  const state = createBadge();
  const purpose = element('td');
  const detail = part('td', 'muted');
  return {
    element: element('tr', {}, name, element('td', {}, state.element), purpose, detail),
    update(library) {
      setText(name, `${library.name} ${library.version}`.trim());
      state.show(LIBRARY_SIGNS[library.state], stateWord(library.state));
      setText(purpose, library.purpose);
      setText(detail, library.detail);
    }
  };
}

function stateWord(state: LibraryState): string {
  if (state === 'missing') return __('not found');
  return state === 'found' ? __('found') : __('in use');
}

function createPeer(): KeyedChild<PeerPicture> {
  const label = element('th', { scope: 'row' });
  const reach = createBadge();
  const reached = createBadge();
  const name = part('td', 'muted');
  const show = (badge: ReturnType<typeof createBadge>, how: Reach): void => {
    if (how === 'direct') badge.show('ok', __('direct'), __('Over NVLink or PCIe'));
    else if (how === 'never')
      badge.show('destroyed', __('never'), __('Another driver, or a device that was lost'));
    else badge.show('idle', __('copies'), __('Copied through host memory'));
  };
  return {
    element: element(
      'tr',
      {},
      label,
      element('td', {}, reach.element),
      element('td', {}, reached.element),
      name
    ),
    update(peer) {
      setText(label, peer.label);
      show(reach, peer.reach);
      show(reached, peer.reached);
      setText(name, peer.name);
    }
  };
}
