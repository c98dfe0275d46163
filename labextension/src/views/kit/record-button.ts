/** The button that starts and stops a picture's recording. */

import { createButton } from './controls.ts';
import { setText, type Part } from './dom.ts';
import type { Channel } from './view.ts';
import { __ } from './phrases.ts';

/** Creates the button. `tell` receives a sentence if the kernel refuses. The next picture has the new state. */
export function createRecordButton(
  channel: Channel | undefined,
  tell: (trouble: string) => void
): Part<[recording: boolean, connected: boolean]> {
  let isOn = false;
  const button = createButton('', __('A new recording deletes the previous one'), () => {
    channel?.request(isOn ? 'stop' : 'start').catch((error: unknown) => tell((error as Error).message));
  });
  return {
    element: button,
    update(recording, connected) {
      isOn = recording;
      setText(button, isOn ? __('Stop recording') : __('Start recording'));
      button.hidden = !connected || channel === undefined;
    }
  };
}
