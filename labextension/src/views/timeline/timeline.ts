/** The timeline of a trace: lanes of host and streams, a list, and details; live, or from a saved picture. */

import { TRACE_PICTURE_VERSION, type TracePicture } from '../../../../src/pictures/timeline/schema.ts';
import { createButton, createSelect, disable } from '../kit/controls.ts';
import { element, part, setAttribute, uniqueId } from '../kit/dom.ts';
import { createRecording, framedView, noKernelSentence } from '../kit/framed.ts';
import { createLazyPart, type OpenedPart } from '../kit/lazy-part.ts';
import { oncePerFrame } from '../kit/once-per-frame.ts';
import { createTabs } from '../kit/tabs.ts';
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
import { createToolbox, type Tools } from './toolbox.ts';
import { createTimeWindow } from './window.ts';
import { __ } from '../kit/phrases.ts';

export const createStreamTimeline = framedView<TracePicture>('timeline', TRACE_PICTURE_VERSION, frame => {
  const { channel, signal } = frame;
  const words = kindWords();
  const records = createRecords();
  const shown = createTimeWindow();
  let layout: Layout = { rows: [], height: 0 };
  let selected: Pick | undefined;
  let measured: readonly [number, number] | undefined;
  let follows = true;
  const isLive = (): boolean => frame.connected && channel !== undefined;

  const refresh = oncePerFrame(signal, () => show());
  let revision = -1;
  /**
   * Shows new data: in the next frame, or at once if the shown rows refer to records that are gone. The first data too: controls
   * that are hidden only in the next frame would lose the focus.
   */
  const renew = (): void => {
    if (revision === records.revision) refresh();
    else show();
  };
  const recording = createRecording(frame);
  const { say, status } = recording;
  const head = createHead(frame);
  const filter = createFilter(records, words, refresh);
  const toolbox = createToolbox(frame, records, words, say, refresh);

  const setFollow = (on: boolean): void => {
    follows = on;
    setAttribute(follow, 'aria-pressed', String(on));
  };
  const select = (bar: Pick | undefined): void => {
    selected = bar;
    if (bar !== undefined) {
      const row = layout.rows.find(({ key }) => key === bar.row)?.row;
      const index = row?.slots.indexOf(records.slotOf(bar.number)!) ?? -1;
      if (index >= 0) shown.reveal(row!.starts[index]!, row!.ends[index]!);
      setFollow(false);
    }
    toolbox.use(refresh);
  };
  const moved = (): void => {
    setFollow(false);
    toolbox.tools?.tooltip.hide();
    overview.place();
    stage.invalidate();
  };
  const readOlder = (from = shown.from, to = shown.to): void => {
    if (!isLive() || records.evicted === 0) return;
    toolbox.use(tools => {
      if (!tools.readOlder(records, layout, feed, [from, to])) say(__('The kernel has no older records.'));
    });
  };
  const save = async ({ saveTrace }: Tools): Promise<void> => {
    say(__('Creating the file…'));
    const isWhole = await saveTrace(isLive() ? channel : undefined, records);
    const what = isWhole ? __('Saved') : __('Saved the records of this page');
    say(__('%1; open it at ui.perfetto.dev.', what));
  };

  const zoom = (sign: string, title: string, factor: number): HTMLElement =>
    createButton(sign, title, () => {
      shown.zoom(factor);
      moved();
    });
  const follow = createButton(__('Follow'), '', () => {
    setFollow(!follows);
    refresh();
  });
  const more = createButton(__('Load older'), '', () => readOlder());
  more.hidden = true;
  const clock = createClock(() => {
    measured = undefined;
    shown.fits = true;
    refresh();
  });
  const overview = createOverview(signal, shown, moved);
  const hint = element(
    'p',
    { class: 'trace-hint', id: uniqueId('keys') },
    __(
      'Drag or arrows: move. + − or Ctrl+wheel: zoom. 0: show all. Enter: select; Tab, ↑, ↓: next; Esc: clear. Shift+drag, Shift+arrows or M: measure.'
    )
  );
  const stage = createStage({
    frame,
    attributes: {
      'aria-label': __('Operations by stream and time; also in the list'),
      'aria-describedby': hint.id
    },
    window: shown,
    scene() {
      const { from, to } = shown;
      return { records, layout, from, to, matches: filter.matches, selected, measured };
    },
    select,
    readOlder,
    measure(range) {
      measured = range;
      toolbox.use(({ measure }) => measure.update(range, layout));
      stage.invalidate();
    },
    moved,
    go(rows, bars) {
      let isFound = true;
      toolbox.use(({ step, tooltip }) => {
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
      if (bar === undefined) toolbox.tools?.tooltip.hide();
      else toolbox.use(({ tooltip }) => tooltip.show(bar.number, x, y));
    },
    openDetails: () => toolbox.tools?.details.element.focus(),
    restyled(styles) {
      filter.restyled(styles);
      overview.redraw();
    }
  });
  toolbox.panels.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') stage.element.focus();
  });

  const summary = createLazyPart(signal, async () =>
    (await import('./tools.ts')).createSummary(records, words)
  );
  const list = createLazyPart(signal, async () =>
    (await import('./tools.ts')).createList(records, words, number => select({ number }))
  );
  /** Makes the content of a tab, which needs the tools and is drawn only while it is open. */
  const tab = (content: OpenedPart<never>): OpenedPart<never> => ({
    ...content,
    opened: () =>
      toolbox.use(() => {
        content.opened?.();
        refresh();
      })
  });
  const lanes = element('div', {}, overview, part('div', 'trace-place', stage, toolbox.over), hint);
  const tabs = createTabs(__('Parts of the trace'), [
    { name: 'timeline', label: __('Timeline'), content: { element: lanes } },
    { name: 'summary', label: __('Summary'), content: tab(summary) },
    { name: 'list', label: __('List'), content: tab(list) }
  ]);

  let trouble = '';
  const feed = createFeed(frame, records, problem => {
    // A resolved problem is cleared; other messages stay.
    if (problem !== undefined || status.textContent === trouble) say(problem ?? '');
    trouble = problem ?? '';
    renew();
  });

  const show = (): void => {
    const { progress } = feed;
    if (progress === undefined) return;
    revision = records.revision;
    filter.update();
    const isVirtual = clock.update([...records.rows.values()].map(row => row.virtual));
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
    head.update({ records, feed, isVirtual, streams: streams.length, span: Math.max(0, to - from) });
    recording.update(progress.recording);
    more.hidden = !isLive() || records.evicted === 0;
    disable(follow, !isLive());
    setAttribute(follow, 'title', isLive() ? null : noKernelSentence(frame));
    overview.update((streams.length > 0 ? streams : layout.rows).map(({ row }) => row));
    toolbox.tools?.details.update(selected?.number);
    toolbox.tools?.measure.update(measured, layout);
    if (isSeen(list.element)) list.update(filter.matches, selected?.number);
    if (isSeen(summary.element)) summary.update(filter.matches, records.kinds.length < progress.added);
    stage.invalidate();
  };
  setFollow(channel !== undefined);
  return {
    elements: [
      head,
      head.notice,
      part('div', 'actions', ...filter.elements),
      tabs,
      toolbox.panels,
      part(
        'div',
        'actions',
        zoom('+', __('Zoom in'), 1 / ZOOM),
        zoom('−', __('Zoom out'), ZOOM),
        zoom(__('Show all'), '', Infinity),
        follow,
        more,
        clock,
        recording.button,
        createButton(__('Save Chrome trace'), '', () => toolbox.use(tools => void save(tools))),
        status
      )
    ],
    label: () => __('Timeline of the trace'),
    draw(picture) {
      feed.update(readBatch(picture, bytesOf(picture.columns)));
      renew();
    },
    open: tabs.open
  };
});

const isSeen = (part: HTMLElement): boolean => part.closest('[hidden]') === null;

/** Creates the choice between the clocks of a trace that has records of both. */
function createClock(changed: () => void) {
  const { element: choice } = createSelect(changed, { class: 'button', 'aria-label': __('Clock') }, [
    ['virtual', __('Virtual time')],
    ['real', __('Real time')]
  ]);
  return {
    element: choice,
    /** Takes whether each row is virtual; returns whether the virtual ones are shown. */
    update(rows: readonly boolean[]): boolean {
      choice.hidden = !(rows.includes(true) && rows.includes(false));
      return rows.includes(true) && (choice.value === 'virtual' || !rows.includes(false));
    }
  };
}
