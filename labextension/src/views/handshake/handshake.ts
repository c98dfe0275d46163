/**
 * The handshake diagram: an exchange of an array between two libraries as a sequence chart, step by step or whole, as a lesson or as it
 * was recorded.
 */

import {
  HANDSHAKE_VERSION,
  type ExchangeDescription,
  type HandshakePicture,
  type Lane
} from '../../../../src/description/handshake/schema.ts';
import { isHazard } from '../../../../src/description/handshake/hazard.ts';
import { lessonFacts } from '../../../../src/description/handshake/lesson.ts';
import { stepOf } from '../../../../src/description/handshake/steps.ts';
import { createBadge } from '../array-inspector/badge.ts';
import { element, setAttribute, setProse, setText } from '../dom.ts';
import { framedView } from '../framed.ts';
import type { Phrases } from '../phrases.ts';
import { createTabs } from '../tabs.ts';
import type { View, ViewOptions } from '../view.ts';
import { createChart, type ChartStep } from './chart.ts';
import { createChoices, titleOf, type Shown } from './choices.ts';
import { createRunPanel } from './run-panel.ts';
import { createArgumentTable, createStepTable, rulesText } from './tables.ts';

export function createHandshakeDiagram(host: HTMLElement, { phrases: bundle, channel }: ViewOptions): View {
  const phrases: Phrases = { __: bundle.__.bind(bundle) };
  const { __ } = phrases;
  const title = element('strong');
  const hazard = createBadge();
  const state = createBadge();
  state.element.classList.add('stridelab-lifetime');
  let picture: HandshakePicture | undefined;
  let connected = false;
  let shown: Shown | undefined;
  /** Follows the latest exchange until somebody chooses one. */
  let following = true;
  let older: readonly ExchangeDescription[] = [];
  let step: number | null = null;
  let count = 0;

  const choices = createChoices(phrases, next => {
    if (next.exchange === 'older') return void askOlder();
    following &&= next.exchange === shown?.exchange;
    shown = next;
    step = null;
    draw();
  });
  const chart = createChart(phrases, index => goTo(index));
  const stepper = createStepper(phrases, next => goTo(next));
  const steps = createStepTable(phrases);
  const streams = createArgumentTable(phrases);
  const run = createRunPanel(phrases, channel);
  const empty = element('p', { class: 'stridelab-empty' });
  const tabs = createTabs(__('Parts of the handshake'), [
    { name: 'chart', label: __('Chart'), content: element('div', {}, stepper.element, chart.element) },
    { name: 'steps', label: __('Steps'), content: steps.element },
    { name: 'streams', label: __('The stream argument'), content: streams.element },
    { name: 'run', label: __('Skip the wait, really'), content: run.element }
  ]);
  const goTo = (next: number | null): void => {
    step = next === null || count === 0 ? null : Math.min(Math.max(next, 0), count - 1);
    draw();
  };
  const askOlder = async (): Promise<void> => {
    draw();
    const before = known()[0]?.number ?? 0;
    try {
      const answer = await channel?.request('older', { before });
      older = [...((answer?.content['exchanges'] ?? []) as ExchangeDescription[]), ...older];
    } catch (error) {
      setText(empty, error instanceof Error ? error.message : String(error));
    }
    draw();
  };
  const known = (): readonly ExchangeDescription[] => {
    const inState = picture?.exchanges ?? [];
    const first = inState[0]?.number ?? Infinity;
    return [...older.filter(({ number }) => number < first), ...inState];
  };

  const draw = (): void => {
    if (picture === undefined || shown === undefined) return;
    const exchanges = known();
    const { words } = picture;
    if (following || !exchanges.some(({ number }) => String(number) === shown?.exchange))
      shown = { ...shown, exchange: String(exchanges.at(-1)?.number ?? '') };
    const { lesson, mode } = shown;
    const exchange =
      mode === 'recorded' ? exchanges.find(({ number }) => String(number) === shown?.exchange) : undefined;
    const protocol = exchange?.protocol ?? lesson.protocol;
    const facts = mode === 'lesson' ? lessonFacts(lesson) : (exchange?.facts ?? []);
    const drawn = facts.flatMap((fact): ChartStep[] => {
      const found = stepOf(fact, protocol, words);
      return found === undefined ? [] : [{ ...found, fact }];
    });
    count = drawn.length;
    step = step === null || count === 0 ? null : Math.min(step, count - 1);
    const start = facts.find(({ kind }) => kind !== 'work')?.time ?? 0;
    const times =
      mode === 'lesson'
        ? []
        : drawn.map(({ fact: { kind, time } }) =>
            kind === 'work' ? __('before') : __('%1 µs', ((time ?? 0) - start).toFixed(1))
          );

    choices.update(shown, exchanges, connected && channel !== undefined && picture.total > exchanges.length);
    setText(
      title,
      exchange === undefined
        ? protocol === 'cai'
          ? __('Handshake by the CUDA Array Interface')
          : __('Handshake by DLPack')
        : titleOf(exchange, __)
    );
    if (isHazard(facts)) hazard.show('violation', __('nothing orders the read after the write'));
    else hazard.hide();
    if (mode === 'lesson')
      state.show('idle', __('lesson'), __('As the protocol has it, for the streams chosen'));
    else if (!connected) state.show('snapshot', __('snapshot'), __('As it was when this picture was made'));
    else if (picture.recording) state.show('live', __('recording'));
    else state.show('destroyed', __('not recording'));

    const none = mode === 'recorded' && exchange === undefined;
    empty.hidden = !none;
    if (none)
      setProse(
        empty,
        picture.recording
          ? __(
              'No exchange yet: import or export an array, by `asCudaArray`, `fromDlpack` or `python.asArray`.'
            )
          : __('No exchange was recorded: call `exchanges.start()`, then import or export an array.')
      );
    tabs.element.hidden = none;
    const names = namesOf(drawn, exchange, phrases);
    chart.update({ steps: drawn, names, times });
    chart.select(step);
    stepper.update(drawn, step);
    steps.update(
      drawn.map(({ says, rules }, index) => ({
        number: index + 1,
        time: times[index] ?? '',
        says,
        rules,
        now: index === step
      })),
      exchange !== undefined && exchange.more > 0
        ? __('%1; %2 later uses were counted', titleOf(exchange, __), exchange.more)
        : __('The same steps as in the chart, in sentences')
    );
    const told = facts.find(fact => fact.kind === 'descriptor' || fact.kind === 'ask-capsule');
    const value =
      told === undefined || !('stream' in told) ? '' : told.stream.startsWith('0x') ? 'handle' : told.stream;
    const table = picture.streamArguments[protocol === 'dlpack' ? 'dlpack' : 'cai'];
    streams.update(
      table.map(row => ({ ...row, used: row.value === value })),
      protocol === 'dlpack'
        ? __('What the consumer says by the argument `stream` of `__dlpack__`').replaceAll('`', '')
        : __('What the producer says by the key stream of its descriptor')
    );
    run.update(lesson, picture.devices, connected);
  };

  const view = framedView<HandshakePicture>(
    host,
    'handshake',
    HANDSHAKE_VERSION,
    phrases,
    [
      element('div', { class: 'stridelab-header' }, title, hazard.element, state.element),
      choices.element,
      empty,
      tabs.element
    ],
    (data, isConnected, root) => {
      const { mode, lesson } = data;
      picture = data;
      connected = isConnected;
      shown ??= { mode, lesson, exchange: '' };
      setAttribute(root, 'aria-label', __('Handshake diagram'));
      draw();
    }
  );
  return {
    ...view,
    dispose() {
      chart.dispose();
      run.dispose();
      view.dispose();
    }
  };
}

/** Who stands behind the lifelines. */
function namesOf(
  steps: readonly ChartStep[],
  exchange: ExchangeDescription | undefined,
  { __ }: Phrases
): Readonly<Record<Lane, string>> {
  const streamOf = (lane: Lane): string => {
    for (const { to, fact } of steps)
      if (to === lane && 'stream' in fact && fact.kind !== 'event') return fact.stream;
    const view = steps.find(({ fact }) => fact.kind === 'view')?.fact;
    return lane === 'consumer-stream' && view !== undefined && 'stream' in view ? view.stream : '';
  };
  return {
    producer: exchange?.producer ?? __('has the memory'),
    'producer-stream': streamOf('producer-stream'),
    'consumer-stream': streamOf('consumer-stream'),
    consumer: exchange?.consumer ?? __('wants to read it'),
    host: ''
  };
}

interface Stepper {
  readonly element: HTMLElement;
  update(steps: readonly ChartStep[], step: number | null): void;
}

/** Back and on by buttons, by arrow keys, and by a slider; its sentence is read out. */
function createStepper(phrases: Phrases, goTo: (step: number | null) => void): Stepper {
  const { __ } = phrases;
  let now: number | null = null;
  let last = 0;
  const button = (label: string, press: () => void): HTMLButtonElement => {
    const made = element('button', { class: 'stridelab-button', type: 'button' }, label);
    made.addEventListener('click', () => {
      if (made.getAttribute('aria-disabled') !== 'true') press();
    });
    return made;
  };
  const back = button(__('◀ Back'), () => goTo((now ?? last + 1) - 1));
  const next = button(__('Next ▶'), () => goTo((now ?? -1) + 1));
  const whole = button(__('Whole'), () => goTo(null));
  const slider = element('input', { type: 'range', min: '1', step: '1', 'aria-label': __('Step') });
  slider.addEventListener('input', () => goTo(Number(slider.value) - 1));
  const sentence = element('span');
  const rules = element('span', { class: 'stridelab-muted' });
  const number = element('strong', { class: 'stridelab-step-number' });
  const controls = element(
    'div',
    {
      class: 'stridelab-stepper',
      role: 'group',
      'aria-label': __('Steps'),
      'data-lm-suppress-shortcuts': 'true'
    },
    back,
    slider,
    next,
    whole
  );
  controls.addEventListener('keydown', event => {
    const move = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (event.key === 'Escape') goTo(null);
    else if (event.key === 'Home') goTo(0);
    else if (event.key === 'End') goTo(last);
    else if (move !== undefined) goTo(now === null ? (move > 0 ? 0 : last) : now + move);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return {
    element: element(
      'div',
      {},
      controls,
      element('p', { class: 'stridelab-sentence', role: 'status' }, number, ' ', sentence, ' ', rules)
    ),
    update(steps, step) {
      now = step;
      last = steps.length - 1;
      const found = step === null ? undefined : steps[step];
      slider.max = String(steps.length);
      slider.value = String(step === null ? steps.length : step + 1);
      setAttribute(
        slider,
        'aria-valuetext',
        step === null ? __('all steps') : __('step %1 of %2', step + 1, steps.length)
      );
      setAttribute(back, 'aria-disabled', step === 0 ? 'true' : null);
      setAttribute(next, 'aria-disabled', step === last ? 'true' : null);
      setAttribute(whole, 'aria-pressed', String(step === null));
      setText(number, step === null ? '' : __('%1 of %2', step + 1, steps.length));
      setProse(
        sentence,
        found === undefined
          ? __('All %1 steps. Step through them with the buttons or the arrow keys.', steps.length)
          : __(...found.says)
      );
      setText(rules, found === undefined ? '' : rulesText(found.rules, phrases));
    }
  };
}
