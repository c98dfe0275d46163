/** Native selection lists: a lesson with the chosen streams, or a recorded exchange. */

import { LESSON_STREAMS } from '../../../../src/pictures/handshake/schema.ts';
import { createSelect } from '../kit/controls.ts';
import { element, part, type Part } from '../kit/dom.ts';
import type { Choice } from './shown.ts';
import { __ } from '../kit/phrases.ts';

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
  const names = [__('None'), __('Legacy (1)'), __('Per-thread (2)'), __('Non-default')];
  const streams = LESSON_STREAMS.map((key, index) => [key, names[index] as string] as const);
  const modes = [
    ['lesson', __('Lesson')],
    ['recorded', __('Recorded')]
  ] as const;
  const protocols = [
    ['cai', __('CUDA Array Interface')],
    ['dlpack', 'DLPack']
  ] as const;
  const { element: mode } = createSelect(changed, {}, modes);
  const { element: protocol } = createSelect(changed, {}, protocols);
  const { element: from } = createSelect(changed, {}, streams);
  const { element: to } = createSelect(changed, {}, streams);
  const { element: exchange, offer } = createSelect(changed);
  const skip = element('input', { type: 'checkbox' });
  skip.addEventListener('change', changed);
  const labelled = (label: string, select: HTMLElement): HTMLElement =>
    element('label', {}, `${label} `, select);
  const lessonParts = [
    labelled(__('Protocol'), protocol),
    labelled(__('Producer stream'), from),
    labelled(__('Consumer stream'), to),
    element('label', {}, skip, ` ${__('Skip the wait')}`)
  ];
  const exchangePart = labelled(__('Exchange'), exchange);
  return {
    element: part('div', 'choices', labelled(__('Show'), mode), ...lessonParts, exchangePart),
    update(choice, exchanges) {
      const { lesson } = choice;
      const isLesson = choice.mode === 'lesson';
      mode.value = choice.mode;
      protocol.value = lesson.protocol;
      from.value = lesson.producerStream;
      to.value = lesson.consumerStream;
      skip.checked = !lesson.sync;
      offer(exchanges, choice.exchange);
      for (const part of lessonParts) part.hidden = !isLesson;
      exchangePart.hidden = isLesson || exchanges.length === 0;
    }
  };
}
