/** The interface of every picture, shared by its hosts: live widgets, saved outputs and pages without JupyterLab. */

import type { Parameters } from '../../../../src/pictures/kit/live-messages.ts';

export interface Message {
  readonly content: Parameters;
  readonly buffers: readonly DataView[];
}

export interface Channel {
  /** The connection to the server is lost, but may return: the kernel is still running. */
  readonly offline?: boolean;
  /** Sends a request. @throws Error with a sentence to show: the kernel's, or one about a missing answer. */
  request(method: string, parameters?: Parameters): Promise<Message>;
  /** Calls `listener` with each message that the kernel pushes; returns a function that unsubscribes. */
  onPush(listener: (message: Message) => void): () => void;
}

export interface ViewOptions {
  /** Absent for a static picture. */
  readonly channel?: Channel | undefined;
}

export interface View {
  /** Shows the data, or a sentence if it contains nothing to draw. `connected`: a kernel is attached. */
  update(data: unknown, connected: boolean): void;
  /** Opens one of the picture's tabs; ignores unknown names. Absent if the picture has no tabs. */
  open?(tab: string): void;
  /** Stops timers and observers. The elements stay in the document. */
  dispose(): void;
}

/** Fills `host`, which is empty until the first `update`. */
export type CreateView = (host: HTMLElement, options: ViewOptions) => View;
