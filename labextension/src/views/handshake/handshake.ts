/**
 * The handshake diagram: an array exchange between two libraries as a sequence chart, step by step or
 * complete, as a lesson or as it was recorded.
 */

import { formatDuration } from '../../../../src/base/time-text.ts';
import type { ExchangeDescription, Fact } from '../../../../src/recording/exchanges/facts.ts';
import {
  HANDSHAKE_VERSION,
  lessonKey,
  type HandshakePicture
} from '../../../../src/pictures/handshake/schema.ts';
import { stepOf } from '../../../../src/pictures/handshake/steps.ts';
import { createBadge } from '../kit/badge.ts';
import { createStatus, element, part, setAttribute, setProse, setText } from '../kit/dom.ts';
import { framedView } from '../kit/framed.ts';
import { showRecording } from '../kit/no-kernel.ts';
import { createRecordButton } from '../kit/record-button.ts';
import { createTabs } from '../kit/tabs.ts';
import type { View, ViewOptions } from '../kit/view.ts';
import { createChart } from './chart.ts';
import { createChoices } from './choices.ts';
import type { Details } from './details.ts';
import type { Choice, Shown, ShownStep } from './shown.ts';
import { createStepper } from './stepper.ts';
import { __ } from '../kit/phrases.ts';

export function createHandshakeDiagram(host: HTMLElement, { channel }: ViewOptions): View {
  const title = element('strong');
  const hazard = createBadge();
  const state = createBadge('lifetime');
  const empty = part('p', 'empty');
  const trouble = createStatus();
  const record = createRecordButton(channel, trouble.say);
  const actions = part('div', 'actions', record, trouble);
  let picture: HandshakePicture;
  let connected = false;
  let choice: Choice | undefined;
  /** Whether the latest exchange is shown, until the user chooses one. */
  let following = true;
  let older: readonly ExchangeDescription[] = [];
  /** The previous picture's total, and the number of its latest exchange. */
  let [lastTotal, lastNumber] = [0, 0];
  let step: number | null = null;
  let shown: Shown;

  const goTo = (next: number | null): void => {
    const { length } = shown.steps;
    step = next === null || length === 0 ? null : Math.min(Math.max(next, 0), length - 1);
    draw();
  };
  const choices = createChoices(next => {
    if (next.exchange === 'older') return void askOlder();
    if (next.exchange !== choice?.exchange) following = false;
    choice = next;
    step = null;
    draw();
  });
  const chart = createChart(goTo);
  const stepper = createStepper(goTo);

  let details: Details | undefined;
  const places = [0, 1, 2].map(() => element('div', {}, part('p', 'empty', __('Loading…'))));
  const load = async (): Promise<void> => {
    if (details !== undefined) return;
    try {
      const [{ createDetails }] = await Promise.all([
        import('./details.ts'),
        import('stridelab-handshake-style')
      ]);
      details ??= createDetails(channel);
      for (const [index, place] of places.entries())
        place.replaceChildren(details.elements[index] as HTMLElement);
      details.update(shown);
    } catch {
      for (const place of places)
        setText(
          place.firstChild as HTMLElement,
          __('This part could not be loaded. Check the server, then open the tab again.')
        );
    }
  };
  const tabs = createTabs(__('Parts of the handshake'), [
    { name: 'chart', label: __('Chart'), content: element('div', {}, stepper, chart) },
    ...(
      [
        ['steps', __('Steps')],
        ['stream', __('Stream argument')],
        ['skip', __('Run without synchronization')]
      ] as const
    ).map(([name, label], index) => ({
      name,
      label,
      content: places[index] as HTMLElement,
      opened: () => void load()
    }))
  ]);

  const known = (): readonly ExchangeDescription[] => {
    const first = picture.exchanges[0]?.number ?? Infinity;
    return [...older.filter(({ number }) => number < first), ...picture.exchanges];
  };
  const askOlder = async (): Promise<void> => {
    const before = older;
    const first = known()[0]?.number;
    const answer = await channel?.request('older', { before: first }).catch(() => undefined);
    // Requested twice, or from a recording that ended.
    if (older !== before) return;
    older = [...((answer?.content['exchanges'] ?? []) as ExchangeDescription[]), ...older];
    draw();
  };

  const draw = (): void => {
    const exchanges = known();
    const latest = exchanges.at(-1);
    choice ??= { mode: picture.mode, lesson: picture.lesson, exchange: '' };
    const chosen = exchanges.find(({ number }) => String(number) === choice?.exchange);
    const recorded = following || chosen === undefined ? latest : chosen;
    choice = { ...choice, exchange: String(recorded?.number ?? '') };
    const isLesson = choice.mode === 'lesson';
    const exchange = isLesson ? undefined : recorded;
    const lesson = picture.lessons[lessonKey(choice.lesson)];
    const facts = isLesson
      ? (lesson?.facts.map(fact => picture.lessonFacts[fact] as Fact) ?? [])
      : (exchange?.facts ?? []);
    const protocol = exchange?.protocol ?? choice.lesson.protocol;
    const start = facts.find(({ kind }) => kind !== 'work')?.time ?? 0;
    const steps = facts.flatMap((fact): ShownStep[] => {
      const found = stepOf(fact, protocol, picture.words);
      const { kind, time } = fact;
      const when = time === null ? '' : kind === 'work' ? __('before') : formatDuration(time - start);
      return found === undefined ? [] : [{ ...found, fact, time: when }];
    });
    if (step !== null && step >= steps.length) step = null;
    const isHazard = (isLesson ? lesson : exchange)?.hazard === true;
    shown = { picture, choice, exchange, protocol, hazard: isHazard, steps, step, connected };

    const titles = exchanges.map(item => [String(item.number), titleOf(item)] as const).reverse();
    if (connected && picture.total > exchanges.length) titles.push(['older', __('older…')]);
    choices.update(choice, titles);
    setText(
      title,
      exchange
        ? titleOf(exchange)
        : protocol === 'dlpack'
          ? __('DLPack handshake')
          : __('CUDA Array Interface handshake')
    );
    hazard.show(isHazard && 'violation', __('nothing orders the read after the write'));
    if (isLesson) state.show('idle', __('lesson'));
    else showRecording(state, picture.recording, connected, channel);

    record.update(picture.recording, connected);
    actions.hidden = isLesson || !connected;

    const none = !isLesson && exchange === undefined;
    setProse(empty, __(picture.advice));
    empty.hidden = !none;
    tabs.element.hidden = none;
    chart.update(shown);
    stepper.update(shown);
    details?.update(shown);
  };

  const view = framedView<HandshakePicture>(
    host,
    'handshake',
    HANDSHAKE_VERSION,
    [part('div', 'header', title, hazard, state), choices, empty, tabs, actions],
    (data, isConnected, root) => {
      // Each recording numbers from 0, and a total shrinks only after a start or a clear.
      if (data.total < lastTotal || latestOf(data) < lastNumber) {
        older = [];
        following = true;
      }
      [lastTotal, lastNumber] = [data.total, latestOf(data)];
      picture = data;
      connected = isConnected;
      setAttribute(root, 'aria-label', __('Handshake diagram'));
      draw();
    }
  );
  return {
    ...view,
    open: tabs.open,
    dispose() {
      chart.dispose();
      details?.dispose();
      view.dispose();
    }
  };
}

const latestOf = ({ exchanges }: HandshakePicture): number => exchanges.at(-1)?.number ?? 0;

function titleOf(exchange: ExchangeDescription): string {
  const { number, protocol, language, producer, consumer, cell } = exchange;
  const way = { cai: 'CAI', dlpack: 'DLPack', python: __('to Python') }[protocol];
  const from = language === 'python' ? `, ${__('Python')}` : '';
  return `#${number} ${way}${from}: ${producer} → ${consumer}${cell === null ? '' : `, ${cell}`}`;
}
