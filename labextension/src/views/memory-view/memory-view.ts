/** Who uses which memory of a device: a bar, a timeline with a cursor, a map of the blocks and a table at the cursor. */

import type { MemoryPicture, MemoryRowsAnswer } from '../../../../src/description/memory-schema.ts';
import { createBadge } from '../array-inspector/badge.ts';
import { formatBytes } from '../array-inspector/format.ts';
import { element, setAttribute, setText } from '../dom.ts';
import { createPalette } from '../palette.ts';
import type { Message, View, ViewOptions } from '../view.ts';
import { createBlockMap, layOut } from './block-map.ts';
import { createFailureList } from './failures.ts';
import { formatTime, ownerWords } from './format.ts';
import { BORROWED, History, isAlive, isFailure } from './history.ts';
import type { Allocation, Point } from './history.ts';
import { readPicture } from './read-picture.ts';
import { createAllocationTable } from './table.ts';
import { createTimeline } from './timeline.ts';
import { createUsageBar } from './usage-bar.ts';

export function createMemoryView(host: HTMLElement, { phrases, channel }: ViewOptions): View {
  const history = new History();
  let picture: MemoryPicture | undefined;
  let connected = false;
  let device = 0;
  /** Numbers of events: null follows the latest, and there is no other cursor. */
  let cursor: number | null = null;
  let anchor: number | null = null;
  let selected: number | null = null;
  let asking = false;

  const title = element('b');
  const choice = element('select', { 'aria-label': phrases.__('Device') });
  choice.addEventListener('change', () => {
    device = choice.selectedIndex;
    cursor = anchor = selected = null;
    show();
  });
  const name = element('span', { class: 'stridelab-muted' });
  const simulated = createBadge();
  const state = createBadge();
  state.element.classList.add('stridelab-lifetime');
  const bar = createUsageBar(phrases);
  const timeline = createTimeline(
    phrases,
    () => palette,
    index => moveTo(points()[index]?.number ?? history.next - points().length - 1, index)
  );
  const readout = element('span');
  const button = (label: string, press: () => void): HTMLButtonElement => {
    const made = element(
      'button',
      { class: 'stridelab-button', type: 'button', 'data-lm-suppress-shortcuts': 'true' },
      label
    );
    made.addEventListener('click', () => {
      if (made.getAttribute('aria-disabled') !== 'true') press();
    });
    return made;
  };
  const compare = button('', () => {
    anchor = anchor === null ? (points()[indexOf(cursor)]?.number ?? -1) : null;
    show();
  });
  const latest = button(phrases.__('Latest'), () => {
    cursor = null;
    show();
  });
  const map = createBlockMap(
    phrases,
    () => palette,
    id => pick(id)
  );
  const holes = element('p', { class: 'stridelab-muted' });
  const failures = createFailureList(phrases, number => {
    cursor = number;
    show();
    timeline.element.focus();
  });
  const table = createAllocationTable(phrases, id => pick(id));
  const reason = element('span', { class: 'stridelab-muted' });
  const status = element('span', { class: 'stridelab-status', role: 'status' });
  const ask = (method: string) => (): void => {
    setText(status, '');
    channel?.request(method).catch((error: unknown) => setText(status, String((error as Error).message)));
  };
  const record = button('', () => ask(picture?.state === 'recording' ? 'stop' : 'start')());
  const live = channel
    ? [
        button(phrases.__('Refresh'), ask('refresh')),
        record,
        button(phrases.__('Forget events'), ask('clear'))
      ]
    : [];
  const content = element(
    'div',
    {},
    element(
      'header',
      { class: 'stridelab-header' },
      title,
      choice,
      name,
      simulated.element,
      state.element
    ),
    bar.element,
    timeline.element,
    element('div', { class: 'stridelab-memory-readout' }, readout, compare, latest),
    map.element,
    holes,
    failures.element,
    table.element,
    element('div', { class: 'stridelab-actions' }, ...live, reason, status)
  );
  const problem = element('p', { class: 'stridelab-problem', role: 'alert' });
  const root = element('section', { class: 'stridelab-view stridelab-memory' }, problem, content);
  host.append(root);
  const palette = createPalette(root, () => {
    timeline.redraw();
    map.redraw();
  });

  const points = (): readonly Point[] => history.points(device);
  /** Index of the last event up to a number; of the last one for null. */
  const indexOf = (number: number | null): number =>
    number === null ? points().length - 1 : points().findLastIndex(point => point.number <= number);
  const moveTo = (number: number, index: number): void => {
    cursor = index >= points().length - 1 ? null : number;
    show();
  };
  const pick = (id: number | null): void => {
    selected = id;
    show();
  };

  const describe = (index: number): string => {
    const { subject, time, number, live } = points()[index] ?? {};
    const inUse = phrases.__('%1 in use', formatBytes(live ?? history.base(device)));
    if (subject === undefined || time === undefined)
      return points().length === 0 ? inUse : phrases.__('Before the first event: %1', inUse);
    const what = isFailure(subject)
      ? phrases.__('✕ %1 refused', formatBytes(subject.bytes))
      : `${number === subject.made ? '+' : '−'}${formatBytes(subject.bytes)} (${ownerWords(subject, phrases)})`;
    const where = subject.cell === '' ? '' : `, ${subject.cell}`;
    return phrases.__(
      'Event %1 of %2 at %3%4: %5; %6',
      index + 1,
      points().length,
      formatTime(time),
      where,
      what,
      inUse
    );
  };

  /** What is alive at the cursor; with two cursors, what was made between them and is still alive at the later one. */
  const tableRows = (alive: readonly Allocation[], at: number): readonly [string, readonly Allocation[]] => {
    const sum = (rows: readonly Allocation[]): number =>
      rows.reduce((bytes, row) => bytes + (row.kind === BORROWED ? 0 : row.bytes), 0);
    if (anchor === null) {
      const more = picture?.omitted ?? 0;
      const text = phrases.__('%1 alive at the cursor, %2', alive.length, formatBytes(sum(alive)));
      const isShort = more > 0 && !knowsAll();
      return [isShort ? phrases.__('%1; %2 smaller ones are not in the snapshot', text, more) : text, alive];
    }
    const [from, to] = anchor <= at ? [anchor, at] : [at, anchor];
    const grown = history.alive(device, to).filter(row => row.made > from);
    const gone = history.alive(device, from).filter(row => !isAlive(row, to));
    const text = phrases.__(
      'Made between A and B and alive at the later: %1, %2. Gone since the earlier: %3, %4',
      grown.length,
      formatBytes(sum(grown)),
      gone.length,
      formatBytes(sum(gone))
    );
    return [text, grown];
  };
  const knowsAll = (): boolean => picture?.complete === true || history.next >= (picture?.next ?? 0);

  function show(): void {
    const shown = picture?.devices[device];
    if (picture === undefined || shown === undefined) return;
    const movable = knowsAll() && points().length > 0;
    const index = movable ? indexOf(cursor) : points().length - 1;
    const at = cursor === null || !movable ? Infinity : cursor;
    const alive = history.alive(device, at);
    const text = movable ? describe(index) : withoutEvents(picture);
    setText(readout, text);
    timeline.update({
      points: points(),
      base: history.base(device),
      cursor: index,
      anchor: anchor === null ? null : indexOf(anchor),
      text,
      movable,
      history: shown.history
    });
    timeline.element.hidden = points().length === 0 && shown.history.length === 0;
    compare.hidden = latest.hidden = !movable;
    setText(compare, anchor === null ? phrases.__('Compare from here') : phrases.__('End the comparison'));
    setAttribute(latest, 'aria-disabled', cursor === null ? 'true' : null);
    const layout = layOut(history.segments(device, at), alive, phrases);
    map.update(layout, selected);
    setText(holes, holeWords(layout.free, layout.largest, layout.holes, shown.largest === null));
    failures.update(history.failures(device));
    const [caption, rows] = tableRows(alive, at);
    table.update(caption, rows, at === Infinity ? picture.now : (points()[index]?.time ?? 0), selected);
    const borrowed = history.alive(device, Infinity).filter(({ kind }) => kind === BORROWED);
    bar.update(
      shown,
      borrowed.reduce((bytes, row) => bytes + row.bytes, 0)
    );
  }

  const withoutEvents = ({ state: now, complete }: MemoryPicture): string => {
    if (now === 'off')
      return phrases.__('No events: start recording, or run memoryLog.start(), to see who takes memory.');
    return complete
      ? phrases.__('No events yet: make an array.')
      : phrases.__('This snapshot holds the latest state alone; with a kernel behind it the cursor moves.');
  };
  const holeWords = (free: number, largest: number, count: number, isUntold: boolean): string => {
    if (isUntold) return phrases.__("The driver's pool does not tell where its holes are.");
    if (count === 0) return phrases.__('No holes.');
    return phrases.__(
      'Holes: %1 in %2, the largest %3. External fragmentation %4 %.',
      formatBytes(free),
      count,
      formatBytes(largest),
      Math.round((1 - largest / free) * 100)
    );
  };

  const take = ({ content: said, buffers }: Message): void => {
    const { start, whole, first, next, texts, names } = said as unknown as MemoryRowsAnswer;
    const [allocations, segments, failed] = buffers.map(
      ({ buffer, byteOffset, byteLength }) => new Float64Array(buffer.slice(byteOffset, byteOffset + byteLength))
    );
    if (allocations === undefined || segments === undefined || failed === undefined) return;
    history.merge({ texts, allocations, segments, failures: failed }, { start, whole, first, next });
    history.rename(names, texts);
  };
  const askRows = async (): Promise<void> => {
    if (asking || channel === undefined) return;
    asking = true;
    try {
      take(await channel.request('rows', { start: history.start, after: history.next }));
      show();
    } catch (error) {
      setText(status, String((error as Error).message));
    } finally {
      asking = false;
    }
  };

  return {
    update(data, isConnected) {
      const read = readPicture(data, phrases);
      content.hidden = typeof read === 'string' || read.devices.length === 0;
      problem.hidden = !content.hidden;
      setAttribute(root, 'aria-label', phrases.__('Memory of devices'));
      if (typeof read === 'string' || read.devices.length === 0) {
        setText(
          problem,
          typeof read === 'string'
            ? read
            : phrases.__('No device memory has been used yet: make an array, then inspect memoryLog again.')
        );
        return;
      }
      if (picture?.start !== read.start) cursor = anchor = selected = null;
      picture = read;
      connected = isConnected;
      device = Math.min(device, read.devices.length - 1);
      const { start, first, next, complete, rows } = read;
      const isBehind = history.start !== start || history.next < next;
      if (complete || (isBehind && !(connected && history.start === start)))
        history.merge(rows, { start, whole: true, first, next: complete ? next : 0 });
      if (!complete && connected) void askRows();
      showHead(read);
      show();
    },
    dispose() {
      palette.dispose();
      timeline.dispose();
      map.dispose();
    }
  };

  function showHead({ devices, state: now, dropped }: MemoryPicture): void {
    const shown = devices[device];
    if (shown === undefined) return;
    choice.hidden = devices.length < 2;
    if (choice.options.length !== devices.length)
      choice.replaceChildren(...devices.map(({ label }) => element('option', {}, label)));
    choice.selectedIndex = device;
    setText(title, devices.length < 2 ? phrases.__('Memory of %1', shown.label) : phrases.__('Memory of'));
    setText(name, `${shown.name}, ${formatBytes(shown.total)} · ${shown.managers.join(', ')}`);
    if (shown.simulated) simulated.show('simulated', phrases.__('simulated'));
    else simulated.hide();
    if (!connected) state.show('snapshot', phrases.__('snapshot'));
    else if (now === 'recording') state.show('live', phrases.__('recording'));
    else state.show('idle', now === 'off' ? phrases.__('not recording') : phrases.__('stopped'));
    setText(record, now === 'recording' ? phrases.__('Stop recording') : phrases.__('Start recording'));
    const why = connected
      ? ''
      : phrases.__('No kernel stands behind this picture: run the cell again to make it live.');
    for (const one of live) setAttribute(one, 'aria-disabled', connected ? null : 'true');
    setText(
      reason,
      [why, dropped > 0 ? phrases.__('%1 older events are forgotten.', dropped) : '']
        .filter(text => text !== '')
        .join(' ')
    );
  }
}
