/** Buttons that each send a request, with one status line for all of them. */

import { disable } from './controls.ts';
import { createStatus, element, setAttribute } from './dom.ts';
import type { Channel } from './view.ts';

export interface Command {
  readonly method: string;
  readonly label: string;
  readonly title?: string;
  readonly waiting: string;
  readonly done: string;
}

export function createCommands(channel: Channel | undefined, commands: readonly Command[]) {
  const { element: status, say } = createStatus();
  let reason = '';
  let pending = false;
  const offered = channel ? commands : [];
  const buttons = offered.map(command => {
    const button = element('button', { class: 'button', type: 'button' }, command.label);
    button.addEventListener('click', () => {
      if (reason !== '') say(reason);
      else if (!pending) void run(command);
    });
    return button;
  });
  const show = (): void => {
    for (const [index, button] of buttons.entries()) {
      disable(button, reason !== '' || pending);
      setAttribute(button, 'title', reason || offered[index]?.title || null);
    }
  };
  const run = async ({ method, waiting, done }: Command): Promise<void> => {
    pending = true;
    show();
    say(waiting, 'pending');
    try {
      await channel?.request(method);
      // An update that came first shows more than this.
      if (status.getAttribute('data-kind') === 'pending') say(done);
    } catch (error) {
      say((error as Error).message, 'error');
    }
    pending = false;
    show();
  };
  return {
    buttons,
    status,
    say,
    /** Enables the buttons, or disables them with a reason if that is not empty. */
    enable(why: string): void {
      reason = why;
      show();
    }
  };
}
