/** The timeline of a trace: lanes of host and streams, a list, and details; live, or of a saved picture. */

import { formatDuration } from '../../../../src/description/time-text.ts';
import { TRACE_PICTURE_VERSION, type TracePicture } from '../../../../src/description/trace-picture.ts';
import { createBadge } from '../array-inspector/badge.ts';
import { element, part, setAttribute, setText, uniqueId } from '../dom.ts';
import { framedView } from '../framed.ts';
import { createRecordButton } from '../record-button.ts';
import { createTabs } from '../tabs.ts';
import { noKernelSentence, showNoKernel } from '../no-kernel.ts';
import type { View, ViewOptions } from '../view.ts';
import { createButton, createChoice } from '../controls.ts';
import type { Pick } from './draw.ts';
import { createFeed } from './feed.ts';
import { ALLOCATION, FREE, kindWords } from './kinds.ts';
import { layOut, type Layout } from './layout.ts';
import { createLegend } from './legend.ts';
import { bytesOf, readBatch } from './read-picture.ts';
import { createRecords } from './records.ts';
import { createStage, ZOOM } from './stage.ts';
import type * as Loaded from './tools.ts';
import { createTimeWindow } from './window.ts';

type Tools = typeof Loaded;

export function createStreamTimeline(host: HTMLElement, { phrases, channel }: ViewOptions): View {
  const words = kindWords(phrases);
  const records = createRecords();
  const shown = createTimeWindow();
  let prefersReal = false;
  let layout: Layout = { rows: [], height: 0 };
  let matches = new Uint8Array();
  /** The revision of the records that they are of. */
  let matchesOf = 0;
  let selected: Pick | undefined;
  let measured: readonly [number, number] | undefined;
  let follows = true;
  let isConnected = false;
  let frame = 0;

  const facts = part('span', 'fact');
  const simulated = createBadge();
  const lifetime = createBadge();
  lifetime.element.classList.add('stridelab-lifetime');
  const notice = part('p', 'empty');
  const hint = element(
    'p',
    { class: 'stridelab-trace-hint', id: uniqueId('keys') },
    phrases.__(
      'Drag or arrows: move. + − or Ctrl+wheel: zoom. 0: all. Enter: choose; then Tab, ↑, ↓: the next; Esc: leave. Shift+drag, Shift+arrows or M: measure.'
    )
  );
  const status = element('span', { class: 'stridelab-status', role: 'status' });
  const record = createRecordButton(phrases, channel, trouble => setText(status, trouble));
  const searchName = phrases.__('Filter by name, label, cell');
  const search = element('input', {
    class: 'stridelab-button',
    type: 'search',
    placeholder: searchName,
    size: '24',
    'aria-label': searchName
  });
  search.addEventListener('input', () => filtered());
  const legend = createLegend(phrases.__('Kinds: press one to dim it'), words, () => filtered());

  // Panels of the tools stand here once they are loaded.
  const listPlace = element('div');
  const panels = element('div');
  let tools: Tools | undefined;
  let parts: ReturnType<typeof createParts> | undefined;
  const createParts = ({ createDetails, createList, createMeasure }: Tools) => ({
    details: createDetails(phrases, channel, records, words),
    list: createList(phrases, records, words, number => select({ number })),
    measure: createMeasure(phrases)
  });
  /** Runs what needs the tools: at once where they are here. */
  const withTools = (run: (loaded: Tools) => void): void => {
    if (tools !== undefined) run(tools);
    else void load(run);
  };
  const load = async (run: (loaded: Tools) => void): Promise<void> => {
    setText(status, phrases.__('Loading…'));
    try {
      tools = await import('./tools.ts');
    } catch {
      setText(status, phrases.__('A part of the page could not be loaded: load the page again.'));
      return;
    }
    setText(status, '');
    if (parts === undefined) {
      parts = createParts(tools);
      listPlace.append(parts.list.element);
      panels.append(parts.details.element, parts.measure.element);
    }
    run(tools);
    refresh();
  };

  const setFollow = (on: boolean): void => {
    follows = on;
    setAttribute(follow, 'aria-pressed', String(on));
  };
  const follow = createButton(phrases.__('Follow'), '', () => {
    setFollow(!follows);
    refresh();
  });
  const moved = (): void => {
    setFollow(false);
    stage.invalidate();
  };
  const zoom = (factor: number) => (): void => {
    shown.zoom(factor);
    moved();
  };
  const select = (bar: Pick | undefined): void => {
    selected = bar;
    if (bar !== undefined) {
      const index = bar.row?.slots.indexOf(records.slotOf(bar.number)!) ?? -1;
      if (index >= 0) shown.reveal(bar.row!.starts[index]!, bar.row!.ends[index]!);
      setFollow(false);
    }
    withTools(refresh);
  };
  const save = async ({ saveTrace }: Tools): Promise<void> => {
    setText(status, phrases.__('Making the file…'));
    const isWhole = await saveTrace(isConnected ? channel : undefined, records);
    const what = isWhole ? phrases.__('Saved') : phrases.__('Saved what this page has');
    setText(status, phrases.__('%1; open it at ui.perfetto.dev.', what));
  };
  const readOlder = (from = shown.from, to = shown.to): void => {
    if (!isConnected || records.evicted === 0) return;
    withTools(loaded => {
      if (!loaded.readOlder(records, layout, feed, [from, to]))
        setText(status, phrases.__('The kernel has none that are not here.'));
    });
  };
  const more = createButton(phrases.__('Read older'), '', () => readOlder());
  more.hidden = true;
  const clock = createChoice(
    phrases.__('Clock'),
    [phrases.__('virtual time'), phrases.__('real time')],
    index => {
      prefersReal = index === 1;
      measured = undefined;
      shown.fits = true;
      refresh();
    }
  );

  const lanes = element('div');
  const tabs = createTabs(phrases.__('Parts of the trace'), [
    { name: 'timeline', label: phrases.__('Timeline'), content: lanes },
    { name: 'list', label: phrases.__('List'), content: listPlace }
  ]);
  const isListed = (): boolean => listPlace.closest('[hidden]') === null;
  for (const event of ['click', 'keyup'])
    tabs.element.addEventListener(event, () => {
      if (isListed()) withTools(refresh);
    });

  const filter = (): void => {
    const wanted = search.value.trim().toLowerCase();
    matchesOf = records.revision;
    matches = Uint8Array.from(records.facts, ({ kind, name, cell, array, labels }) => {
      const text = [name, words[kind], cell, array, ...labels].join('\n').toLowerCase();
      return Number(legend.isOn(kind === FREE ? ALLOCATION : kind) && text.includes(wanted));
    });
  };
  const filtered = (): void => {
    filter();
    refresh();
  };

  const show = (): void => {
    const { progress } = feed;
    if (progress === undefined) return;
    const { added, recording } = progress;
    if (matches.length !== records.facts.length || matchesOf !== records.revision) filter();
    const clocks = new Set([...records.rows.values()].map(row => row.virtual));
    const isVirtual = clocks.has(true) && !(prefersReal && clocks.has(false));
    layout = layOut(records, isVirtual, phrases);
    let [from, to] = [Infinity, -Infinity];
    for (const { row } of layout.rows) {
      row.settle();
      from = Math.min(from, row.begin());
      to = Math.max(to, row.last());
    }
    if (from <= to) shown.setBounds(from, to);
    if (follows && !shown.fits) shown.pan(Infinity);

    const streams = layout.rows.filter(({ kind }) => kind === 'work').length;
    const span = formatDuration(Math.max(0, to - from));
    setText(facts, phrases.__('%1 records, %2 streams, %3', added.toLocaleString(), streams, span));
    if (isVirtual)
      simulated.show(
        'simulated',
        phrases.__('virtual time'),
        phrases.__('Simulated: no GPU took this time.')
      );
    else simulated.hide();
    clock.hidden = clocks.size < 2;
    if (!isConnected) showNoKernel(lifetime, phrases, channel);
    else if (recording) lifetime.show('live', phrases.__('recording'));
    else lifetime.show('idle', phrases.__('not recording'));
    record.update(recording, isConnected);
    more.hidden = !isConnected || records.evicted === 0;
    setText(notice, noticeOf());
    notice.hidden = notice.textContent === '';
    setAttribute(follow, 'aria-disabled', String(!isConnected));
    setAttribute(follow, 'title', isConnected ? null : noKernelSentence(phrases, channel));
    const counts = words.map(() => 0);
    for (const kind of records.kinds) counts[kind === FREE ? ALLOCATION : kind]! += 1;
    legend.update(counts);
    parts?.details.show(selected?.number, isConnected);
    parts?.measure.show(measured, layout);
    if (isListed()) parts?.list.update(matches, selected?.number);
    stage.invalidate();
  };
  const noticeOf = (): string => {
    const { added, dropped } = feed.progress!;
    const here = records.kinds.length.toLocaleString();
    if (added === 0)
      return phrases.__('Nothing is recorded: call trace.start(), and run what you want to see.');
    const sentences = [
      !feed.isWhole &&
        records.kinds.length < added &&
        phrases.__('Shown are %1 of them, the longest and the latest.', here),
      dropped > 0 &&
        phrases.__(
          'The oldest %1 had to go: trace.start({ capacity }) keeps more.',
          dropped.toLocaleString()
        ),
      records.evicted > 0 &&
        phrases.__('This page keeps %1; columns tell how busy each row was in the time of the others.', here)
    ];
    return sentences.filter(Boolean).join(' ');
  };
  /** Shows what there is now, once a frame. */
  const refresh = (): void => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(show);
  };

  const view = framedView<TracePicture>(
    host,
    'timeline',
    TRACE_PICTURE_VERSION,
    phrases,
    [
      part(
        'div',
        'header',
        element('strong', {}, phrases.__('Trace')),
        facts,
        simulated.element,
        lifetime.element
      ),
      notice,
      part('div', 'actions', legend.element, search),
      tabs.element,
      panels,
      part(
        'div',
        'actions',
        createButton('+', phrases.__('Zoom in'), zoom(1 / ZOOM)),
        createButton('−', phrases.__('Zoom out'), zoom(ZOOM)),
        createButton(phrases.__('All'), '', zoom(Infinity)),
        follow,
        more,
        clock,
        record.element,
        createButton(phrases.__('Save Chrome trace'), '', () => withTools(loaded => void save(loaded))),
        status
      )
    ],
    (picture, connected, root) => {
      const data = readBatch(picture, bytesOf(picture.columns));
      setAttribute(root, 'aria-label', phrases.__('Timeline of the trace'));
      isConnected = connected && channel !== undefined;
      feed.update(data, isConnected);
      refresh();
    }
  );
  const stage = createStage({
    root: panels,
    attributes: {
      'aria-label': phrases.__('Operations by stream and time; the list tells the same'),
      'aria-describedby': hint.id
    },
    window: shown,
    scene: () => ({ records, layout, from: shown.from, to: shown.to, matches, selected, measured }),
    select,
    readOlder,
    measure(range) {
      measured = range;
      withTools(() => parts?.measure.show(range, layout));
      stage.invalidate();
    },
    moved,
    go(rows, bars) {
      let isFound = true;
      withTools(({ step }) => {
        const bar = step(stage.scene(), rows, bars);
        isFound = bar !== undefined;
        if (isFound) select(bar);
        else if (rows === 0 && bars === 0) readOlder();
      });
      return isFound;
    },
    openDetails: () => parts?.details.element.focus(),
    restyled: legend.draw
  });
  lanes.append(stage.element, hint);
  panels.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') stage.element.focus();
  });
  let trouble = '';
  const feed = createFeed(channel, records, problem => {
    // What has passed is not said any longer; other sentences stay.
    if (problem !== undefined || status.textContent === trouble) setText(status, problem ?? '');
    trouble = problem ?? '';
    refresh();
  });
  setFollow(channel !== undefined);
  return {
    update: view.update,
    dispose() {
      cancelAnimationFrame(frame);
      feed.dispose();
      parts?.details.dispose();
      stage.dispose();
    }
  };
}
