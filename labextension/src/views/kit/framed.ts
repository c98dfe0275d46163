/** The frame of every picture: a section with the content, or with the reason why there is nothing to draw. */

import { createBadge, type Badge } from './badge.ts';
import { createButton } from './controls.ts';
import { createStatus, element, part, setAttribute, setLine, setText, type Child } from './dom.ts';
import { lostSentence, __ } from './phrases.ts';
import type { Channel, CreateView } from './view.ts';

export interface Frame {
  readonly root: HTMLElement;
  /** Absent for a static picture. */
  readonly channel: Channel | undefined;
  /** Aborted when the picture is removed: timers and observers stop. */
  readonly signal: AbortSignal;
  /** Badge of the header: what the picture follows, or that no kernel is connected. */
  readonly state: Badge;
  /** Whether a kernel is attached. */
  connected: boolean;
}

export interface Content<Picture> {
  readonly elements: readonly Child[];
  label(picture: Picture): string;
  /** Draws a picture; may throw for incomplete data. */
  draw(picture: Picture): void;
  open?(tab: string): void;
}

export function createFrame(name: string, channel: Channel | undefined, signal: AbortSignal): Frame {
  const root = part('section', `view ${name}`);
  return { root, channel, signal, state: createBadge('lifetime'), connected: false };
}

/** Makes a view that draws pictures of one version, and reports what is wrong with other data. */
export function framedView<Picture>(
  name: string,
  version: number,
  create: (frame: Frame) => Content<Picture>
): CreateView {
  return (host, { channel }) => {
    const ended = new AbortController();
    const frame = createFrame(name, channel, ended.signal);
    const { elements, label, draw, open } = create(frame);
    const body = part('div', 'picture', ...elements);
    const problem = element('p', { class: 'problem', role: 'alert' });
    frame.root.append(problem, body);
    host.append(frame.root);
    const problemOf = (data: unknown): string => {
      if (data === null || data === undefined) return __('The kernel has not sent this picture yet.');
      const { version: found } = data as { readonly version?: unknown };
      if (typeof found === 'number' && found !== version)
        return __(
          'This picture has version %1, and this page draws version %2: install the same version of Stridelab for the kernel and for JupyterLab.',
          found,
          version
        );
      try {
        draw(data as Picture);
        setAttribute(frame.root, 'aria-label', label(data as Picture));
        return '';
      } catch (error) {
        return __(
          'The data of this picture cannot be read: it was not written by Stridelab, or was damaged (%1).',
          (error as Error).message
        );
      }
    };
    return {
      update(data, connected) {
        frame.connected = connected;
        const sentence = problemOf(data);
        setLine(problem, sentence);
        body.hidden = sentence !== '';
      },
      ...(open && { open }),
      dispose: () => ended.abort()
    };
  };
}

/** Returns the reason why buttons are disabled without a kernel. */
export function noKernelSentence({ channel }: Pick<Frame, 'channel'>): string {
  return channel?.offline === true
    ? lostSentence()
    : __('No kernel is connected: run the cell again to make this picture live.');
}

/** Shows the state of a live picture; without a kernel, that it is a snapshot (`snapshot` is another word for it) or disconnected. */
export function showState(
  { state, channel, connected }: Frame,
  live: Parameters<Badge['show']>,
  snapshot = __('snapshot')
): void {
  if (connected) state.show(...live);
  else if (channel?.offline === true) state.show('disconnected', __('disconnected'), lostSentence());
  else state.show('snapshot', snapshot, __('The state when this picture was made; it is not updated.'));
}

/** Creates the button that starts and stops a picture's recording, and the status line beside it. */
export function createRecording(frame: Frame) {
  const { element: status, say } = createStatus();
  let isOn = false;
  const button = createButton('', __('A new recording deletes the previous one'), () => {
    frame.channel?.request(isOn ? 'stop' : 'start').catch((error: unknown) => say((error as Error).message));
  });
  return {
    button,
    status,
    say,
    update(recording: boolean): void {
      isOn = recording;
      setText(button, isOn ? __('Stop recording') : __('Start recording'));
      button.hidden = !frame.connected || frame.channel === undefined;
      showState(frame, isOn ? ['live', __('recording')] : ['idle', __('not recording')]);
    }
  };
}
