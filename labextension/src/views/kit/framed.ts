/** What small pictures have in common: a frame, a sentence where there is nothing to draw, and requests whose outcome is said. */

import { disable } from './controls.ts';
import { createStatus, element, setAttribute, setLine, type Child } from './dom.ts';
import type { Channel, View } from './view.ts';
import { __ } from './phrases.ts';

interface Versioned {
  readonly version: number;
}

/**
 * A view that draws pictures of one version, and says what is wrong with any other data. `draw` may throw for data that lacks something.
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
  /** An empty reason lets it be pressed. */
  enable(reason: string): void;
}

/** A button for one request, and the line that says how it went. Without a channel there is neither. */
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
