/** The card of a device: name, memory in use, properties, libraries, and access to peers. */

import {
  DEVICE_PICTURE_VERSION,
  type DeviceFact,
  type DevicePicture,
  type LibraryPicture,
  type LibraryState,
  type PeerPicture,
  type Reach
} from '../../../../src/pictures/device/schema.ts';
import { createBadge, type BadgeKind } from '../kit/badge.ts';
import { element, part, setText, setLine } from '../kit/dom.ts';
import { createItemTable } from '../kit/item-table.ts';
import { framedView, showState } from '../kit/framed.ts';
import { createLazyPart } from '../kit/lazy-part.ts';
import { createMemoryBar } from './memory-bar.ts';
import { __ } from '../kit/phrases.ts';

export const createDeviceCard = framedView<DevicePicture>('device-card', DEVICE_PICTURE_VERSION, frame => {
  const name = element('strong');
  const label = part('span', 'device');
  const roles = part('span', 'fact');
  const simulated = createBadge();
  const uuid = element('code');
  const manager = element('code');
  const simulation = part('p', 'problem');
  const bar = createMemoryBar();
  // Static cards have a single sample, and need no chart.
  const use = createLazyPart(frame.signal, async () => {
    const [{ createUseChart }] = await Promise.all([import('./use-chart.ts'), import('stridelab-use-style')]);
    return createUseChart();
  });
  const facts = createItemTable<DeviceFact>('', __('Facts'), fact => fact.name, [
    ['', fact => fact.name],
    ['', fact => fact.value, 'value'],
    ['', fact => fact.meaning, 'muted']
  ]);
  const libraries = createItemTable<LibraryPicture>('', __('External libraries'), library => library.name, [
    [__('Library'), library => `${library.name} ${library.version}`.trim()],
    [__('State'), ({ state }) => stateBadge(state)],
    [__('Needed for'), library => library.purpose],
    [__('Where'), library => library.detail, 'muted']
  ]);
  const peers = createItemTable<PeerPicture>('', __('Peer access'), peer => peer.label, [
    [__('Device'), peer => peer.label],
    [__('Access to'), peer => reachBadge(peer.reach)],
    [__('Access from'), peer => reachBadge(peer.reached)],
    [__('Name'), peer => peer.name, 'muted']
  ]);
  return {
    elements: [
      part('div', 'header', name, label, roles, simulated, frame.state),
      simulation,
      bar,
      use,
      part(
        'div',
        'strip',
        element('span', {}, part('span', 'muted', __('UUID')), ' ', uuid),
        element('span', {}, part('span', 'muted', __('Memory manager')), ' ', manager)
      ),
      part('div', 'columns', element('div', {}, facts), element('div', {}, libraries, peers))
    ],
    label: picture => __('Device %1', picture.label),
    draw(picture) {
      setText(name, picture.name);
      setText(label, picture.label);
      const words = [
        picture.isDefault ? __('default device') : '',
        picture.slice === null ? '' : __('MIG slice %1', picture.slice)
      ];
      setText(roles, words.filter(Boolean).join(', '));
      const { schedule, meaning } = picture.simulated ?? {};
      simulated.show(picture.simulated !== null && 'simulated', __('simulated'));
      setLine(
        simulation,
        meaning ? __('Simulated in host memory. Schedule %1: %2', schedule ?? '', meaning) : ''
      );
      showState(frame, ['live', __('live'), __('Refreshed every second while visible')]);
      setText(uuid, picture.uuid);
      setText(manager, picture.manager.join(' › '));
      bar.update(picture.memory, picture.problem);
      use.update(picture.use ?? []);
      if ((picture.use?.length ?? 0) > 1) use.opened();
      facts.update(picture.facts);
      libraries.update(picture.libraries);
      peers.update(picture.peers);
      peers.element.hidden = picture.peers.length === 0;
    }
  };
});

function stateBadge(state: LibraryState): [kind: BadgeKind, word: string] {
  if (state === 'missing') return ['destroyed', __('not found')];
  return state === 'found' ? ['idle', __('found')] : ['live', __('in use')];
}

function reachBadge(reach: Reach): [kind: BadgeKind, word: string, title: string] {
  if (reach === 'direct') return ['ok', __('direct'), __('Over NVLink or PCIe')];
  if (reach === 'never') return ['destroyed', __('never'), __('Another driver, or a device that was lost')];
  return ['idle', __('copies'), __('Copied through host memory')];
}
