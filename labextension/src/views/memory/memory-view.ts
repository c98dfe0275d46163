/** Memory of a device by owner: a usage bar, a timeline with a cursor, and a block map and a table at the cursor. */

import {
  MEMORY_PICTURE_VERSION,
  type MemoryDevice,
  type MemoryPicture,
  type MemoryRowsAnswer
} from '../../../../src/pictures/memory/schema.ts';
import { createRecording, type Frame, framedView, noKernelSentence } from '../kit/framed.ts';
import { createBadge } from '../kit/badge.ts';
import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { createButton, createSelect, disable } from '../kit/controls.ts';
import { element, part, setText } from '../kit/dom.ts';
import { createPalette } from '../kit/canvas.ts';
import type { Message } from '../kit/view.ts';
import { createBlockMap } from './block-map.ts';
import { createFailureList } from './failures.ts';
import { BORROWED, History, type Allocation } from './history.ts';
import { layOut } from './layout.ts';
import { createAllocationTable } from './table.ts';
import { createTimeline } from './timeline.ts';
import { createUsageBar } from './usage-bar.ts';
import { aliveRows, eventWords, holeWords, noEventsWords, rowsBetween } from './words.ts';
import { __ } from '../kit/phrases.ts';

const COLOURS = 6;

export const createMemoryView = framedView<MemoryPicture>('memory-view', MEMORY_PICTURE_VERSION, frame => {
  const { channel, signal } = frame;
  const history = new History();
  const colourOf = createColours();
  let picture: MemoryPicture | undefined;
  let device = 0;
  /** Event numbers. A null cursor follows the latest event; a null anchor means that there is no second cursor. */
  let cursor: number | null = null;
  let anchor: number | null = null;
  let selected: number | null = null;
  let asking = false;

  const head = createHead(frame, index => {
    device = index;
    cursor = anchor = selected = null;
    show();
  });
  const bar = createUsageBar();
  const moveTo = (number: number | null): void => {
    cursor = number;
    show();
  };
  const palette = createPalette(frame.root, signal, () => {
    timeline.redraw();
    map.redraw();
  });
  const timeline = createTimeline(signal, palette, index => {
    const points = history.points(device);
    moveTo(index === points.length - 1 ? null : (points[index]?.number ?? (points[0]?.number ?? 0) - 1));
  });
  const readout = element('span');
  const compare = createButton('', '', () => {
    anchor = anchor === null ? (cursor ?? history.next - 1) : null;
    show();
  });
  const latest = createButton(__('Go to latest'), '', () => moveTo(null));
  const pick = (id: number | null): void => {
    selected = id;
    show();
  };
  const map = createBlockMap(signal, palette, colourOf, pick);
  const holes = part('p', 'muted');
  const failures = createFailureList(number => {
    moveTo(number);
    timeline.element.focus();
  });
  const table = createAllocationTable(pick);
  const recording = createRecording(frame);
  const ask = async (method: string, parameters = {}): Promise<Message | undefined> => {
    try {
      return await channel?.request(method, parameters);
    } catch (error) {
      recording.say((error as Error).message);
      return undefined;
    }
  };
  const live = channel
    ? [
        createButton(__('Refresh'), '', () => void ask('refresh')),
        recording.button,
        createButton(__('Clear events'), '', () => void ask('clear'))
      ]
    : [];

  /** Returns the index of the last event up to a number, or of the last event for null. */
  const indexOf = (number: number | null): number => {
    const points = history.points(device);
    return number === null ? points.length - 1 : points.findLastIndex(point => point.number <= number);
  };

  function show(): void {
    const shown = picture?.devices[device];
    if (picture === undefined || shown === undefined) return;
    head.update(picture, device);
    showActions(picture);
    const points = history.points(device);
    const movable = (picture.complete || history.next >= picture.next) && points.length > 0;
    const index = movable ? indexOf(cursor) : points.length - 1;
    const at = movable ? (cursor ?? Infinity) : Infinity;
    const alive = history.alive(device, at);
    const text = movable ? eventWords(history, device, index) : noEventsWords(picture);
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
    setText(holes, holeWords(layout, shown));
    failures.update(history.failures(device));
    const now = at === Infinity ? picture.now : (points[index]?.time ?? 0);
    const omitted = picture.complete || frame.connected ? 0 : picture.omitted;
    const listed = anchor === null ? aliveRows(alive, omitted) : rowsBetween(history, device, [anchor, at]);
    table.update({ ...listed, now, selected, colourOf });
    const borrowed = history.alive(device, Infinity).filter(({ kind }) => kind === BORROWED);
    bar.update(
      shown,
      borrowed.reduce((sum, { bytes }) => sum + bytes, 0)
    );
  }
  const showActions = ({ state, dropped }: MemoryPicture): void => {
    recording.update(state === 'recording');
    recording.button.hidden = false;
    for (const button of live) disable(button, !frame.connected);
    if (!frame.connected) recording.say(noKernelSentence(frame));
    else if (dropped > 0) recording.say(__('%1 older events were dropped.', dropped));
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

  return {
    elements: [
      ...[head, bar, timeline, part('div', 'mv-readout', readout, compare, latest), map, holes, failures],
      ...[table, part('div', 'actions', ...live, recording.status)]
    ],
    label: () => __('Memory'),
    draw(data) {
      const { start, complete, rows, first, next, devices } = data;
      if (picture?.start !== start) cursor = anchor = selected = null;
      picture = data;
      device = Math.max(0, Math.min(device, devices.length - 1));
      const isEmpty = devices.length === 0;
      for (const each of [bar, timeline, map, table]) each.element.hidden = isEmpty;
      compare.hidden = latest.hidden = isEmpty;
      if (isEmpty) setText(readout, __('No device memory has been used yet: create an array.'));
      // A page that has events of this recording keeps them until it receives the newer ones.
      if (complete || history.start !== start || channel === undefined)
        history.merge(rows, { start: complete ? start : -1, whole: true, first, next: complete ? next : 0 });
      if (!complete && frame.connected) void askRows();
      show();
    }
  };
});

/** Creates the header: the device, its size, and whether it is recorded. */
function createHead({ state }: Frame, choose: (device: number) => void) {
  const title = element('b');
  const { element: choice, offer } = createSelect(() => choose(choice.selectedIndex), {
    'aria-label': __('Device')
  });
  const name = part('span', 'muted');
  const simulated = createBadge();
  const factsOf = ({ name: driver, total, managers }: MemoryDevice): string =>
    [`${driver}, ${formatBytes(total)}`, ...managers].join(' · ');
  choice.hidden = true;
  return {
    element: part('header', 'header', title, choice, name, simulated, state),
    update({ devices }: MemoryPicture, index: number): void {
      const device = devices[index]!;
      choice.hidden = devices.length < 2;
      offer(
        devices.map(({ label }) => [label, label]),
        device.label
      );
      setText(title, __('Memory of %1', device.label));
      setText(name, factsOf(device));
      simulated.show(device.simulated && 'simulated', __('simulated'));
    }
  };
}

/** Gives owners colours in order of appearance; 0 without a variable. Elements of one list share a colour. */
function createColours(): (allocation: Allocation) => number {
  const colours = new Map<string, number>();
  return ({ owner, named }) => {
    if (named !== 1) return 0;
    const [base = ''] = owner.split(/[ ,.[]/);
    const colour = colours.get(base) ?? 1 + (colours.size % COLOURS);
    colours.set(base, colour);
    return colour;
  };
}
