/** Memory of a device by owner: a usage bar, a timeline with a cursor, and a block map and a table at the cursor. */

import {
  MEMORY_PICTURE_VERSION,
  type MemoryPicture,
  type MemoryRowsAnswer
} from '../../../../src/pictures/memory/schema.ts';
import { noKernelSentence, showRecording } from '../kit/no-kernel.ts';
import { createBadge } from '../kit/badge.ts';
import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { formatDuration } from '../../../../src/base/time-text.ts';
import { createButton, disable } from '../kit/controls.ts';
import { createStatus, element, setAttribute, setText } from '../kit/dom.ts';
import { framedView } from '../kit/framed.ts';
import { createPalette } from '../kit/palette.ts';
import { createRecordButton } from '../kit/record-button.ts';
import type { Message, View, ViewOptions } from '../kit/view.ts';
import { createBlockMap } from './block-map.ts';
import { compareEvents } from './comparison.ts';
import { createFailureList } from './failures.ts';
import { BORROWED, History, isFailure, sumOf, type Allocation, type Point } from './history.ts';
import { layOut, type Layout } from './layout.ts';
import { createAllocationTable } from './table.ts';
import { createTimeline } from './timeline.ts';
import { createUsageBar } from './usage-bar.ts';
import { __ } from '../kit/phrases.ts';

/** Number of distinct owner colours. */
const COLOURS = 6;

export function createMemoryView(host: HTMLElement, { channel }: ViewOptions): View {
  const history = new History();
  const colours = new Map<string, number>();
  let picture: MemoryPicture | undefined;
  let connected = false;
  let device = 0;
  /** Event numbers. A null cursor follows the latest event; a null anchor means that there is no second cursor. */
  let cursor: number | null = null;
  let anchor: number | null = null;
  let selected: number | null = null;
  let asking = false;

  const title = element('b');
  const choice = element('select', { 'aria-label': __('Device') });
  choice.addEventListener('change', () => {
    device = choice.selectedIndex;
    cursor = anchor = selected = null;
    show();
  });
  const name = element('span', { class: 'muted' });
  const simulated = createBadge();
  const state = createBadge('lifetime');
  const bar = createUsageBar();
  const moveTo = (number: number | null): void => {
    cursor = number;
    show();
  };
  const timeline = createTimeline(
    () => palette,
    index => {
      const points = pointsOf();
      moveTo(index === points.length - 1 ? null : (points[index]?.number ?? (points[0]?.number ?? 0) - 1));
    }
  );
  const readout = element('span');
  const compare = createButton('', '', () => {
    anchor = anchor === null ? (cursor ?? history.next - 1) : null;
    show();
  });
  const latest = createButton(__('Latest'), '', () => moveTo(null));
  const pick = (id: number | null): void => {
    selected = id;
    show();
  };
  /** Owners' colours in order of appearance; 0 without a variable. Elements of one list share a colour. */
  const colourOf = ({ owner, named }: Allocation): number => {
    if (named !== 1) return 0;
    const [base = ''] = owner.split(/[ ,.[]/);
    const colour = colours.get(base) ?? 1 + (colours.size % COLOURS);
    colours.set(base, colour);
    return colour;
  };
  const map = createBlockMap(() => palette, colourOf, pick);
  const holes = element('p', { class: 'muted' });
  /** Rarely used parts are loaded on demand. */
  const failures = createFailureList(number => {
    moveTo(number);
    timeline.element.focus();
  });
  const table = createAllocationTable(pick);
  const status = createStatus();
  const ask = async (method: string, parameters = {}): Promise<Message | undefined> => {
    try {
      return await channel?.request(method, parameters);
    } catch (error) {
      status.say((error as Error).message);
      return undefined;
    }
  };
  const record = createRecordButton(channel, status.say);
  const live = channel
    ? [
        createButton(__('Refresh'), '', () => void ask('refresh')),
        record.element,
        createButton(__('Clear events'), '', () => void ask('clear'))
      ]
    : [];
  const header = element('header', { class: 'header' }, title, choice, name);
  header.append(simulated.element, state.element);
  const reading = element('div', { class: 'mv-readout' }, readout, compare, latest);
  const actions = element('div', { class: 'actions' }, ...live, status);
  const palette = createPalette(header, () => {
    timeline.redraw();
    map.redraw();
  });

  const pointsOf = (): readonly Point[] => history.points(device);
  /** Index of the last event up to a number, or of the last event for null. */
  const indexOf = (number: number | null): number =>
    number === null ? pointsOf().length - 1 : pointsOf().findLastIndex(point => point.number <= number);

  const describe = (index: number): string => {
    const point = pointsOf()[index];
    const inUse = __('%1 in use', formatBytes(point?.live ?? history.base(device)));
    if (point === undefined) return __('Before the first event: %1', inUse);
    const { subject, number, time } = point;
    const bytes = formatBytes(subject.bytes);
    const change = isFailure(subject)
      ? __('✕ %1 refused', bytes)
      : `${number === subject.made ? '+' : '−'}${bytes} ${subject.owner}`;
    const when = [formatDuration(1000 * time), subject.cell].filter(Boolean).join(', ');
    return __('Event %1 of %2 (%3): %4; %5', index + 1, pointsOf().length, when, change, inUse);
  };

  /** Rows alive at the cursor; with two cursors, those made between them and alive at the later one. */
  const tableOf = (
    { complete, omitted }: MemoryPicture,
    alive: readonly Allocation[],
    at: number
  ): { readonly caption: string; readonly rows: readonly Allocation[] } => {
    if (anchor === null) {
      const caption = __('%1 alive at the cursor, %2', alive.length, formatBytes(sumOf(alive)));
      const isShort = !complete && !connected && omitted > 0;
      const rest = __('%1 smaller ones are not in this snapshot', omitted);
      return { caption: isShort ? `${caption}; ${rest}` : caption, rows: alive };
    }
    return compareEvents(history, device, [anchor, at]);
  };

  function show(): void {
    const shown = picture?.devices[device];
    if (picture === undefined || shown === undefined) return;
    showHead(picture, shown);
    const points = pointsOf();
    const movable = (picture.complete || history.next >= picture.next) && points.length > 0;
    const index = movable ? indexOf(cursor) : points.length - 1;
    const at = movable ? (cursor ?? Infinity) : Infinity;
    const alive = history.alive(device, at);
    const text = movable ? describe(index) : withoutEvents(picture);
    setText(readout, text);
    timeline.update({
      points,
      base: history.base(device),
      cursor: index,
      anchor: anchor === null ? null : indexOf(anchor),
      text,
      movable,
      history: shown.history
    });
    timeline.element.hidden = !movable && shown.history.length === 0;
    compare.hidden = latest.hidden = !movable;
    setText(compare, anchor === null ? __('Compare from here') : __('End comparison'));
    disable(latest, cursor === null);
    const layout = layOut(history.segments(device, at), alive);
    map.update(layout, selected);
    setText(holes, [holeWords(layout), poolWords(shown)].filter(Boolean).join(' '));
    failures.update(history.failures(device));
    const now = at === Infinity ? picture.now : (points[index]?.time ?? 0);
    table.update({ ...tableOf(picture, alive, at), now, selected, colourOf });
    const borrowed = history.alive(device, Infinity).filter(({ kind }) => kind === BORROWED);
    bar.update(
      shown,
      borrowed.reduce((sum, { bytes }) => sum + bytes, 0)
    );
  }

  function showHead(
    { devices, state: now, dropped }: MemoryPicture,
    shown: MemoryPicture['devices'][number]
  ): void {
    const { label, name: driverName, total, managers } = shown;
    choice.hidden = devices.length < 2;
    if (choice.options.length !== devices.length)
      choice.replaceChildren(...devices.map(one => element('option', {}, one.label)));
    choice.selectedIndex = device;
    setText(title, __('Memory of %1', label));
    setText(name, [`${driverName}, ${formatBytes(total)}`, ...managers].join(' · '));
    simulated.show(shown.simulated && 'simulated', __('simulated'));
    const isOn = now === 'recording';
    showRecording(state, isOn, connected, channel);
    record.update(isOn, true);
    for (const button of live) disable(button, !connected);
    if (!connected) status.say(noKernelSentence(channel));
    else if (dropped > 0) status.say(__('%1 older events were discarded.', dropped));
  }

  const withoutEvents = ({ state: now, complete }: MemoryPicture): string => {
    if (now === 'off') return __('No events: memoryLog.start() records allocations.');
    return complete
      ? __('No events yet: create an array.')
      : __('This snapshot has only the latest state; a live kernel has the events.');
  };
  const holeWords = ({ places }: Layout): string => {
    const found = places.flatMap(({ block, bytes }) => (block === null ? bytes : []));
    if (found.length === 0) return '';
    const free = found.reduce((sum, bytes) => sum + bytes);
    const largest = found.reduce((most, bytes) => Math.max(most, bytes));
    return __(
      'Holes: %1, together %2, the largest %3. External fragmentation: %4 %',
      found.length,
      formatBytes(free),
      formatBytes(largest),
      Math.round((1 - largest / free) * 100)
    );
  };

  const poolWords = ({ holes: known, kept }: MemoryPicture['devices'][number]): string => {
    if (known !== null) return '';
    const silent = __("The driver's pool does not report its holes.");
    return kept === 0 ? silent : `${silent} ${__('%1 are reserved.', formatBytes(kept))}`;
  };

  const askRows = async (): Promise<void> => {
    if (asking) return;
    asking = true;
    const message = await ask('rows', { start: history.start, after: history.next });
    asking = false;
    if (message === undefined) return;
    const answer = message.content as unknown as MemoryRowsAnswer;
    const [allocations = [], segments = [], refused = []] = message.buffers.map(
      ({ buffer, byteOffset, byteLength }) =>
        new Float64Array(buffer.slice(byteOffset, byteOffset + byteLength))
    );
    history.merge({ texts: answer.texts, allocations, segments, failures: refused }, answer);
    history.rename(answer.names, answer.texts);
    show();
  };
  const take = (data: MemoryPicture): void => {
    const { start, complete, rows, first, next } = data;
    if (picture?.start !== start) cursor = anchor = selected = null;
    picture = data;
    device = Math.max(0, Math.min(device, data.devices.length - 1));
    const isEmpty = data.devices.length === 0;
    for (const part of [bar, timeline, map, table]) part.element.hidden = isEmpty;
    compare.hidden = latest.hidden = choice.hidden = isEmpty;
    if (isEmpty) setText(readout, __('No device memory has been used yet: create an array.'));
    // A page that has events of this recording keeps them until it receives the newer ones.
    if (complete || history.start !== start || channel === undefined)
      history.merge(rows, { start: complete ? start : -1, whole: true, first, next: complete ? next : 0 });
    if (!complete && connected) void askRows();
    show();
  };
  const content = [header, bar, timeline, reading, map, holes, failures];
  const view = framedView<MemoryPicture>(
    host,
    'memory-view',
    MEMORY_PICTURE_VERSION,
    [...content, table, actions],
    (data, isConnected, root) => {
      connected = isConnected;
      setAttribute(root, 'aria-label', __('Memory'));
      take(data);
    }
  );

  return {
    update: view.update,
    dispose() {
      palette.dispose();
      timeline.dispose();
      map.dispose();
    }
  };
}
