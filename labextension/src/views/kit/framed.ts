/** Common base of small pictures: a frame, a sentence if there is nothing to draw, and requests with a status line. */

import { disable } from './controls.ts';
import { createStatus, element, setAttribute, setLine, type Child } from './dom.ts';
import type { Channel, View } from './view.ts';
import { __ } from './phrases.ts';

interface Versioned {
  readonly version: number;
}

/**
 * Creates a view that draws pictures of one version, and reports what is wrong with other data. `draw` may throw for incomplete data.
 */
export function framedView<Picture extends Versioned>(
  host: HTMLElement,
  name: string,
  version: number,
  content: readonly Child[],
  draw: (picture: Picture, connected: boolean, root: HTMLElement) => void
): View {
  const body = element('div', {}, ...content);
  const problem = element('p', { class: 'problem', role: 'alert' });
  const root = element('section', { class: `view ${name}` }, problem, body);
  host.append(root);
  const problemOf = (data: unknown, connected: boolean): string => {
    const found = (data as Partial<Versioned> | null)?.version;
    if (typeof found === 'number' && found !== version)
      return __(
        'This picture has version %1, and this page draws version %2: update Stridelab.',
        found,
        version
      );
    try {
      draw(data as Picture, connected, root);
      return '';
    } catch {
      return __('The data of this picture cannot be read: it was not written by Stridelab, or was damaged.');
    }
  };
  return {
    update(data, connected) {
      const sentence = problemOf(data, connected);
      setLine(problem, sentence);
      body.hidden = sentence !== '';
    },
    dispose: () => undefined
  };
}

export interface Command {
  readonly elements: readonly HTMLElement[];
  /** Enables the button, or disables it with a reason if that is not empty. */
  enable(reason: string): void;
}

/** Creates a button for one request, and its status line. Without a channel there is neither. */
export function createCommand(
  channel: Channel | undefined,
  method: string,
  label: string,
  texts: { readonly waiting: string; readonly done: string }
): Command {
  if (!channel) return { elements: [], enable: () => undefined };
  const { element: status, say } = createStatus();
  const button = element('button', { class: 'button', type: 'button' }, label);
  let why = '';
  let pending = false;
  const show = (): void => disable(button, why !== '' || pending);
  const press = async (): Promise<void> => {
    pending = true;
    show();
    say(texts.waiting);
    try {
      await channel.request(method);
      say(texts.done);
    } catch (error) {
      say((error as Error).message, 'error');
    }
    pending = false;
    show();
  };
  button.addEventListener('click', () => {
    if (why !== '') say(why);
    else if (!pending) void press();
  });
  return {
    elements: [button, status],
    enable(reason) {
      why = reason;
      setAttribute(button, 'title', reason === '' ? null : reason);
      show();
    }
  };
}
