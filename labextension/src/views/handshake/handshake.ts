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
import { element, part, setProse, setText } from '../kit/dom.ts';
import { createRecording, framedView } from '../kit/framed.ts';
import { createLazyPart } from '../kit/lazy-part.ts';
import { createTabs } from '../kit/tabs.ts';
import { createChart } from './chart.ts';
import { createChoices } from './choices.ts';
import type * as Details from './details.ts';
import type { Choice, Shown, ShownStep } from './shown.ts';
import { createStepper } from './stepper.ts';
import { __ } from '../kit/phrases.ts';

export const createHandshakeDiagram = framedView<HandshakePicture>('handshake', HANDSHAKE_VERSION, frame => {
  const title = element('strong');
  const hazard = createBadge();
  const empty = part('p', 'empty');
  const recording = createRecording(frame);
  const actions = part('div', 'actions', recording.button, recording.status);
  let picture: HandshakePicture;
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
  const chart = createChart(frame.signal, goTo);
  const stepper = createStepper(goTo);
  const load = async (): Promise<typeof Details> => {
    const [details] = await Promise.all([import('./details.ts'), import('stridelab-handshake-style')]);
    return details;
  };
  const details = {
    steps: createLazyPart(frame.signal, async () => (await load()).createSteps()),
    stream: createLazyPart(frame.signal, async () => (await load()).createStreamArguments()),
    skip: createLazyPart(frame.signal, async () => (await load()).createRun(frame))
  };
  const tabs = createTabs(__('Parts of the handshake'), [
    { name: 'chart', label: __('Chart'), content: { element: element('div', {}, stepper, chart) } },
    { name: 'steps', label: __('Steps'), content: details.steps },
    { name: 'stream', label: __('Stream argument'), content: details.stream },
    { name: 'skip', label: __('Run without synchronization'), content: details.skip }
  ]);

  const known = (): readonly ExchangeDescription[] => {
    const first = picture.exchanges[0]?.number ?? Infinity;
    return [...older.filter(({ number }) => number < first), ...picture.exchanges];
  };
  const askOlder = async (): Promise<void> => {
    const before = older;
    const first = known()[0]?.number;
    const answer = await frame.channel?.request('older', { before: first }).catch(() => undefined);
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
    shown = { picture, choice, exchange, protocol, hazard: isHazard, steps, step };

    const titles = exchanges.map(item => [String(item.number), titleOf(item)] as const).reverse();
    if (frame.connected && picture.total > exchanges.length) titles.push(['older', __('Older…')]);
    choices.update(choice, titles);
    setText(
      title,
      exchange
        ? titleOf(exchange)
        : protocol === 'dlpack'
          ? __('DLPack handshake')
          : __('CUDA Array Interface handshake')
    );
    hazard.show(isHazard && 'violation', __('hazard'), __('Nothing orders the read after the write.'));
    recording.update(picture.recording);
    if (isLesson) frame.state.show('idle', __('lesson'));
    actions.hidden = isLesson || !frame.connected;

    const none = !isLesson && exchange === undefined;
    setProse(empty, __(picture.advice));
    empty.hidden = !none;
    tabs.element.hidden = none;
    chart.update(shown);
    stepper.update(shown);
    for (const detail of Object.values(details)) detail.update(shown);
  };

  return {
    elements: [part('div', 'header', title, hazard, frame.state), choices, empty, tabs, actions],
    label: () => __('Handshake diagram'),
    draw(data) {
      // Each recording numbers from 0, and a total shrinks only after a start or a clear.
      if (data.total < lastTotal || latestOf(data) < lastNumber) {
        older = [];
        following = true;
      }
      [lastTotal, lastNumber] = [data.total, latestOf(data)];
      picture = data;
      draw();
    },
    open: tabs.open
  };
});

const latestOf = ({ exchanges }: HandshakePicture): number => exchanges.at(-1)?.number ?? 0;

function titleOf(exchange: ExchangeDescription): string {
  const { number, protocol, language, producer, consumer, cell } = exchange;
  const way = { cai: 'CAI', dlpack: 'DLPack', python: __('to Python') }[protocol];
  const from = language === 'python' ? `, ${__('Python')}` : '';
  return `#${number} ${way}${from}: ${producer} → ${consumer}${cell === null ? '' : `, ${cell}`}`;
}
