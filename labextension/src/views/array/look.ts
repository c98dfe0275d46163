/**
 * Requests a part of the array's values while its tab is open, and again after the array was used. Reports
 * obstacles: no kernel, freed memory, or pending work, which is awaited only on a click.
 */

import type { ArrayDescription } from '../../../../src/pictures/array/schema.ts';
import type { Parameters } from '../../../../src/pictures/kit/live-messages.ts';
import { createButton } from '../kit/controls.ts';
import { element, part, setAttribute, setText } from '../kit/dom.ts';
import { type Frame, noKernelSentence } from '../kit/framed.ts';
import { viewSettings } from '../kit/settings.ts';
import type { Message } from '../kit/view.ts';
import { __ } from '../kit/phrases.ts';

/** Minimum interval between two automatic reads, in ms. */
const UNASKED_PERIOD = 400;
/** Delay before the wait for an answer is shown, in ms. */
const SLOW = 300;

export interface LookOptions {
  readonly frame: Frame;
  readonly method: string;
  parameters(): Parameters;
  show(message: Message): void;
}

export function createLook({ frame, method, parameters, show }: LookOptions) {
  const { channel, signal } = frame;
  const sentence = element('span');
  const anyway = createButton(__('Show anyway'), __('Waits for the pending work'), () => ask(true));
  const line = part('p', 'look', sentence, anyway);
  const root = element('div', {}, line);
  let live = false;
  let running = false;
  /** A request made while an answer was pending, and whether it may wait. */
  let again: { readonly wait: boolean } | undefined;
  let told = '';
  let asked = '';
  let timer: ReturnType<typeof setTimeout> | undefined;

  const say = (text: string, kind = '', button = false): void => {
    setText(sentence, text);
    setAttribute(line, 'data-kind', kind);
    line.hidden = text === '';
    anyway.hidden = !button;
  };
  const send = async (wait: boolean): Promise<void> => {
    asked = told;
    if (!channel) return;
    const pending = wait ? __('Waiting for the pending work…') : __('Reading from the device…');
    const slow = setTimeout(() => say(pending), SLOW);
    try {
      const message = await channel.request(method, { ...parameters(), ...(wait && { wait }) });
      const { waits } = message.content;
      if (Array.isArray(waits)) say(__('Reading would wait for %1.', waits.join(', ')), '', true);
      else {
        say('');
        show(message);
      }
    } catch (error) {
      say((error as Error).message, 'error');
    } finally {
      clearTimeout(slow);
    }
  };
  const ask = (wait = false): void => {
    if (!live) return;
    if (running) {
      again = { wait: wait || again?.wait === true };
      return;
    }
    running = true;
    clearTimeout(timer);
    timer = undefined;
    void send(wait).finally(() => {
      running = false;
      const next = again;
      again = undefined;
      if (next) ask(next.wait);
    });
  };

  const mayAsk = (): boolean => viewSettings().autoloadValues || asked !== '';
  signal.addEventListener('abort', () => {
    live = false;
    clearTimeout(timer);
  });
  const offer = (): void => say(__('Values are copied only on request.'), '', true);

  return {
    /** Status line, empty if there is no obstacle. */
    element: root,
    /** Whether there is a kernel to ask, and memory to read. */
    get live(): boolean {
      return live;
    },
    update(array: ArrayDescription): void {
      live = channel !== undefined && frame.connected && array.lifetime === 'live' && array.size > 0;
      told = array.streams.map(use => [use.id, use.sequence, use.access, use.state].join()).join(';');
      if (!live) {
        const alive = array.lifetime === 'live' && array.size > 0;
        if (!alive) say('');
        else if (channel?.offline === true) say(noKernelSentence(frame));
        else say(__('A snapshot: run the cell again to read more from the device.'));
      } else if (root.closest('[hidden]') === null && told !== asked) {
        if (mayAsk()) timer ??= setTimeout(() => ask(), asked === '' ? 0 : UNASKED_PERIOD);
        else offer();
      } else if (asked === '') say('');
    },
    /** Called when the tab is opened: sends a request, unless the user disabled automatic reads. */
    open(): void {
      if (mayAsk()) ask();
      else if (live) offer();
    },
    /** Sends a request with the current parameters; while an answer is pending, once more after it. */
    ask
  };
}
