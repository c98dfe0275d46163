/** Native selection lists: a lesson with the chosen streams, or a recorded exchange. */

import { LESSON_STREAMS } from '../../../../src/pictures/handshake/schema.ts';
import { element, setText, type Part } from '../kit/dom.ts';
import type { Choice } from './shown.ts';
import { __ } from '../kit/phrases.ts';

/** Creates a list whose options are patched, so that an open list stays open. */
export function createSelect(label: string, changed: () => void) {
  const select = element('select');
  select.addEventListener('change', changed);
  return {
    element: element('label', {}, `${label} `, select),
    get value(): string {
      return select.value;
    },
    offer(options: readonly (readonly [value: string, text: string])[], value: string): void {
      select.length = options.length;
      for (const [index, [key, name]] of options.entries()) {
        const option = select.options[index] as HTMLOptionElement;
        option.value = key;
        setText(option, name);
      }
      select.value = value;
    }
  };
}

/** The choices. `exchanges`: numbers and titles, in list order. */
export type Choices = Part<
  [choice: Choice, exchanges: readonly (readonly [number: string, title: string])[]]
>;

export function createChoices(choose: (choice: Choice) => void): Choices {
  const changed = (): void =>
    choose({
      mode: mode.value,
      lesson: {
        protocol: protocol.value,
        producerStream: from.value,
        consumerStream: to.value,
        sync: !skip.checked
      },
      exchange: exchange.value
    } as Choice);
  const mode = createSelect(__('Show'), changed);
  const protocol = createSelect(__('Protocol'), changed);
  const from = createSelect(__('Producer stream'), changed);
  const to = createSelect(__('Consumer stream'), changed);
  const exchange = createSelect(__('Exchange'), changed);
  const skip = element('input', { type: 'checkbox' });
  skip.addEventListener('change', changed);
  const lessonParts = [protocol, from, to].map(select => select.element);
  lessonParts.push(element('label', {}, skip, ` ${__('Skip the wait')}`));
  const names = [__('none (None)'), __('legacy (1)'), __('per-thread (2)'), __('non-default')];
  const streams = LESSON_STREAMS.map((key, index) => [key, names[index] as string] as const);
  return {
    element: element('div', { class: 'choices' }, mode, ...lessonParts, exchange),
    update(choice, exchanges) {
      const { lesson } = choice;
      const isLesson = choice.mode === 'lesson';
      mode.offer(
        [
          ['lesson', __('a lesson')],
          ['recorded', __('recorded')]
        ],
        choice.mode
      );
      protocol.offer(
        [
          ['cai', __('CUDA Array Interface')],
          ['dlpack', 'DLPack']
        ],
        lesson.protocol
      );
      from.offer(streams, lesson.producerStream);
      to.offer(streams, lesson.consumerStream);
      skip.checked = !lesson.sync;
      exchange.offer(exchanges, choice.exchange);
      for (const part of lessonParts) part.hidden = !isLesson;
      exchange.element.hidden = isLesson || exchanges.length === 0;
    }
  };
}
