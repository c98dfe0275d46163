/** What is shown: a lesson for streams of choice, or one of the recorded exchanges. */

import {
  LESSON_STREAMS,
  type ExchangeDescription,
  type LessonChoice
} from '../../../../src/description/handshake/schema.ts';
import { element, setText } from '../dom.ts';
import type { Phrases } from '../phrases.ts';

export interface Select {
  readonly element: HTMLElement;
  readonly value: string;
  offer(options: readonly (readonly [value: string, text: string])[], value: string): void;
}

/** A native list of choices with its label; its options are patched. */
export function createSelect(label: string, changed: () => void): Select {
  const select = element('select', { class: 'stridelab-select', 'data-lm-suppress-shortcuts': 'true' });
  select.addEventListener('change', changed);
  return {
    element: element('label', {}, `${label} `, select),
    get value() {
      return select.value;
    },
    offer(options, value) {
      while (select.options.length > options.length) select.remove(options.length);
      for (const [index, [key, text]] of options.entries()) {
        const option = select.options[index] ?? select.appendChild(element('option'));
        option.value = key;
        setText(option, text);
      }
      select.value = value;
    }
  };
}

export interface Shown {
  readonly mode: 'lesson' | 'recorded';
  readonly lesson: LessonChoice;
  /** Number of an exchange; `older` asks for more of them. */
  readonly exchange: string;
}

export interface Choices {
  readonly element: HTMLElement;
  update(shown: Shown, exchanges: readonly ExchangeDescription[], more: boolean): void;
}

export function createChoices({ __ }: Phrases, choose: (shown: Shown) => void): Choices {
  const changed = (): void => {
    const lesson = {
      protocol: protocol.value,
      producerStream: from.value,
      consumerStream: to.value,
      sync: !skip.checked
    } as LessonChoice;
    choose({ mode: mode.value as Shown['mode'], lesson, exchange: exchange.value });
  };
  const mode = createSelect(__('Show'), changed);
  const protocol = createSelect(__('Protocol'), changed);
  const from = createSelect(__('Producer works on'), changed);
  const to = createSelect(__('Consumer reads on'), changed);
  const exchange = createSelect(__('Exchange'), changed);
  const skip = element('input', { type: 'checkbox', 'data-lm-suppress-shortcuts': 'true' });
  skip.addEventListener('change', changed);
  const skipLabel = element('label', {}, skip, ` ${__('skip the wait')}`);
  const names: Readonly<Record<string, string>> = {
    legacy: __('legacy default (1)'),
    'per-thread': __('per-thread default (2)'),
    own: __('a stream of its own')
  };
  const streams = (none: string) => LESSON_STREAMS.map(key => [key, names[key] ?? none] as const);
  return {
    element: element(
      'div',
      { class: 'stridelab-choices' },
      ...[mode, protocol, from, to].map(select => select.element),
      skipLabel,
      exchange.element
    ),
    update(shown, exchanges, more) {
      const { lesson } = shown;
      const isLesson = shown.mode === 'lesson';
      mode.offer(
        [
          ['lesson', __('a lesson')],
          ['recorded', __('recorded exchanges (%1)', exchanges.length)]
        ],
        shown.mode
      );
      protocol.offer(
        [
          ['cai', __('CUDA Array Interface 3')],
          ['dlpack', __('DLPack')]
        ],
        lesson.protocol
      );
      from.offer(streams(__('none: nothing pending')), lesson.producerStream);
      to.offer(streams(__('none named (None)')), lesson.consumerStream);
      skip.checked = !lesson.sync;
      const latest = exchanges.toReversed().map(found => [String(found.number), titleOf(found, __)] as const);
      exchange.offer(more ? [...latest, ['older', __('older…')]] : latest, shown.exchange);
      for (const part of [protocol.element, from.element, to.element, skipLabel]) part.hidden = !isLesson;
      exchange.element.hidden = isLesson || exchanges.length === 0;
    }
  };
}

export function titleOf(
  { number, protocol, language, producer, consumer, cell }: ExchangeDescription,
  __: Phrases['__']
): string {
  const way = protocol === 'cai' ? 'CAI' : protocol === 'dlpack' ? 'DLPack' : __('to Python');
  const from = language === 'python' ? __('%1 of Python', way) : way;
  return `#${number} ${from}: ${producer} → ${consumer}${cell === null ? '' : `, ${cell}`}`;
}
