/** The timeline of a trace: lanes of host and streams, a list, and details; live, or from a saved picture. */

import { TRACE_PICTURE_VERSION, type TracePicture } from '../../../../src/pictures/timeline/schema.ts';
import { createStatus, element, part, setAttribute, uniqueId } from '../kit/dom.ts';
import { framedView } from '../kit/framed.ts';
import { createRecordButton } from '../kit/record-button.ts';
import { createTabs, type Tabs } from '../kit/tabs.ts';
import { noKernelSentence } from '../kit/no-kernel.ts';
import type { View, ViewOptions } from '../kit/view.ts';
import { createButton, createChoice, disable } from '../kit/controls.ts';
import type { Pick } from './draw.ts';
import { createFeed } from './feed.ts';
import { createFilter } from './filter.ts';
import { createHead } from './head.ts';
import { kindWords } from './kinds.ts';
import { layOut, type Layout } from './layout.ts';
import { createOverview } from './overview.ts';
import { bytesOf, readBatch } from './read-picture.ts';
import { createRecords } from './records.ts';
import { createStage, ZOOM } from './stage.ts';
import { createToolbox, type Toolbox, type Tools } from './toolbox.ts';
import { createTimeWindow } from './window.ts';
import { __ } from '../kit/phrases.ts';

export function createStreamTimeline(host: HTMLElement, { channel }: ViewOptions): View {
  const words = kindWords();
  const records = createRecords();
  const shown = createTimeWindow();
  let prefersReal = false;
  let layout: Layout = { rows: [], height: 0 };
  let selected: Pick | undefined;
  let measured: readonly [number, number] | undefined;
  let follows = true;
  let isConnected = false;
  let frame = 0;

  const head = createHead(channel);
  const { element: status, say } = createStatus();
  /** Shows the current state, once per frame. */
  const refresh = (): void => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(show);
  };
  const record = createRecordButton(channel, say);
  const filter = createFilter(records, words, refresh);
  const select = (bar: Pick | undefined): void => {
    selected = bar;
    if (bar !== undefined) {
      const index = bar.row?.slots.indexOf(records.slotOf(bar.number)!) ?? -1;
      if (index >= 0) shown.reveal(bar.row!.starts[index]!, bar.row!.ends[index]!);
      setFollow(false);
    }
    toolbox.use(refresh);
  };
  const toolbox = createToolbox({ channel, records, words, select, say, refresh });

  const setFollow = (on: boolean): void => {
    follows = on;
    setAttribute(follow, 'aria-pressed', String(on));
  };
  const follow = createButton(__('Follow'), '', () => {
    setFollow(!follows);
    refresh();
  });
  const moved = (): void => {
    setFollow(false);
    toolbox.parts?.tooltip.hide();
    overview.place();
    stage.invalidate();
  };
  const zoom = (factor: number) => (): void => {
    shown.zoom(factor);
    moved();
  };
  const save = async ({ saveTrace }: Tools): Promise<void> => {
    say(__('Creating the file…'));
    const isWhole = await saveTrace(isConnected ? channel : undefined, records);
    const what = isWhole ? __('Saved') : __('Saved the records of this page');
    say(__('%1; open it at ui.perfetto.dev.', what));
  };
  const readOlder = (from = shown.from, to = shown.to): void => {
    if (!isConnected || records.evicted === 0) return;
    toolbox.use(tools => {
      if (!tools.readOlder(records, layout, feed, [from, to])) say(__('The kernel has no older records.'));
    });
  };
  const more = createButton(__('Load older'), '', () => readOlder());
  more.hidden = true;
  const clock = createChoice(__('Clock'), [__('virtual time'), __('real time')], index => {
    prefersReal = index === 1;
    measured = undefined;
    shown.fits = true;
    refresh();
  });
  const lanes = element('div');
  const tabs = createPartTabs(lanes, toolbox, refresh);

  const show = (): void => {
    const { progress } = feed;
    if (progress === undefined) return;
    filter.update();
    const clocks = new Set([...records.rows.values()].map(row => row.virtual));
    const isVirtual = clocks.has(true) && !(prefersReal && clocks.has(false));
    layout = layOut(records, isVirtual);
    let [from, to] = [Infinity, -Infinity];
    for (const { row } of layout.rows) {
      row.settle();
      from = Math.min(from, row.begin());
      to = Math.max(to, row.last());
    }
    if (from <= to) shown.setBounds(from, to);
    if (follows && !shown.fits) shown.pan(Infinity);

    const streams = layout.rows.filter(({ kind }) => kind === 'work');
    const span = Math.max(0, to - from);
    head.update({ records, feed, isConnected, isVirtual, streams: streams.length, span });
    clock.hidden = clocks.size < 2;
    record.update(progress.recording, isConnected);
    more.hidden = !isConnected || records.evicted === 0;
    disable(follow, !isConnected);
    setAttribute(follow, 'title', isConnected ? null : noKernelSentence(channel));
    overview.update((streams.length > 0 ? streams : layout.rows).map(({ row }) => row));
    showParts();
    stage.invalidate();
  };
  const showParts = (): void => {
    const { parts } = toolbox;
    if (parts === undefined) return;
    const { matches } = filter;
    parts.details.show(selected?.number, isConnected);
    parts.measure.update(measured, layout);
    if (isSeen(toolbox.list)) parts.list.update(matches, selected?.number);
    const isPart = records.kinds.length < feed.progress!.added;
    if (isSeen(toolbox.summary)) parts.summary.update(matches, isPart);
  };

  const hint = element(
    'p',
    { class: 'trace-hint', id: uniqueId('keys') },
    __(
      'Drag or arrows: move. + − or Ctrl+wheel: zoom. 0: all. Enter: choose; then Tab, ↑, ↓: the next; Esc: leave. Shift+drag, Shift+arrows or M: measure.'
    )
  );
  const view = framedView<TracePicture>(
    host,
    'timeline',
    TRACE_PICTURE_VERSION,
    [
      head,
      head.notice,
      part('div', 'actions', ...filter.elements),
      tabs,
      toolbox.panels,
      part(
        'div',
        'actions',
        createButton('+', __('Zoom in'), zoom(1 / ZOOM)),
        createButton('−', __('Zoom out'), zoom(ZOOM)),
        createButton(__('All'), '', zoom(Infinity)),
        follow,
        more,
        clock,
        record,
        createButton(__('Save Chrome trace'), '', () => toolbox.use(tools => void save(tools))),
        status
      )
    ],
    (picture, connected, root) => {
      const data = readBatch(picture, bytesOf(picture.columns));
      setAttribute(root, 'aria-label', __('Timeline of the trace'));
      isConnected = connected && channel !== undefined;
      feed.update(data, isConnected);
      refresh();
    }
  );
  const overview = createOverview(shown, moved);
  const stage = createStage({
    root: toolbox.panels,
    attributes: {
      'aria-label': __('Operations by stream and time; also in the list'),
      'aria-describedby': hint.id
    },
    window: shown,
    scene: () => ({
      records,
      layout,
      from: shown.from,
      to: shown.to,
      matches: filter.matches,
      selected,
      measured
    }),
    select,
    readOlder,
    measure(range) {
      measured = range;
      toolbox.use((_, { measure }) => measure.update(range, layout));
      stage.invalidate();
    },
    moved,
    go(rows, bars) {
      let isFound = true;
      toolbox.use(({ step }, { tooltip }) => {
        const bar = step(stage.scene(), rows, bars);
        isFound = bar !== undefined;
        if (isFound) {
          select(bar);
          tooltip.showBar(bar!, stage.scene(), stage.width);
          overview.place();
        } else if (rows === 0 && bars === 0) readOlder();
      });
      return isFound;
    },
    hover(bar, x, y) {
      if (bar === undefined) toolbox.parts?.tooltip.hide();
      else toolbox.use((_, { tooltip }) => tooltip.show(bar.number, x, y));
    },
    openDetails: () => toolbox.parts?.details.element.focus(),
    restyled(styles) {
      filter.restyled(styles);
      overview.redraw();
    }
  });
  lanes.append(overview.element, part('div', 'trace-place', stage, toolbox.over), hint);
  toolbox.panels.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') stage.element.focus();
  });
  let trouble = '';
  const feed = createFeed(channel, records, problem => {
    // A resolved problem is cleared; other messages stay.
    if (problem !== undefined || status.textContent === trouble) say(problem ?? '');
    trouble = problem ?? '';
    refresh();
  });
  setFollow(channel !== undefined);
  return {
    update: view.update,
    open: tabs.open,
    dispose() {
      cancelAnimationFrame(frame);
      feed.dispose();
      toolbox.dispose();
      overview.dispose();
      stage.dispose();
    }
  };
}

const isSeen = (element: HTMLElement): boolean => element.closest('[hidden]') === null;

/** Creates the tabs: the lanes, and tabs whose code is loaded when they are opened. */
function createPartTabs(lanes: HTMLElement, toolbox: Toolbox, refresh: () => void): Tabs {
  const opened = (): void => toolbox.use(refresh);
  return createTabs(__('Parts of the trace'), [
    { name: 'timeline', label: __('Timeline'), content: lanes },
    { name: 'summary', label: __('Summary'), content: toolbox.summary, opened },
    { name: 'list', label: __('List'), content: toolbox.list, opened }
  ]);
}
